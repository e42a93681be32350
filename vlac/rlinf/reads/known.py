"""What is known about the configuration of the run that is asked about: a few settings, or all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.rlinf.reads.values import Key, Scalar

_NODE = re.compile(r"\$\{\s*([A-Za-z_][\w.,-]*)\s*\}")
_MOST_STEPS = 16  # interpolations that lead to interpolations


class Open:
    """The key may be there or not, with any value."""


class Absent:
    """The configuration has no such key."""


class Section:
    """The key is there: a section, a list, or an interpolation whose value is not known."""


OPEN, ABSENT, SECTION = Open(), Absent(), Section()
Found: TypeAlias = "Open | Absent | Section | Setting"


@dataclass(frozen=True, slots=True)
class Setting:
    """The key is there, with this value."""

    value: Scalar


@dataclass(frozen=True)
class Known:
    """Settings by their path. With `config`, a whole configuration as composed: what it lacks is absent."""

    settings: Mapping[Key, Scalar] = field(default_factory=dict)
    config: Mapping[str, object] | None = None

    def look_up(self, path: Key) -> Found:
        """What is known about a key."""
        if path in self.settings:
            return Setting(self.settings[path])
        return OPEN if self.config is None else _within(self.config, path)


def _within(config: Mapping[str, object], path: Key, steps: int = 0) -> Found:
    """A key of a composed configuration; interpolations of whole values are followed."""
    at: object = config
    for position, name in enumerate(path):
        if isinstance(at, str):
            return _beyond(config, at, path[position:], steps)
        if not isinstance(at, Mapping):
            return ABSENT
        if name not in at:
            return ABSENT
        at = at[name]
    if isinstance(at, str) and "${" in at:
        return _beyond(config, at, (), steps)
    return Setting(at) if at is None or isinstance(at, (str, int, float, bool)) else SECTION


def _beyond(config: Mapping[str, object], text: str, rest: Key, steps: int) -> Found:
    """Where the interpolation `text` leads, and from there on `rest`."""
    match = _NODE.fullmatch(text)
    if match is None or steps > _MOST_STEPS:
        return ABSENT if "${" not in text else OPEN if rest else SECTION
    return _within(config, (*match[1].split("."), *rest), steps + 1)


def keys_of(config: Mapping[str, object], path: Key = ()) -> Iterator[Key]:
    """Every key of a configuration, sections included."""
    for name, value in config.items():
        yield (*path, name)
        if isinstance(value, Mapping):
            yield from keys_of(value, (*path, name))
