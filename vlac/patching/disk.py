"""Writing so that a kill or a power cut leaves the old content or the new one."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_new(path: Path, content: bytes, mode: int = 0o644, owner: tuple[int, int] | None = None) -> None:
    """Write a file that is not there yet, and flush it. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb") as stream:  # noqa: PTH123  # a descriptor, opened exclusively
        stream.write(content)
        stream.flush()
        if owner not in (None, (os.geteuid(), os.getegid())):
            _give(stream.fileno(), owner)
        os.fchmod(stream.fileno(), mode)
        os.fsync(stream.fileno())


def write_document(path: Path, document: Mapping[str, object]) -> None:
    """Put JSON in the place of a file, in one step."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    write_new(new, json.dumps(document, indent=1, sort_keys=True).encode() + b"\n")
    new.replace(path)
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Have the names in a folder written to disk, where the file system does that."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def _give(descriptor: int, owner: tuple[int, int] | None) -> None:
    """Give a file to the owner of the one that it replaces; only root may, and others own what they write."""
    if owner is None:
        return
    try:
        os.fchown(descriptor, *owner)
    except PermissionError:
        return
