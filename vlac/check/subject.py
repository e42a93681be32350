"""The configuration that is checked: its leaves, and the place of every key in the file that holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.diagnostics import Position, Severity
    from vlac.plan.origins import Setting, Value
    from vlac.rlinf.templates import Key


OWN_MODEL_TYPES = ("vlac_demo",)
"""Model types that a bundle registers with RLinf itself: those of `bootstrap/` (vlac/rlinf/worker)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key stands, and the line there; no line where it could show a secret."""

    position: Position
    excerpt: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem and the key that it is about."""

    key: Key
    diagnostic: Diagnostic


@dataclass(frozen=True)
class Subject:
    """A whole configuration, interpolations left as text.

    `places` holds keys and sections; a section has the place of its key in the file that was given, if it is there.
    `file` is the config as it is called in its tree, empty where it lies in none. `accelerators` are those of the
    whole cluster, known from a spec alone.
    """

    name: str
    leaves: Mapping[Key, Setting]
    places: Mapping[Key, Place] = field(default_factory=dict)
    file: str = ""
    accelerators: int | None = None

    def place(self, key: Key) -> Place | None:
        """The place of a key, or of the nearest section around it that has one."""
        heads = (key[:size] for size in range(len(key), 0, -1))
        return next((self.places[head] for head in heads if head in self.places), None)

    def finding(
        self, code: str, message: str, key: Key, *, severity: Severity = "error", hint: str | None = None
    ) -> Finding:
        """A problem at the place of a key."""
        place = self.place(key)
        position, excerpt = (place.position, place.excerpt) if place else (None, None)
        return Finding(key, Diagnostic(code, message, severity, position, hint, excerpt))

    def value(self, *key: str) -> Value:
        """The value at a key, one interpolation of a whole value followed; None where there is none."""
        found = self._leaf(key)
        if isinstance(found, str) and found.startswith("${") and found.endswith("}"):
            return self._leaf(tuple(found[2:-1].split(".")))
        return found

    def _leaf(self, key: Key) -> Value:
        setting = self.leaves.get(key)
        return setting.value if setting else None

    def has(self, key: Key) -> bool:
        """Whether there is a value or a section at a key."""
        return key in self.leaves or key in self._sections

    @property
    def is_own_model(self) -> bool:
        """Whether the model is one of vlac's own, which RLinf's code knows nothing of."""
        return self.value("actor", "model", "model_type") in OWN_MODEL_TYPES

    @cached_property
    def _sections(self) -> frozenset[Key]:
        return frozenset(key[:size] for key in self.leaves for size in range(1, len(key)))

    @cached_property
    def nested(self) -> dict[str, object]:
        """The configuration as mappings in mappings, lists as lists."""
        root: dict[str, object] = {}
        for key, setting in self.leaves.items():
            inner = root
            for part in key[:-1]:
                below = inner.setdefault(part, {})
                assert isinstance(below, dict)
                inner = below
            inner[key[-1]] = _plain(setting.value)
        return root

    def scalars(self) -> Iterator[tuple[Key, object]]:
        """Every scalar with its key; the items of a list have the key of the list."""
        for key, setting in self.leaves.items():
            yield from ((key, value) for value in _scalars(setting.value))


def _scalars(value: Value) -> Iterator[object]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _scalars(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _scalars(item)
    else:
        yield value


def _plain(value: Value) -> object:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def dotted(key: Key) -> str:
    """A key for people; a part with dots in it stands in quotes."""
    return ".".join(f'"{part}"' if "." in part else part for part in key)
