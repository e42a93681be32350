"""The configuration as the code sees it: OmegaConf's containers, with interpolations resolved where they are read.

Meant as OmegaConf 2.3 means it: `omegaconf/dictconfig.py`, `omegaconf/base.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.records import Items, Record
from vlac.rlinf.reads.rehearsal.values import UNKNOWN, Unknown, Value, unknown

if TYPE_CHECKING:
    from vlac.rlinf.reads.values import Key

_NODE = re.compile(r"\$\{\s*(\.*)([^${}:]+?)\s*\}")
_PART = re.compile(r"[^.\[\]]+")
_MOST_STEPS = 16  # interpolations that lead to interpolations
MISSING_VALUE = "???"


class Section(Record):
    """A mapping of the configuration; `path` is where the user's file has it."""

    __slots__ = ("parent", "path")

    def __init__(self, path: Key = (), parent: Section | ListSection | None = None) -> None:
        super().__init__()
        self.path = path
        self.parent = parent


class ListSection(Items):
    """A list of the configuration."""

    __slots__ = ("parent", "path")

    def __init__(self, path: Key = (), parent: Section | ListSection | None = None) -> None:
        super().__init__((), kind="ListConfig")
        self.path = path
        self.parent = parent


class UnresolvedError(Exception):
    """An interpolation that leads nowhere: `target` is what it names."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.target = target


def section_of(config: Mapping[str, object]) -> Section:
    """The configuration from plain mappings and lists, as composed or resolved."""
    made = _built(config, (), None).data
    assert isinstance(made, Section)
    return made


def _built(value: object, path: Key, parent: Section | ListSection | None) -> Value:
    keys = frozenset({path} if path else ())
    if isinstance(value, Mapping):
        section = Section(path, parent)
        section.slots.update(
            {name: _built(item, (*path, str(name)), section) for name, item in value.items()}
        )
        return Value(section, keys)
    if isinstance(value, (list, tuple)):
        items = ListSection(path, parent)
        made = (_built(item, (*path, str(index)), items) for index, item in enumerate(value))
        items.slots.update(Items(made).slots)
        return Value(items, keys)
    plain = value is None or isinstance(value, (bool, int, float, str))
    return Value(value if plain else UNKNOWN, keys)


def copy_of(value: Value, parent: Section | ListSection | None = None) -> Value:
    """A copy of a section or list with all below; anything else as it is."""
    made: Section | ListSection
    if isinstance(value.data, Section):
        made = Section(value.data.path, parent)
        made.slots.update({name: copy_of(item, made) for name, item in value.data.slots.items()})
    elif isinstance(value.data, ListSection):
        made = ListSection(value.data.path, parent)
        items = value.data.items
        made.slots.update(Items(None if items is None else [copy_of(item, made) for item in items]).slots)
    else:
        return value
    return Value(made, value.keys)


def copy_beside(value: Value) -> Value:
    """A copy that lies where the original does, for what its interpolations lead to."""
    return copy_of(value, value.data.parent) if isinstance(value.data, (Section, ListSection)) else value


def resolved(value: Value, section: Section | ListSection) -> Value:
    """A value of a section, with the interpolations in it. UnresolvedError where one leads nowhere."""
    return _resolved(value, section, 0)


def _resolved(value: Value, section: Section | ListSection, steps: int) -> Value:
    text = value.data
    if not isinstance(text, str) or "${" not in text:
        return value
    if steps > _MOST_STEPS or "\\$" in text:
        return unknown(value)
    whole = _NODE.fullmatch(text)
    if whole is not None:
        return _target(whole, section, steps).and_of(value)
    parts = [_target(match, section, steps) for match in _NODE.finditer(text)]
    rest = _NODE.sub("", text)
    if "${" in rest or not all(part.known and _is_scalar(part.data) for part in parts):
        return unknown(value, *parts)  # a resolver such as ${oc.env:NAME}, or what it is part of
    found = iter(parts)
    return Value(_NODE.sub(lambda _: str(next(found).data), text)).and_of(value, *parts)


def _is_scalar(data: object) -> bool:
    return data is None or isinstance(data, (str, int, float, bool))


def _target(match: re.Match[str], section: Section | ListSection, steps: int) -> Value:
    """What `${a.b}` stands for: from the root, or with dots from the section that holds it."""
    at: Section | ListSection | None = section
    for _ in match[1][1:]:
        at = at.parent if at is not None else None
    if not match[1]:
        at = root_of(section)
    if at is None:
        return Value(UNKNOWN)
    value = Value(at)
    for name in _PART.findall(match[2]):
        value = _below(value, name, match[0], steps)
    return value


def _below(value: Value, name: str, text: str, steps: int) -> Value:
    holder = value.data
    if isinstance(holder, Unknown):
        return value
    if isinstance(holder, Section):
        found = holder.slots.get(name)
        if found is None and holder.is_open:
            return unknown(value)
    else:
        items = holder.items if isinstance(holder, ListSection) else ()
        if items is None:
            return unknown(value)
        found = items[int(name)] if name.isdecimal() and int(name) < len(items) else None
    if found is None:
        raise UnresolvedError(text)
    assert isinstance(holder, (Section, ListSection))
    return _resolved(found, holder, steps + 1)


def root_of(section: Section | ListSection) -> Section | ListSection:
    """The section that holds all others."""
    while section.parent is not None:
        section = section.parent
    return section
