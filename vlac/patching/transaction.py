"""Replacing files of one or more trees: all of them or none.

The journal is written to every tree first and says `preparing`; then the new files are written beside the old ones and
the old ones saved. With all of it on disk the journal says `exchanging`, and the names are exchanged one by one. At
the end come the records, and the journal goes.

Whoever is next finds the journal of one that was killed. Preparing: what it wrote is removed, nothing else was changed.
Exchanging: where every file is new the records are brought up to date, else every file gets its old content back. So
between two calls the files may be mixed, but never in a way that the next call does not put right.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.bundle.exchange import exchange_at_once
from vlac.errors import RefusedError
from vlac.patching import disk, places
from vlac.patching.record import (
    JOURNAL,
    ORIGINALS,
    RECORD,
    SCHEMA,
    Record,
    as_document,
    digest,
    home_of,
    original,
    parse_record,
    read_document,
    read_record,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PREPARING, _EXCHANGING = "preparing", "exchanging"


@dataclass(frozen=True, slots=True)
class Replacement:
    """A file that gets another content and mode."""

    folder: Path
    path: str
    before: bytes
    after: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """A replacement as the journal keeps it: sha256 of the bytes before and after, and the modes."""

    folder: str
    path: str
    before: str
    after: str
    old_mode: int
    new_mode: int
    number: int

    @property
    def target(self) -> Path:
        return Path(self.folder) / self.path

    def beside(self, journal: str, kind: str = "new") -> Path:
        """Where the other content lies: the new one, and after the exchange the old one."""
        return self.target.with_name(f".vlac-patch-{journal}-{self.number}.{kind}")


@dataclass(frozen=True)
class _Journal:
    id: str
    phase: str
    entries: tuple[_Entry, ...]
    old: Mapping[str, Record]
    new: Mapping[str, Record]

    def write(self, phase: str) -> None:
        """Put it into every tree."""
        document = {
            "schema": SCHEMA,
            "id": self.id,
            "phase": phase,
            "files": [asdict(entry) for entry in self.entries],
            "old": {folder: as_document(record) for folder, record in self.old.items()},
            "new": {folder: as_document(record) for folder, record in self.new.items()},
        }
        for folder in self.new:
            disk.write_document(home_of(Path(folder)) / JOURNAL, document)


def carry_out(replacements: Sequence[Replacement], records: Mapping[Path, Record]) -> None:
    """Replace the files and write the records of their trees. The locks of all trees are held by the caller.

    Raises RefusedError, with every file as it was, where the disk refuses or somebody edits a file at this moment.
    """
    journal = _new_journal(replacements, records)
    try:
        journal.write(_PREPARING)
        _prepare(journal, replacements)
        journal.write(_EXCHANGING)
        for entry in journal.entries:
            _exchange(entry, journal.id)
        _write_records(journal.new)
    except OSError as problem:
        _take_back(journal, problem)
        reason = problem.strerror or str(problem)
        raise RefusedError(
            f"{_about(problem, replacements)}: {reason}", hint="nothing was changed"
        ) from problem
    except RefusedError as problem:
        _take_back(journal, problem)
        raise
    with suppress(OSError, RefusedError):  # the change stands; what is left over the next call removes
        _clean(journal)


def recover(folders: Sequence[Path]) -> None:
    """Put right what a killed writer left in trees whose locks are held.

    Raises RefusedError where a file was edited since, naming it.
    """
    found = [journal for folder in folders if (journal := read_journal(folder))]
    for journal in {one.id: one for one in found}.values():
        _settle(_still_there(journal))
    try:
        for folder in folders:
            _remove_unfinished(folder)
    except OSError as problem:
        raise RefusedError(f"{problem.filename} cannot be removed: {problem.strerror}") from problem


def is_unsettled(folder: Path) -> bool:
    """Whether a killed writer left something in a tree: a journal, a part of one, or a folder without a record."""
    home = home_of(folder)
    if read_journal(folder) is not None or (home / f"{JOURNAL}.new").exists():
        return True
    return home.exists() and not (home / RECORD).exists()


def trees_of(folder: Path) -> tuple[Path, ...]:
    """The trees that an interrupted writer of this one was changing; none where nobody was interrupted."""
    journal = read_journal(folder)
    return tuple(Path(tree) for tree in journal.new) if journal else ()


def read_journal(folder: Path) -> _Journal | None:
    """The journal that a killed writer left in a tree."""
    document = read_document(folder, JOURNAL)
    if not document:
        return None
    try:
        return _Journal(
            id=str(document["id"]),
            phase=str(document["phase"]),
            entries=tuple(_Entry(**entry) for entry in document["files"]),  # type: ignore[attr-defined]  # a list
            old={folder: parse_record(files) for folder, files in document["old"].items()},  # type: ignore[attr-defined]  # a mapping
            new={folder: parse_record(files) for folder, files in document["new"].items()},  # type: ignore[attr-defined]  # a mapping
        )
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise RefusedError(f"{home_of(folder) / JOURNAL} is no journal of vlac: {problem}") from problem


def _new_journal(replacements: Sequence[Replacement], records: Mapping[Path, Record]) -> _Journal:
    entries = tuple(
        _Entry(
            str(one.folder),
            one.path,
            digest(one.before),
            digest(one.after),
            places.mode(one.folder, one.path),
            one.mode,
            number,
        )
        for number, one in enumerate(replacements)
    )
    return _Journal(
        id=os.urandom(6).hex(),
        phase=_PREPARING,
        entries=entries,
        old={str(folder): read_record(folder) for folder in records},
        new={str(folder): record for folder, record in records.items()},
    )


def _prepare(journal: _Journal, replacements: Sequence[Replacement]) -> None:
    """Save the old files and write the new ones, all flushed; no file of a tree is touched."""
    for entry, one in zip(journal.entries, replacements, strict=True):
        saved = home_of(one.folder) / ORIGINALS
        saved.mkdir(exist_ok=True)
        if original(one.folder, entry.before) is None:
            (saved / entry.before).unlink(missing_ok=True)
            disk.write_new(saved / entry.before, one.before)
        status = entry.target.lstat()
        disk.write_new(entry.beside(journal.id), one.after, one.mode, (status.st_uid, status.st_gid))
        disk.flush_folder(saved)
        disk.flush_folder(entry.target.parent)


def _exchange(entry: _Entry, journal: str) -> None:
    """Give the new file its name, and look at what had it: somebody may have edited it just now."""
    beside = entry.beside(journal)
    if not exchange_at_once(beside, entry.target):
        _unedited(entry, entry.target)
        beside.replace(entry.target)
    elif digest(beside.read_bytes()) != entry.before:
        exchange_at_once(beside, entry.target)
        _unedited(entry, entry.target)
    disk.flush_folder(entry.target.parent)


def _unedited(entry: _Entry, path: Path) -> None:
    if digest(path.read_bytes()) != entry.before:
        raise RefusedError(f"{entry.target} was edited just now", hint="nothing was changed: try again")


def _write_records(records: Mapping[str, Record]) -> None:
    for folder, record in records.items():
        path = home_of(Path(folder)) / RECORD
        if record == read_record(Path(folder)):
            continue  # nothing to write, which a full disk would refuse
        if record:
            disk.write_document(path, {"schema": SCHEMA, "files": as_document(record)})
        else:
            path.unlink(missing_ok=True)


def _take_back(journal: _Journal, problem: Exception) -> None:
    """Undo in the process that failed; what the disk refuses now is left to the next call, with the journal."""
    try:
        _undo(journal)
        _clean(journal)
    except (OSError, RefusedError) as another:
        raise RefusedError(
            f"{problem}; and it could not be undone: {another}",
            hint="the journal stays: with room and rights to write, the next `vlac patch` puts it right",
        ) from another


def _settle(journal: _Journal) -> None:
    """Finish or undo what was interrupted."""
    try:
        if journal.phase == _EXCHANGING:
            _finish_or_undo(journal)
        _clean(journal)
    except OSError as problem:
        raise RefusedError(
            f"an interrupted change cannot be put right: {problem}",
            hint="the journal stays for the next call",
        ) from problem


def _finish_or_undo(journal: _Journal) -> None:
    if all(_content(entry) == entry.after for entry in journal.entries):
        _write_records(journal.new)
    else:
        _undo(journal)


def _still_there(journal: _Journal) -> _Journal:
    """The part of a journal in trees that still hold it: where it is gone, the change was finished or undone."""
    folders = {folder for folder in journal.new if _holds(Path(folder), journal.id)}
    others = [read_journal(Path(folder)) for folder in folders]
    phase = _PREPARING if any(one and one.phase == _PREPARING for one in others) else _EXCHANGING
    entries = tuple(entry for entry in journal.entries if entry.folder in folders)
    old = {folder: record for folder, record in journal.old.items() if folder in folders}
    new = {folder: record for folder, record in journal.new.items() if folder in folders}
    return _Journal(journal.id, phase, entries, old, new)


def _holds(folder: Path, journal: str) -> bool:
    there = read_journal(folder) if folder.is_dir() else None
    return there is not None and there.id == journal


def _undo(journal: _Journal) -> None:
    """Give every file its old content; nothing is touched where one of them was edited since."""
    changed = [entry for entry in journal.entries if _content(entry) != entry.before]
    for entry in changed:
        if _content(entry) != entry.after and _was_exchanged(entry, journal.id):
            _edited_since(entry)
    for entry in changed:
        if _content(entry) == entry.after:
            _put_back(entry, journal.id)
    _write_records(journal.old)


def _content(entry: _Entry) -> str:
    content = places.read(Path(entry.folder), entry.path)
    return digest(content) if content is not None else ""


def _was_exchanged(entry: _Entry, journal: str) -> bool:
    """Whether the file once had its new content: what lies beside it now is not the new one."""
    beside = entry.beside(journal)
    return not beside.exists() or digest(beside.read_bytes()) != entry.after


def _edited_since(entry: _Entry) -> None:
    saved = home_of(Path(entry.folder)) / ORIGINALS / entry.before
    raise RefusedError(
        f"a change of {entry.target} was interrupted, and the file was edited since",
        hint=f"its content before is {saved}: put it back, or make the file as you want it and remove "
        f"{home_of(Path(entry.folder)) / JOURNAL}",
    )


def _put_back(entry: _Entry, journal: str) -> None:
    """The old file itself where it still lies beside; else its saved content."""
    beside = entry.beside(journal)
    if (
        beside.exists()
        and digest(beside.read_bytes()) == entry.before
        and exchange_at_once(beside, entry.target)
    ):
        return
    content = original(Path(entry.folder), entry.before)
    if content is None:
        raise RefusedError(f"the saved content of {entry.target} is gone")
    again = entry.beside(journal, "old")
    again.unlink(missing_ok=True)
    disk.write_new(again, content, entry.old_mode)
    again.replace(entry.target)


def _clean(journal: _Journal) -> None:
    """Remove what the change left beside the files, contents that no record needs, and last the journal."""
    for entry in journal.entries:
        for kind in ("new", "old"):
            with suppress(FileNotFoundError):
                entry.beside(journal.id, kind).unlink()
    for folder in map(Path, journal.new):
        _clean_originals(folder)
        _remove_unfinished(folder)
        (home_of(folder) / JOURNAL).unlink(missing_ok=True)
        disk.flush_folder(home_of(folder))


def _remove_unfinished(folder: Path) -> None:
    for name in (JOURNAL, RECORD):
        (home_of(folder) / f"{name}.new").unlink(missing_ok=True)


def _clean_originals(folder: Path) -> None:
    saved = home_of(folder) / ORIGINALS
    needed = {recorded.before for recorded in read_record(folder).values()}
    for path in saved.iterdir() if saved.is_dir() else ():
        if path.name not in needed:
            path.unlink()


def _about(problem: OSError, replacements: Sequence[Replacement]) -> str:
    folder = Path(problem.filename or replacements[0].folder).parent
    return f"the files in {folder} cannot be changed"
