"""One writer a tree: a lock on a file in `.vlac-patch/`, made for it and removed when nothing is left in it."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.patching.record import HOME, IGNORE, JOURNAL, LOCK, ORIGINALS, RECORD, home_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PATIENCE = 30.0
"""Seconds to wait for another writer; an apply takes milliseconds."""
_PAUSE = 0.02


@contextmanager
def holding(folders: Iterable[Path]) -> Iterator[None]:
    """Hold the locks of trees, always in the same order. Raises RefusedError where one cannot be had."""
    with ExitStack() as stack:
        for folder in sorted(set(folders)):
            stack.enter_context(_holding_one(folder))
        yield


@contextmanager
def _holding_one(folder: Path) -> Iterator[None]:
    deadline = time.monotonic() + PATIENCE
    try:
        descriptor = _lock(folder, deadline)
    except OSError as problem:
        raise RefusedError(
            f"{folder} cannot be written: {problem.strerror or problem}",
            hint="nothing was changed; a patched copy of the tree does as well, named by rlinf.path",
        ) from problem
    try:
        yield
    finally:
        with suppress(OSError):
            _tidy(folder)
        os.close(descriptor)


def _lock(folder: Path, deadline: float) -> int:
    """The open, locked file. Another writer may remove it at its end; then a new one is made."""
    while True:
        home = home_of(folder)
        home.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            descriptor = os.open(home / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
            _hold(descriptor, folder, deadline)
            if os.fstat(descriptor).st_nlink:
                _ignore(home)
                return descriptor
            os.close(descriptor)


def _hold(descriptor: int, folder: Path, deadline: float) -> None:
    """Wait for the lock. Raises RefusedError, with the file closed, where it cannot be had."""
    while not _try(descriptor, folder):
        if time.monotonic() > deadline:
            os.close(descriptor)
            raise RefusedError(
                f"another vlac patch has been working on {folder} for {PATIENCE:.0f} seconds",
                hint=f"the process that holds {folder / HOME / LOCK} is in the way",
            )
        time.sleep(_PAUSE)


def _try(descriptor: int, folder: Path) -> bool:
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as problem:
        os.close(descriptor)
        raise RefusedError(
            f"the file system of {folder} has no locks ({problem.strerror}): another writer would not be seen",
            hint="compile the spec and apply rlinf.patch of the bundle with `git apply`",
        ) from problem
    return True


def _ignore(home: Path) -> None:
    """Keep vlac's files out of `git status` of a checkout."""
    if not (home / IGNORE).exists():
        (home / IGNORE).write_bytes(b"*\n")


def _tidy(folder: Path) -> None:
    """Remove vlac's folder where the tree is as it was before. The lock is still held, and goes with it."""
    home = home_of(folder)
    if any((home / name).exists() for name in (RECORD, JOURNAL)):
        return
    with suppress(FileNotFoundError):
        (home / ORIGINALS).rmdir()  # OSError where it holds something: then all stays
    (home / IGNORE).unlink(missing_ok=True)
    (home / LOCK).unlink(missing_ok=True)
    home.rmdir()
