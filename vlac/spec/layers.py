"""Layers of a spec laid over each other: parents, the spec, --backend, --set. The last writing holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.spec.fields import BY_PATH, SECTIONS
from vlac.spec.source import MappingNode, ScalarNode, is_null
from vlac.spec.types import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.spec.fields import Field
    from vlac.spec.source import AnyNode

Path = tuple[str, ...]


@dataclass(slots=True)
class Leaf:
    """One writing: of a field, of an entry of a free mapping, or of something that is no field at all.

    `field` is None for an unknown key and for a section that holds no mapping.
    """

    path: Path
    key: ScalarNode
    value: AnyNode
    field: Field | None = None

    @property
    def dotted(self) -> str:
        """The path as the user reads it."""
        return ".".join(self.path)

    @property
    def is_entry(self) -> bool:
        """Whether this is one entry of a free mapping."""
        return self.field is not None and self.dotted != self.field.path


@dataclass(slots=True)
class Layers:
    """What holds, by path, and every writing of each field, lowest precedence first.

    `sections` keeps the key of each section that somebody wrote: the place to add something to it.
    """

    leaves: dict[Path, Leaf] = field(default_factory=dict)
    writings: dict[str, list[Leaf]] = field(default_factory=dict)
    sections: dict[str, ScalarNode] = field(default_factory=dict)

    def add(self, root: MappingNode, *, inherited: bool = False, forgets: bool = False) -> None:
        """Lay a mapping over what is there.

        With `inherited`, `vlac` and `name` are left out. With `forgets`, null takes away what is below.
        """
        for leaf in self._leaves_of(root, ()):
            if inherited and leaf.path in (("vlac",), ("name",)):
                continue
            if forgets and is_null(leaf.value) and _is_forgettable(leaf):
                self.forget(leaf.path)
            else:
                self._put(leaf)

    def forget(self, path: Path) -> None:
        """Take away a field, a section, or an entry."""
        self.leaves.pop(path, None)
        self.writings.pop(".".join(path), None)
        if _holds_others(path):
            self._forget_inside(path)

    def _forget_inside(self, path: Path) -> None:
        for present in [p for p in self.leaves if p[: len(path)] == path]:
            del self.leaves[present]
        inside = ".".join(path) + "."
        for written in [w for w in self.writings if w.startswith(inside)]:
            del self.writings[written]

    def _put(self, leaf: Leaf) -> None:
        path, present = leaf.path, self.leaves.get(leaf.path)
        if present is not None and leaf.is_entry:
            leaf.value = _merged(present.value, leaf.value)
        if _holds_others(path):
            self._forget_inside(path)
        for length in range(1, len(path) + 1):
            self.leaves.pop(path[:length], None)
        self.leaves[path] = leaf
        if leaf.field is not None and not leaf.is_entry:
            self.writings.setdefault(leaf.field.path, []).append(leaf)

    def _leaves_of(self, mapping: MappingNode, parent: Path) -> Iterator[Leaf]:
        for name, (key, value) in mapping.entries.items():
            path = (*parent, name)
            dotted = ".".join(path)
            row = BY_PATH.get(dotted) if "." not in name else None
            if not parent and name.startswith("x-"):
                continue
            if row is not None and row.type in MAPPINGS and isinstance(value, MappingNode):
                self.writings.setdefault(row.path, []).append(Leaf(path, key, value, row))
                yield from (Leaf((*path, k), *entry, row) for k, entry in value.entries.items())
            elif dotted in SECTIONS and "." not in name and isinstance(value, MappingNode):
                self.sections[dotted] = key
                yield from self._leaves_of(value, path)
            elif dotted != "extends":
                yield Leaf(path, key, value, row)


def _holds_others(path: Path) -> bool:
    """Whether leaves can lie below this path."""
    dotted = ".".join(path)
    return dotted in SECTIONS or (dotted in BY_PATH and BY_PATH[dotted].type in MAPPINGS)


def _is_forgettable(leaf: Leaf) -> bool:
    """In `overrides` and `env` null is a value; a key that is no field was never inherited."""
    if leaf.field is None:
        return leaf.dotted in SECTIONS
    return not (leaf.is_entry and leaf.field.type in ("overrides", "environment"))


def _merged(below: AnyNode, above: AnyNode) -> AnyNode:
    """Mappings merge by key, everything else replaces. Depth is limited by the parser."""
    if not isinstance(below, MappingNode) or not isinstance(above, MappingNode):
        return above
    result = MappingNode(above.source, above.line, above.column, above.last_line)
    result.entries = dict(below.entries)
    for name, (key, value) in above.entries.items():
        old = below.entries.get(name)
        result.entries[name] = (key, _merged(old[1], value) if old else value)
    return result
