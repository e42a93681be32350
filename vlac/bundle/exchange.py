"""Exchange two folders by name, in one step where the system has it."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from vlac.bundle.staging import remove

if TYPE_CHECKING:
    from pathlib import Path

_AT_FDCWD = -100  # linux/fcntl.h
_RENAME_EXCHANGE = 2  # linux/fs.h; renameat2(2): Linux 3.15, glibc 2.28
_NOT_HERE = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)  # old kernel, or a file system without it


def exchange(new: Path, folder: Path, aside: Path) -> Path:
    """Give `new` the name `folder`; returns the path of what it replaced, `new` or `aside`.

    Where names cannot be exchanged: two renames. A kill between them leaves no `folder`, and what it was in
    `aside`. Raises OSError; where the second rename fails, it stays in `aside`.
    """
    if exchange_at_once(new, folder):
        return new
    remove(aside)
    folder.rename(aside)
    new.rename(folder)
    return aside


def exchange_at_once(new: Path, folder: Path) -> bool:
    """Exchange two names in one step; False where the system or the file system cannot. Raises OSError."""
    from ctypes import CDLL, get_errno

    call = getattr(CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(new), _AT_FDCWD, os.fsencode(folder), _RENAME_EXCHANGE) == 0:
        return True
    if get_errno() in _NOT_HERE:
        return False
    raise OSError(get_errno(), os.strerror(get_errno()), str(folder))
