"""The configs that RLinf ships in a tree, and the one that is nearest to a configuration."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.importing.leaves import differing
from vlac.rlinf.trees.files import SHORT, hash_of
from vlac.rlinf.trees.known_files import known_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vlac.importing.original import Original
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key

_COMPOSED = 3  # as many of those whose texts are most alike are composed and compared by their leaves
_LINE = re.compile(r"^\s*(?:- )?([^#\s].*?)\s*(?:\s#.*)?$")


@dataclass(frozen=True)
class Candidate:
    """A config to start from, and its composition."""

    config: Path
    leaves: Mapping[Key, Value]


def base_of(original: Original, tree: Path) -> Candidate | None:
    """The config of the tree to start from: the file itself if it is as RLinf ships it, else the nearest that is.

    A file of RLinf that was edited where it lies is its own base too. In a tree of which no config is known, every file
    of it counts as shipped. None where the tree has no config that composes.
    """
    configs = sorted(_configs(tree))
    shipped = [config for config in configs if is_shipped(config, tree)] or configs
    if original.file in shipped or (original.file in configs and _is_known(original.file, tree)):
        return Candidate(original.file, original.leaves)
    return _nearest(original, tree, shipped)


def is_shipped(config: Path, tree: Path) -> bool:
    """Whether a known version of RLinf has this file with this content."""
    name = config.relative_to(tree).as_posix()
    digest = hash_of(config.read_bytes())[:SHORT]
    return any(files.get(name) == digest for files in known_files().values())


def _is_known(config: Path, tree: Path) -> bool:
    """Whether a known version of RLinf has a file of this name there, whatever is in it."""
    name = config.relative_to(tree).as_posix()
    return any(name in files for files in known_files().values())


def _configs(tree: Path) -> Iterator[Path]:
    """The configs that start a run: RLinf keeps them in folders called config, their groups in folders below."""
    for folder in (tree / "examples").rglob("config"):
        yield from (file for file in folder.glob("*.yaml") if file.is_file())


def _nearest(original: Original, tree: Path, shipped: list[Path]) -> Candidate | None:
    alike = sorted(shipped, key=lambda config: _likeness(original, config), reverse=True)[:_COMPOSED]
    composed = [
        Candidate(config, leaves) for config in alike if (leaves := _leaves(config, tree)) is not None
    ]
    return min(composed, key=lambda one: len(differing(one.leaves, original.leaves)), default=None)


def _leaves(config: Path, tree: Path) -> Mapping[Key, Value] | None:
    from vlac.rlinf.compose import ComposeError, compose

    try:
        return compose(config, tree).values
    except ComposeError:
        return None


def _likeness(original: Original, config: Path) -> tuple[float, bool]:
    """The share of lines that two texts have in common, comments and indentation aside; then the same name."""
    mine, theirs = _lines(original.text), _lines(config.read_text("utf-8", "replace"))
    common = sum((mine & theirs).values())
    return 2 * common / (sum(mine.values()) + sum(theirs.values()) or 1), config.name == original.file.name


def _lines(text: str) -> Counter[str]:
    return Counter(
        match[1].replace('"', "").replace("'", "") for match in map(_LINE.match, text.splitlines()) if match
    )
