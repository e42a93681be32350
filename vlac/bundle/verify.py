"""Whether a bundle is as it was compiled."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vlac.bundle import lock as locks
from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.bundle.lock import Lock, LockedFile

Problem = Literal["no lock", "changed", "missing", "extra", "not executable"]

_CACHE = "__pycache__"  # Python's own, made by a run that starts in the bundle


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a bundle is not as compiled. `file` is relative to its folder."""

    file: str
    problem: Problem
    detail: str


def verify(folder: Path) -> tuple[Finding, ...]:
    """What differs between a folder and its lock, by file name; empty where it is as compiled.

    Python's caches in `bootstrap/` count as nothing. A bundle that is replaced while it is read is read again.
    """
    findings: tuple[Finding, ...] = ()
    for _ in range(100):
        before = _identity(folder)
        findings = _look(folder)
        if not findings or _identity(folder) == before:
            break
    return findings


def read_lock(folder: Path) -> Lock:
    """The lock of a bundle. Raises RefusedError where the folder is no bundle."""
    path = folder / locks.NAME
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise RefusedError(f"{locks.NAME} is no regular file")
        return locks.read(path.read_bytes())
    except OSError as problem:
        raise RefusedError(f"{locks.NAME} cannot be read: {problem.strerror}") from problem


def _identity(folder: Path) -> tuple[int, ...] | None:
    """What changes when another folder takes the name of this one."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_ctime_ns)


def _look(folder: Path) -> tuple[Finding, ...]:
    try:
        lock = read_lock(folder)
    except RefusedError as problem:
        return (Finding(locks.NAME, "no lock", problem.message),)
    return _compare(folder, lock)


def _compare(folder: Path, lock: Lock) -> tuple[Finding, ...]:
    """What differs between a folder and the lock in it, by file name."""
    findings = [] if lock.intact else [Finding(locks.NAME, "changed", "edited after the compile")]
    for name, locked in lock.files.items():
        findings += _differences(folder, name, locked)
    known = {locks.NAME, *lock.files}
    extra = (name for name in _names(folder) if name not in known)
    findings += [Finding(name, "extra", "the compile did not write it") for name in extra]
    return tuple(sorted(findings, key=lambda finding: (finding.file, finding.problem)))


def _differences(folder: Path, name: str, locked: LockedFile) -> Iterator[Finding]:
    path = folder / name
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            yield Finding(name, "changed", "no longer a regular file")
            return
        digest = locks.sha256(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        yield Finding(name, "missing", "the compile wrote it")
        return
    except OSError as problem:
        yield Finding(name, "changed", f"cannot be read: {problem.strerror}")
        return
    if digest != locked.sha256:
        yield Finding(name, "changed", f"sha256 {digest[:12]}, compiled as {locked.sha256[:12]}")
    if locked.executable and not mode & stat.S_IXUSR:
        yield Finding(name, "not executable", "compiled as an executable file")


def _names(folder: Path, prefix: str = "") -> Iterator[str]:
    """Every file below a folder; a folder that is empty or closed to us goes by its own name."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        entries = []
    if prefix and not entries:
        yield prefix
    for entry in entries:
        name = f"{prefix}{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            yield name
        elif not (entry.name == _CACHE and prefix.startswith("bootstrap/")):
            yield from _names(Path(entry.path), f"{name}/")
