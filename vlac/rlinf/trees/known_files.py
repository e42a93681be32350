"""The files of the known versions by their hashes: `known_files.json`, made by `scripts/extract_trees.py`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.rlinf.trees.files import SHORT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.rlinf.trees.files import TreeFiles

_DATA = Path(__file__).parent / "known_files.json"
_ABSENT = "-"


@cache
def known_files() -> Mapping[str, Mapping[str, str]]:
    """For each known version, the beginning of the sha256 of each of its files (`SHORT` digits)."""
    document = json.loads(_DATA.read_text(encoding="utf-8"))
    versions: dict[str, dict[str, str]] = {name: {} for name in document["versions"]}
    for file, text in document["files"].items():
        hashes = text.split()
        for name, digest in zip(versions, hashes * (len(versions) if len(hashes) == 1 else 1), strict=True):
            if digest != _ABSENT:
                versions[name][file] = digest
    return versions


def document_of(trees: Mapping[str, TreeFiles]) -> str:
    """The text of `known_files.json`: a line a file, its hash in each version in turn, or one hash for all."""
    every = sorted({file for files in trees.values() for file in files.hashes})
    rows = {file: [files.hashes.get(file, _ABSENT)[:SHORT] for files in trees.values()] for file in every}
    lines = {
        file: " ".join(dict.fromkeys(row)) if len(set(row)) == 1 else " ".join(row)
        for file, row in rows.items()
    }
    return json.dumps({"versions": list(trees), "files": lines}, indent=0) + "\n"
