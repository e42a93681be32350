"""What the code of the known versions reads, as data: `version_reads.json`, made by `scripts/extract_trees.py`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlac.errors import RefusedError
from vlac.rlinf.reads import Run
from vlac.rlinf.trees.key_reads import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.rlinf.trees.key_reads import KeyReads
    from vlac.rlinf.versions import Version

_DATA = Path(__file__).parent / "version_reads.json"
RUNS = (Run("sft", "openpi", "fsdp"), Run("sft", "vlac_demo", "fsdp"))
"""The kinds of run that are kept: those that the families of a spec are."""


def version_reads(version: Version, run: Run) -> KeyReads:
    """What a known version reads for a kind of run. Raises RefusedError where that is not kept."""
    row = _document().get(_name(run))
    if row is None:
        kept = ", ".join(_name(run) for run in RUNS)
        raise RefusedError(
            f"vlac keeps what RLinf {version.name} reads for {kept}, not for {_name(run)}",
            hint="give a checkout of that version instead: --against PATH",
        )
    return from_json(row[version.name])


def document_of(reads: Mapping[Run, Mapping[str, KeyReads]]) -> str:
    """The text of `version_reads.json`."""
    rows = {
        _name(run): {name: to_json(found) for name, found in by_name.items()}
        for run, by_name in reads.items()
    }
    return json.dumps(rows, indent=None, separators=(",", ":")).replace("],[[", "],\n[[") + "\n"


def _name(run: Run) -> str:
    return f"{run.task}/{run.model_type}/{run.backend}"


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(_DATA.read_text(encoding="utf-8"))
    return document
