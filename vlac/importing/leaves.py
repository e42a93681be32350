"""Leaves of a configuration beside each other: equal, or differing in value or type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key

    Leaves: TypeAlias = Mapping[Key, Value]


def canonical(value: Value) -> str:
    """A text that two values share exactly if they are equal with the same types; lists and tuples are the same."""
    return json.dumps(value, sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    """Mappings that json does not know, such as a mappingproxy; anything else that OmegaConf reads, as text."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def differing(one: Leaves, other: Leaves) -> tuple[Key, ...]:
    """The keys that only one has, or whose values differ, in the order of `other`, then of `one`."""
    every = dict.fromkeys((*other, *one))
    return tuple(key for key in every if not _is_same(key, one, other))


def _is_same(key: Key, one: Leaves, other: Leaves) -> bool:
    return key in one and key in other and canonical(one[key]) == canonical(other[key])


def nested(leaves: Leaves) -> dict[str, Value]:
    """Leaves as mappings in mappings."""
    result: dict[str, Value] = {}
    for (*above, last), value in leaves.items():
        inner = result
        for name in above:
            inner = inner.setdefault(name, {})  # type: ignore[assignment]  # sections hold mappings only
        inner[last] = value
    return result


def is_below(key: Key, above: Key) -> bool:
    """Whether a key is `above` itself or lies below it."""
    return key[: len(above)] == above
