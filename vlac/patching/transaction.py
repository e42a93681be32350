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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.bundle.exchange import exchange_at_once
from vlac.errors import RefusedError
from vlac.patching import disk, places
from vlac.patching.journal import EXCHANGING, PREPARING, Entry, Journal
from vlac.patching.record import ORIGINALS, Record, digest, home_of, original, read_record
from vlac.patching.recovery import clean, undo, write_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Replacement:
    """A file that gets another content and mode."""

    folder: Path
    path: str
    before: bytes
    after: bytes
    mode: int


def carry_out(replacements: Sequence[Replacement], records: Mapping[Path, Record]) -> None:
    """Replace the files and write the records of their trees. The locks of all trees are held by the caller.

    Raises RefusedError, with every file as it was, where the disk refuses or somebody edits a file at this moment.
    """
    journal = _new_journal(replacements, records)
    try:
        journal.write(PREPARING)
        _prepare(journal, replacements)
        journal.write(EXCHANGING)
        for entry in journal.entries:
            _exchange(entry, journal.id)
        write_records(journal.new)
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
        clean(journal)


def _new_journal(replacements: Sequence[Replacement], records: Mapping[Path, Record]) -> Journal:
    entries = tuple(
        Entry(
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
    return Journal(
        id=os.urandom(6).hex(),
        phase=PREPARING,
        entries=entries,
        old={str(folder): read_record(folder) for folder in records},
        new={str(folder): record for folder, record in records.items()},
    )


def _prepare(journal: Journal, replacements: Sequence[Replacement]) -> None:
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


def _exchange(entry: Entry, journal: str) -> None:
    """Give the new file its name, and look at what had it: somebody may have edited it just now."""
    beside = entry.beside(journal)
    if not exchange_at_once(beside, entry.target):
        _unedited(entry, entry.target)
        beside.replace(entry.target)
    elif digest(beside.read_bytes()) != entry.before:
        exchange_at_once(beside, entry.target)
        _unedited(entry, entry.target)
    disk.flush_folder(entry.target.parent)


def _unedited(entry: Entry, path: Path) -> None:
    if digest(path.read_bytes()) != entry.before:
        raise RefusedError(f"{entry.target} was edited just now", hint="nothing was changed: try again")


def _take_back(journal: Journal, problem: Exception) -> None:
    """Undo in the process that failed; what the disk refuses now is left to the next call, with the journal."""
    try:
        undo(journal)
        clean(journal)
    except (OSError, RefusedError) as another:
        raise RefusedError(
            f"{problem}; and it could not be undone: {another}",
            hint="the journal stays: with room and rights to write, the next `vlac patch` puts it right",
        ) from another


def _about(problem: OSError, replacements: Sequence[Replacement]) -> str:
    folder = Path(problem.filename or replacements[0].folder).parent
    return f"the files in {folder} cannot be changed"
