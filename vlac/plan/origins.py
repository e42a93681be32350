"""Where a value comes from.

Layers in rising precedence (docs/spec.md, what wins): RLinf default < recipe or base < spec version default < family
table < adapter preference < extends < spec < --backend < --set < overrides; `derived` values are computed from others.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vlac.diagnostics import Position

Value = Union[None, bool, int, float, str, "Sequence[Value]", "Mapping[str, Value]"]


class Layer(str, Enum):
    """Who decided a value, in rising precedence. Those of the user have the words of `WrittenLayer`."""

    RLINF = "rlinf default"
    RECIPE = "recipe"
    BASE = "base"
    DEFAULT = "spec version default"
    FAMILY = "family"
    ADAPTER = "adapter"
    EXTENDS = "extends"
    SPEC = "spec"
    BACKEND = "--backend"
    SET = "--set"
    OVERRIDE = "override"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class Origin:
    """One decision: the layer, why (or the source of the fact), and where the user wrote it."""

    layer: Layer
    reason: str
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, its origin, and the values of lower precedence that it replaced (lowest first)."""

    value: Value
    origin: Origin
    replaced: tuple[tuple[Value, Origin], ...] = ()

    def over(self, value: Value, origin: Origin) -> Setting:
        """The same setting decided anew by a layer of higher precedence."""
        return Setting(value, origin, (*self.replaced, (self.value, self.origin)))

    @property
    def chain(self) -> tuple[tuple[Value, Origin], ...]:
        """All decisions, lowest precedence first, the valid one last."""
        return (*self.replaced, (self.value, self.origin))
