"""How much of what RLinf reads at run time the static reader finds, how often it cries wolf, and how long it takes.

    python benchmarks/reads.py [--rlinf VERSION=CHECKOUT ...] [--trace FILE] [--configs DIR] [--history REPOSITORY]

Trace: JSON with `strict` and `default`, each a mapping of keys to places, as a run of RLinf 0.3 read them. Configs:
a folder with `VERSION/composed/examples/sft/config/*.json`, compositions of the configs that RLinf ships and that run.
Both default to a corpus of RLinf files beside the checkout of vlac, checkouts to `$VLAC_TEST_RLINF`.
A config is reported as missing a key where it lacks one that the reader calls strict; since it runs, that is wrong.
History: a clone of RLinf (`$VLAC_TEST_RLINF_REPOSITORY`), from which commits are taken that nothing was tuned to.
Exit 1 where a bar is missed, 2 where nothing is at hand to measure.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlac.rlinf.compose import compose
from vlac.rlinf.reads import Reads, Run, Tree, read_for, read_tree
from vlac.rlinf.trees import recognise

if TYPE_CHECKING:
    from collections.abc import Mapping

FOUND_BAR, WRONG_BAR, COLD_BAR, CACHED_BAR, RECOGNISED_BAR = 0.95, 0.02, 3.0, 0.3, 0.3
SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "rlinf"
SFT = Path("examples/sft/config")
CHECKOUTS = {"v0.3": "rlinf-v0.3", "main": "rlinf-a3816b596"}
# A release and three commits of main: before v0.3, between the known ones, and after the last move of modules.
UNSEEN = ("v0.2", "955fa6390", "2005d3959", "d3aff547c")
TRACED = ("v0.3", Run("sft", "openpi", "fsdp"))


def main() -> int:
    """Measure and print the table; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rlinf", action="append", default=[], metavar="VERSION=CHECKOUT")
    parser.add_argument("--trace", type=Path, default=SHARED / "v0.3" / "config-reads.json")
    parser.add_argument("--configs", type=Path, default=SHARED)
    parser.add_argument("--history", default=os.environ.get("VLAC_TEST_RLINF_REPOSITORY", ""))
    arguments = parser.parse_args()
    trees = _trees(arguments.rlinf)
    if not trees:
        print("no checkout: give --rlinf VERSION=CHECKOUT, or set VLAC_TEST_RLINF", file=sys.stderr)
        return 2
    kept = []
    if TRACED[0] in trees and arguments.trace.is_file():
        kept += _trace(trees[TRACED[0]], json.loads(arguments.trace.read_text(encoding="utf-8")))
    for version, root in trees.items():
        folder = arguments.configs / version / "composed" / "examples" / "sft" / "config"
        if folder.is_dir():
            kept += _configs(version, root, folder)
        kept += _times(version, root)
    if arguments.history:
        kept += _unseen(arguments.history)
    return 0 if all(kept) else 1


def _trees(given: list[str]) -> dict[str, Path]:
    if given:
        return {name: Path(path) for name, _, path in (text.partition("=") for text in given)}
    folder = os.environ.get("VLAC_TEST_RLINF", "")
    found = {version: Path(folder) / name for version, name in CHECKOUTS.items() if folder}
    return {version: path for version, path in found.items() if path.is_dir()}


def _trace(root: Path, trace: Mapping[str, Any]) -> list[bool]:
    """The share of the traced keys that the reader finds, and the kinds it gives the strict ones."""
    reads = read_tree(Tree(root), TRACED[1])
    kinds: dict[str, set[str]] = {}
    for read in reads.reads:
        kinds.setdefault(read.name, set()).add(read.kind)
    strict = list(trace["strict"])
    found = [key for key in strict if key in kinds]
    for kind in ("strict", "written", "guarded"):
        share = sum(kind in kinds[key] for key in found) / len(strict)
        _row(f"of the strict keys traced in {TRACED[0]}, {kind} for the reader", f"{share:.1%}")
    lenient = [key for key in trace["default"] if key in kinds]
    _row("keys traced with a default, found", f"{len(lenient)}/{len(trace['default'])}")
    missed = [key for key in strict if key not in kinds]
    title = f"strict keys traced in {TRACED[0]}, found ({len(found)}/{len(strict)}; not: {', '.join(missed)})"
    return [_bar(title, len(found) / len(strict), FOUND_BAR, least=True)]


def _configs(version: str, root: Path, folder: Path) -> list[bool]:
    """The share of shipped SFT configs that are said to lack a key, asked by kind of run and asked one by one."""
    tree = Tree(root)
    by_run: dict[Run, Reads] = {}
    wrong: dict[str, list[str]] = {"kind of run": [], "config": []}
    files = sorted(folder.glob("*.json"))
    for file in files:
        config = json.loads(file.read_text(encoding="utf-8"))
        run = Run("sft", config["actor"]["model"]["model_type"], config["actor"]["training_backend"])
        if run not in by_run:
            by_run[run] = read_tree(tree, run)
        for asked, reads in (("kind of run", by_run[run]), ("config", read_for(tree, config))):
            missing = [read.name for read in reads.missing(config)]
            if missing:
                wrong[asked].append(f"{file.stem}: {', '.join(missing)}")
    for line in (line for lines in wrong.values() for line in lines):
        print(f"  {line}")
    return [
        _bar(
            f"SFT configs of {version} said to lack a key ({len(lines)}/{len(files)}), asked by {asked}",
            len(lines) / len(files),
            WRONG_BAR,
        )
        for asked, lines in wrong.items()
    ]


def _times(version: str, root: Path) -> list[bool]:
    with tempfile.TemporaryDirectory() as folder:
        cold = _time(root, Path(folder))
        cached = min(_time(root, Path(folder)) for _ in range(3))
    return [
        _bar(f"seconds for {version}, cold", cold, COLD_BAR),
        _bar(f"seconds for {version}, cached", cached, CACHED_BAR),
        _bar(f"seconds to recognise {version}", min(_recognise(root) for _ in range(3)), RECOGNISED_BAR),
    ]


def _time(root: Path, folder: Path) -> float:
    start = time.perf_counter()
    read_tree(Tree(root), TRACED[1], folder=folder)
    return time.perf_counter() - start


def _recognise(root: Path) -> float:
    start = time.perf_counter()
    recognise(root)
    return time.perf_counter() - start


def _unseen(history: str) -> list[bool]:
    """The share of the SFT configs that lack a key, in trees that neither tables nor reader were made for."""
    wrong, count = [], 0
    for commit in UNSEEN:
        with tempfile.TemporaryDirectory() as folder:
            tree = _unpacked(history, commit, Path(folder))
            found = {file: _lacks(tree, file) for file in sorted((tree / SFT).glob("*.yaml"))}
            wrong += [f"{commit} {file.stem}: {', '.join(keys)}" for file, keys in found.items() if keys]
            count += len(found)
    for line in wrong:
        print(f"  {line}")
    title = f"SFT configs of {len(UNSEEN)} trees without tables said to lack a key ({len(wrong)}/{count})"
    return [_bar(title, len(wrong) / count, WRONG_BAR)]


def _unpacked(history: str, commit: str, folder: Path) -> Path:
    command = ["git", "-C", history, "archive", commit, "rlinf", "examples"]
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed, check=True)
    return folder


def _lacks(tree: Path, file: Path) -> list[str]:
    config = compose(file, tree).nested()
    reads = read_for(Tree(tree), config, file=file.relative_to(tree).as_posix())
    return [read.name for read in reads.missing(config)]


def _row(title: str, value: str) -> None:
    print(f"{title:90}{value:>8}")


def _bar(title: str, value: float, limit: float, *, least: bool = False) -> bool:
    kept = value >= limit if least else value <= limit
    print(f"{title:90}{value:8.3f}  bar {limit:g}  {'kept' if kept else 'MISSED'}")
    return kept


if __name__ == "__main__":
    import gc

    gc.disable()  # as the command does
    sys.exit(main())
