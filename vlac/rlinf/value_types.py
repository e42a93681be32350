"""Values beside each other: whether one may stand where another is, and one item of a list in another's place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.plan.origins import Value


def same_type(present: Value, value: Value) -> bool:
    """Whether an override may put `value` where `present` is: null and interpolations may stand anywhere."""
    if present is None or value is None or is_interpolation(present) or is_interpolation(value):
        return True
    return kind(present) == kind(value) or (isinstance(present, float) and type(value) is int)


def is_interpolation(value: Value) -> bool:
    """Whether OmegaConf would resolve something in the value."""
    return isinstance(value, str) and "${" in value


def kind(value: Value) -> str:
    """The type of a value in words."""
    if isinstance(value, bool):
        return "true or false"
    kinds = (
        (int, "an integer"),
        (float, "a number"),
        (str, "text"),
        (Mapping, "a mapping"),
        ((list, tuple), "a list"),
    )
    return next((words for types, words in kinds if isinstance(value, types)), "null")


def kept(present: Value, value: Value) -> Value:
    """The value in the type that the key has: an integer for a number becomes one."""
    return float(value) if isinstance(present, float) and type(value) is int else value


def item_at(items: Value, parts: tuple[str | int, ...]) -> Value:
    """What is at `parts` in nested lists and mappings. Raises LookupError where nothing is."""
    for part in parts:
        if not isinstance(items, (list, tuple) if isinstance(part, int) else Mapping):
            raise LookupError(part)
        items = items[part]  # type: ignore[index]  # the line above fits the part to it
    return items


def with_item(items: Value, parts: tuple[str | int, ...], value: Value) -> Value:
    """A copy of nested lists and mappings with one item, which is there, replaced."""
    if not parts:
        return value
    part, rest = parts[0], parts[1:]
    if isinstance(part, int) and isinstance(items, (list, tuple)):
        return [*items[:part], with_item(items[part], rest, value), *items[part + 1 :]]
    assert isinstance(part, str) and isinstance(items, Mapping)
    return {**items, part: with_item(items[part], rest, value)}
