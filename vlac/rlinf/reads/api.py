"""The questions that can be asked about a tree."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.rlinf.reads import cache
from vlac.rlinf.reads.analysis import follow
from vlac.rlinf.reads.entries import Run, entries_of
from vlac.rlinf.reads.enumerations import enumerations
from vlac.rlinf.reads.known import ABSENT, Known, Setting
from vlac.rlinf.reads.report import from_json, gather, to_json
from vlac.rlinf.reads.tree import EVALUATIONS, PACKAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.rlinf.reads.analysis import Followed
    from vlac.rlinf.reads.entries import Entry
    from vlac.rlinf.reads.report import Reads
    from vlac.rlinf.reads.tree import Tree

_TASK, _MODEL, _BACKEND = (
    ("runner", "task_type"),
    ("actor", "model", "model_type"),
    ("actor", "training_backend"),
)
_EMBODIED, _EVALUATION = "embodied", "embodied_eval"


def read_tree(tree: Tree, run: Run, *, folder: Path | None = None) -> Reads:
    """What a kind of run reads. `folder` is the cache; None keeps nothing.

    Raises RefusedError where the tree has no entry script for such a run.
    """
    known = Known({_TASK: run.task, _MODEL: run.model_type, _BACKEND: run.backend})
    return _read(tree, run, known, folder, "", "")


def read_for(
    tree: Tree, config: Mapping[str, object], *, file: str = "", folder: Path | None = None
) -> Reads:
    """What a run with this composed configuration reads: every test of it is decided, so that `strict` are the keys
    which this very run needs. `file` is the config file as it is called in the tree, if it lies there: the scripts
    beside it are meant. Raises RefusedError as `read_tree`.
    """
    known = Known(config=config)
    run = Run(*(_text(known, path) for path in (_TASK, _MODEL, _BACKEND)))
    if _only_evaluates(tree, known, run):
        run, file = replace(run, task=_EVALUATION), ""
    return _read(tree, run, known, folder, file, json.dumps(config, sort_keys=True, default=str))


def _only_evaluates(tree: Tree, known: Known, run: Run) -> bool:
    """Whether the run is one for the tree's script that evaluates, wherever its config lies."""
    only = known.look_up(("runner", "only_eval"))
    is_asked = run.task == _EMBODIED and isinstance(only, Setting) and only.value is True
    return is_asked and any(file.startswith(f"{EVALUATIONS}/") for file in tree.sources)


def _text(known: Known, path: tuple[str, ...]) -> str:
    found = known.look_up(path)
    return str(found.value) if isinstance(found, Setting) else ""


def _read(tree: Tree, run: Run, known: Known, folder: Path | None, file: str, config: str) -> Reads:
    asked = (run.task, run.model_type, run.backend, file, config)
    key = cache.key_of(tree.content_hash(), *asked) if folder else ""
    kept = cache.load(folder, key, from_json)
    if kept is not None:
        return kept
    followed = [
        (entry, follow(tree, known, entry.module, entry.function)) for entry in entries_of(tree, run, file)
    ]
    chosen = _meant(followed, known)
    words = enumerations(tree)
    reads = gather([f for _, f in chosen], [entry.file for entry, _ in chosen], tree.unread, words)
    cache.store(folder, key, to_json(reads))
    return reads


def _meant(followed: list[tuple[Entry, Followed]], known: Known) -> list[tuple[Entry, Followed]]:
    """The scripts that are made for the run: they need the fewest sections that a configuration has not at all (one
    without `actor` is for none that trains), ask for its task, and refuse the least of it.
    """
    least = min(_absent_sections(one, known) for _, one in followed)
    followed = [pair for pair in followed if _absent_sections(pair[1], known) == least]
    asking = [pair for pair in followed if _TASK in pair[1].log.reads] or followed
    fewest = min((pair[1].ends, len(pair[1].refusals)) for pair in asking)
    return [pair for pair in asking if (pair[1].ends, len(pair[1].refusals)) == fewest]


def _absent_sections(followed: Followed, known: Known) -> int:
    return sum(len(key) == 1 and known.look_up(key) is ABSENT for key in followed.required)


def find_installed() -> Path:
    """The folder on this interpreter's path that holds the package rlinf, found without importing it.

    Raises RefusedError where there is none.
    """
    for entry in map(Path, sys.path):
        if (entry / PACKAGE / "config.py").is_file():
            return entry
    raise RefusedError(
        "no RLinf here: the package rlinf is not installed for this Python",
        hint="give an RLinf checkout with --rlinf PATH",
    )
