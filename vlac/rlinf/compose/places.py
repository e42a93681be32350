"""Which file and line of a composition decided each leaf: the last of its files that writes the key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from vlac.rlinf.templates import Key


@dataclass(frozen=True)
class Part:
    """A file of a composition and the line of each key that it writes, below the package it is put into."""

    file: Path
    lines: Mapping[Key, int]


def read_marks(file: Path, package: Key) -> Part:
    """The keys of a config file, sections and leaves, with their lines."""
    import yaml

    with file.open(encoding="utf-8") as stream:
        node = yaml.compose(stream, Loader=yaml.SafeLoader)
    lines: dict[Key, int] = {}
    _mark(node, package, lines)
    return Part(file, lines)


def _mark(node: object, above: Key, lines: dict[Key, int]) -> None:
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        path = (*above, str(key.value))
        lines[path] = key.start_mark.line + 1
        _mark(value, path, lines)


def places_of(parts: Iterable[Part], tree: Path) -> dict[Key, tuple[str, int]]:
    """File (relative to the tree, if it lies there) and line of each key; the last file wins, as in Hydra."""
    places: dict[Key, tuple[str, int]] = {}
    for part in parts:
        inside = part.file.is_relative_to(tree)
        name = (part.file.relative_to(tree) if inside else part.file).as_posix()
        places.update({key: (name, line) for key, line in part.lines.items()})
    return places
