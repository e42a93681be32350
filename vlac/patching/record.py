"""What vlac patched in a tree, and what was there before.

.vlac-patch/
    .gitignore        keeps all of it out of git's sight
    lock              held (flock) by whoever changes the tree
    record.json       for each patched file the patch, its content before and after, its mode
    originals/SHA256  the files before, byte for byte
    journal.json      only while files are being changed (`transaction`)
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HOME = ".vlac-patch"
RECORD, JOURNAL, LOCK, ORIGINALS, IGNORE = "record.json", "journal.json", "lock", "originals", ".gitignore"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Recorded:
    """A patched file: by which patch, made for which tree; sha256 of its bytes before and after; its mode before."""

    patch: str
    tree: str
    before: str
    after: str
    mode: int


Record = dict[str, Recorded]
"""Patched files by their path in the tree."""


def digest(content: bytes) -> str:
    """The sha256 of a file's bytes, line endings and all."""
    return sha256(content).hexdigest()


def read_record(folder: Path) -> Record:
    """The record of a tree; empty where there is none. Raises RefusedError for one that cannot be understood."""
    document = read_document(folder, RECORD)
    try:
        return parse_record(document["files"]) if document else {}  # type: ignore[arg-type]  # checked there
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise _broken(folder, RECORD, problem) from problem


def parse_record(files: Mapping[str, object]) -> Record:
    """Give types to a record as JSON holds it. Raises TypeError or ValueError for another shape."""
    record = {path: Recorded(**entry) for path, entry in files.items()}  # type: ignore[arg-type]  # checked below
    for entry in record.values():
        texts = (entry.patch, entry.tree, entry.before, entry.after)
        if not all(isinstance(text, str) for text in texts) or type(entry.mode) is not int:
            raise ValueError("a value has another type than vlac writes")
    return record


def read_document(folder: Path, name: str) -> dict[str, object]:
    """A JSON file of vlac's in a tree; empty where there is none."""
    try:
        data = (home_of(folder) / name).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as problem:
        raise RefusedError(f"{folder / HOME / name} cannot be read: {problem.strerror}") from problem
    try:
        document = json.loads(data)
        if document["schema"] != SCHEMA:
            raise ValueError(f"its schema is {document['schema']!r}, this vlac reads {SCHEMA}")
    except (ValueError, KeyError, TypeError) as problem:
        raise _broken(folder, name, problem) from problem
    return document  # type: ignore[no-any-return]  # a mapping, or the line above raised


def home_of(folder: Path) -> Path:
    """The folder of vlac's files in a tree. Raises RefusedError where it is a link."""
    home = folder / HOME
    if home.is_symlink():
        raise RefusedError(f"{home} is a symbolic link")
    return home


def as_document(record: Record) -> dict[str, object]:
    """A record as JSON holds it."""
    return {path: asdict(entry) for path, entry in sorted(record.items())}


def original(folder: Path, sha: str) -> bytes | None:
    """A file as it was before, by the sha256 of its bytes; None where it is gone or changed."""
    try:
        content = (home_of(folder) / ORIGINALS / sha).read_bytes()
    except OSError:
        return None
    return content if digest(content) == sha else None


def _broken(folder: Path, name: str, problem: Exception) -> RefusedError:
    return RefusedError(
        f"{folder / HOME / name} is none that this vlac can read: {problem}",
        hint="was it written by another version of vlac, or edited? use the vlac that wrote it",
    )
