"""Finishing or undoing a change of files: for the writer that failed, and for the next one after a kill."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.bundle.exchange import exchange_at_once
from vlac.errors import RefusedError
from vlac.patching import disk, places
from vlac.patching.journal import EXCHANGING, PREPARING, read_journal
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
    read_record,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vlac.patching.journal import Entry, Journal


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


def write_records(records: Mapping[str, Record]) -> None:
    """Bring the records of trees up to date. Raises OSError."""
    for folder, record in records.items():
        path = home_of(Path(folder)) / RECORD
        if record == read_record(Path(folder)):
            continue  # nothing to write, which a full disk would refuse
        if record:
            disk.write_document(path, {"schema": SCHEMA, "files": as_document(record)})
        else:
            path.unlink(missing_ok=True)


def _settle(journal: Journal) -> None:
    """Finish or undo what was interrupted."""
    try:
        if journal.phase == EXCHANGING:
            _finish_orundo(journal)
        clean(journal)
    except OSError as problem:
        raise RefusedError(
            f"an interrupted change cannot be put right: {problem}",
            hint="the journal stays for the next call",
        ) from problem


def _finish_orundo(journal: Journal) -> None:
    if all(_content(entry) == entry.after for entry in journal.entries):
        write_records(journal.new)
    else:
        undo(journal)


def _still_there(journal: Journal) -> Journal:
    """The part of a journal in trees that still hold it: where it is gone, the change was finished or undone."""
    folders = {folder for folder in journal.new if _holds(Path(folder), journal.id)}
    others = [read_journal(Path(folder)) for folder in folders]
    phase = PREPARING if any(one and one.phase == PREPARING for one in others) else EXCHANGING
    entries = tuple(entry for entry in journal.entries if entry.folder in folders)
    old = {folder: record for folder, record in journal.old.items() if folder in folders}
    new = {folder: record for folder, record in journal.new.items() if folder in folders}
    return replace(journal, phase=phase, entries=entries, old=old, new=new)


def _holds(folder: Path, journal: str) -> bool:
    there = read_journal(folder) if folder.is_dir() else None
    return there is not None and there.id == journal


def undo(journal: Journal) -> None:
    """Give every file its old content; nothing is touched where one of them was edited since."""
    changed = [entry for entry in journal.entries if _content(entry) != entry.before]
    for entry in changed:
        if _content(entry) != entry.after and _was_exchanged(entry, journal.id):
            _edited_since(entry)
    for entry in changed:
        if _content(entry) == entry.after:
            _put_back(entry, journal.id)
    write_records(journal.old)


def _content(entry: Entry) -> str:
    content = places.read(Path(entry.folder), entry.path)
    return digest(content) if content is not None else ""


def _was_exchanged(entry: Entry, journal: str) -> bool:
    """Whether the file once had its new content: what lies beside it now is not the new one."""
    beside = entry.beside(journal)
    return not beside.exists() or digest(beside.read_bytes()) != entry.after


def _edited_since(entry: Entry) -> None:
    saved = home_of(Path(entry.folder)) / ORIGINALS / entry.before
    raise RefusedError(
        f"a change of {entry.target} was interrupted, and the file was edited since",
        hint=f"its content before is {saved}: put it back, or make the file as you want it and remove "
        f"{home_of(Path(entry.folder)) / JOURNAL}",
    )


def _put_back(entry: Entry, journal: str) -> None:
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


def clean(journal: Journal) -> None:
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
