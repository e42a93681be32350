"""The journal of a change that is being made: in every tree that it touches, until it is finished or undone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.patching import disk
from vlac.patching.record import (
    JOURNAL,
    RECORD,
    SCHEMA,
    Record,
    as_document,
    home_of,
    parse_record,
    read_document,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

PREPARING, EXCHANGING = "preparing", "exchanging"


@dataclass(frozen=True, slots=True)
class Entry:
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
        """The file itself."""
        return Path(self.folder) / self.path

    def beside(self, journal: str, kind: str = "new") -> Path:
        """Where the other content lies: the new one, and after the exchange the old one."""
        return self.target.with_name(f".vlac-patch-{journal}-{self.number}.{kind}")


@dataclass(frozen=True)
class Journal:
    """What is to be replaced in which trees, how far it is, and the records before and after."""

    id: str
    phase: str
    entries: tuple[Entry, ...]
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


def read_journal(folder: Path) -> Journal | None:
    """The journal that a killed writer left in a tree."""
    document = read_document(folder, JOURNAL)
    if not document:
        return None
    try:
        return Journal(
            id=str(document["id"]),
            phase=str(document["phase"]),
            entries=tuple(Entry(**entry) for entry in document["files"]),  # type: ignore[attr-defined]  # a list
            old={folder: parse_record(files) for folder, files in document["old"].items()},  # type: ignore[attr-defined]  # a mapping
            new={folder: parse_record(files) for folder, files in document["new"].items()},  # type: ignore[attr-defined]  # a mapping
        )
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise RefusedError(f"{home_of(folder) / JOURNAL} is no journal of vlac: {problem}") from problem


def trees_of(folder: Path) -> tuple[Path, ...]:
    """The trees that an interrupted writer of this one was changing; none where nobody was interrupted."""
    journal = read_journal(folder)
    return tuple(Path(tree) for tree in journal.new) if journal else ()


def is_unsettled(folder: Path) -> bool:
    """Whether a killed writer left something in a tree: a journal, a part of one, or a folder without a record."""
    home = home_of(folder)
    if read_journal(folder) is not None or (home / f"{JOURNAL}.new").exists():
        return True
    return home.exists() and not (home / RECORD).exists()
