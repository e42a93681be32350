"""The temporary sibling in which a bundle is written before it takes its place.

    .vlac-write-<12 of sha256(name of the folder)>-<8 random>/
        writing   marker; its writer holds a lock (flock) on it for as long as it lives
        new/      the bundle that is being written; after the exchange, the one it replaced
        old/      only where names cannot be exchanged, and only between two renames: the replaced bundle

A writer that was killed leaves such a folder behind, and its lock is gone with it: the next write of the
same folder removes what is left, and puts `old/` back where a kill between the two renames left no bundle. On
a file system without locks nothing is removed: nobody can tell whether the writer is still alive.
"""

from __future__ import annotations

import errno
import os
import re
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW, OLD, _MARKER = "new", "old", "writing"


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """A temporary sibling of `folder`, removed at the end; those of killed writers are removed first.

    Raises OSError where the parent of `folder` cannot be written.
    """
    clean(folder)
    path, marker = _claim(folder)
    try:
        yield path
    finally:
        _discard(path, folder)
        os.close(marker)


def clean(folder: Path) -> None:
    """Remove what killed writers of `folder` left beside it, and put an interrupted exchange right."""
    pattern = re.compile(re.escape(_prefix(folder)) + "[0-9a-f]{8}")
    for entry in list(os.scandir(folder.parent)):
        if pattern.fullmatch(entry.name) and _is_own_folder(entry):
            _clean_one(Path(entry.path), folder)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all it holds; a link is removed, never followed."""
    if path.is_dir() and not path.is_symlink():
        for entry in list(path.iterdir()):
            remove(entry)
        path.rmdir()
        return
    path.unlink(missing_ok=True)


def _prefix(folder: Path) -> str:
    return f".vlac-write-{sha256(os.fsencode(folder.name)).hexdigest()[:12]}-"


def _claim(folder: Path) -> tuple[Path, int]:
    """A new temporary sibling and the open, locked marker in it."""
    for _ in range(100):
        path = folder.parent / f"{_prefix(folder)}{os.urandom(4).hex()}"
        path.mkdir(mode=0o700)
        # A cleaner may take the folder for a leftover until the marker is locked: then take another.
        with suppress(FileNotFoundError):
            marker = os.open(path / _MARKER, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if _hold(marker) is not False and os.fstat(marker).st_nlink:
                return path, marker
            os.close(marker)
    raise OSError(errno.EBUSY, "no temporary folder could be made beside it", str(folder))


def _hold(marker: int) -> bool | None:
    """Lock a marker for this process; False where another holds it, None where there are no locks."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(marker, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    """Whether a folder is one and belongs to this user: nobody else decides what is put back."""
    with suppress(FileNotFoundError):
        owner = entry.stat(follow_symlinks=False).st_uid
        return entry.is_dir(follow_symlinks=False) and owner == os.geteuid()
    return False


def _clean_one(path: Path, folder: Path) -> None:
    try:
        marker = os.open(path / _MARKER, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        # Killed before the marker was there, or after it was gone. A folder that holds something is not ours.
        with suppress(OSError):
            path.rmdir()
        return
    try:
        if _hold(marker):
            _discard(path, folder)
    finally:
        os.close(marker)


def _discard(path: Path, folder: Path) -> None:
    """Remove a temporary sibling, the marker last. What cannot be removed is left to the next write."""
    with suppress(OSError):
        if os.path.lexists(path / OLD) and not os.path.lexists(folder):
            (path / OLD).rename(folder)
        for name in (NEW, OLD, _MARKER):
            remove(path / name)
        path.rmdir()
