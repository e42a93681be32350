"""Put a bundle on disk: the old one or the new one, never a part, whenever the writer is killed.

The files are written and flushed in a temporary sibling (`staging`), which then takes the name of the folder:
by a rename where there was nothing or an empty folder, by an exchange of names where there was a bundle.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.bundle.exchange import exchange
from vlac.bundle.lock import NAME, check_name
from vlac.bundle.staging import NEW, OLD, staging
from vlac.bundle.verify import verify
from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.bundle.verify import Finding

_OCCUPIED = (errno.ENOTEMPTY, errno.EEXIST)
_NAMED = 10  # files that a refusal names


def write(
    files: Mapping[str, bytes], executable: frozenset[str], folder: Path, *, force: bool = False
) -> None:
    """Make `folder` hold exactly `files`, those in `executable` with the x bit.

    A bundle that was edited by hand is replaced only with `force`. Raises RefusedError, and changes nothing,
    for a folder that is no bundle, a link, a file, the working folder, and where the disk refuses.
    """
    for name in files:
        check_name(name)
    if NAME not in files:
        raise ValueError(f"a bundle has a {NAME}")
    place = _absolute(folder)
    _refuse_place(place, folder)
    try:
        _refuse_content(place, folder, force)
        place.parent.mkdir(parents=True, exist_ok=True)
        with staging(place) as temporary:
            _fill(temporary / NEW, files, executable)
            _install(temporary, place, folder, force)
    except OSError as problem:
        raise RefusedError(f"{folder} cannot be written: {problem.strerror or problem}") from problem


def _absolute(folder: Path) -> Path:
    try:
        return Path(os.path.abspath(folder))  # noqa: PTH100  # Path.resolve would follow a link, which is refused
    except FileNotFoundError:
        hint = "change to another folder, or name one with -o from the root: -o /..."
        raise RefusedError(f"{folder} cannot be written: the working folder is gone", hint) from None


def _refuse_content(place: Path, shown: Path, force: bool) -> None:
    """Raise RefusedError where `place` must not be replaced; `shown` is its name for people."""
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise RefusedError(f"{shown} is a symbolic link", hint="name the folder itself")
    if not stat.S_ISDIR(mode):
        raise RefusedError(f"{shown} is a file", hint="name a folder")
    with suppress(FileNotFoundError):  # another writer, between two renames
        if any(place.iterdir()):
            _refuse_folder(place, shown, force)


def _refuse_folder(place: Path, shown: Path, force: bool) -> None:
    edited = _edits(place)
    if edited and edited[0].problem == "no lock":
        hint = "name a new or an empty folder; --force replaces edited bundles, nothing else"
        raise RefusedError(f"{shown} holds something, and is no bundle: {edited[0].detail}", hint)
    if edited and not force:
        named = ", ".join(f"{finding.file!r} {finding.problem}" for finding in edited[:_NAMED])
        more = f", and {len(edited) - _NAMED} more" if len(edited) > _NAMED else ""
        hint = "`--force` replaces it; `vlac verify` shows what differs"
        raise RefusedError(f"{shown} was edited after it was compiled: {named}{more}", hint)


def _edits(place: Path) -> list[Finding]:
    """What differs from the lock; a lost x bit is no work of anybody's, so it is no reason to refuse.

    Raises FileNotFoundError where there is no folder: another writer is between its two renames.
    """
    for _ in range(100):
        findings = verify(place)
        if not findings or findings[0].problem != "no lock":
            break
        place.lstat()
        if not os.path.lexists(place / NAME):
            break
    return [finding for finding in findings if finding.problem != "not executable"]


def _refuse_place(place: Path, shown: Path) -> None:
    """Raise RefusedError for the working folder or one above it: who stands there would lose the ground."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return
    if place.resolve() in (here, *here.parents):
        hint = "a bundle is replaced as a whole, its folder too: start from outside it"
        raise RefusedError(f"{shown} is the working folder, or holds it", hint)


def _fill(new: Path, files: Mapping[str, bytes], executable: frozenset[str]) -> None:
    """Write the files; the umask decides what others may do."""
    new.mkdir()
    for name, content in files.items():
        path = new / name
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o755 if name in executable else 0o644
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as file:  # noqa: PTH123  # a descriptor, opened with its mode
            file.write(content)
    # Flushing all at the end costs the file system one commit instead of one a file.
    for path in (new, *new.rglob("*")):
        _flush(path)


def _install(temporary: Path, place: Path, shown: Path, force: bool) -> None:
    """Give the new bundle its name; what somebody put there meanwhile is looked at before it is removed."""
    replaced = _swap(temporary, place)
    if replaced:
        try:
            _refuse_content(replaced, shown, force)
        except RefusedError:
            exchange(replaced, place, temporary / (OLD if replaced.name == NEW else NEW))
            raise
    # The bundle stands; whether its name outlives a power cut decides between two whole bundles.
    with suppress(OSError):
        _flush(place.parent)


def _swap(temporary: Path, place: Path) -> Path | None:
    """Where what `place` held is now, None where it held nothing. Other writers may come in between."""
    for _ in range(100):
        try:
            (temporary / NEW).rename(place)
            return None
        except OSError as problem:
            if problem.errno not in _OCCUPIED:
                raise
        try:
            return exchange(temporary / NEW, place, temporary / OLD)
        except OSError as problem:
            if problem.errno not in (errno.ENOENT, *_OCCUPIED):
                raise
    raise OSError(errno.EBUSY, "other writers keep it busy", str(place))


def _flush(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno != errno.EINVAL:  # a file system that does not flush folders
            raise
    finally:
        os.close(descriptor)
