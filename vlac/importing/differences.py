"""The entries of `overrides` that turn one configuration into another (docs/spec.md, rules of overrides)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.importing.leaves import canonical, is_below, nested
from vlac.rlinf.value_types import same_type
from vlac.spec.override_keys import override_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from vlac.importing.leaves import Leaves
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key

Overrides = dict[str, "Value"]


def overrides_between(present: Leaves, wanted: Leaves, apart: Collection[Key] = ()) -> Overrides:
    """What to write under `overrides` so that `present` becomes `wanted`, deletions first.

    Sections that only `wanted` has are one entry, unless they hold a key of `apart`. Raises OverrideKeyError for a key
    that no override can name.
    """
    gone = dict.fromkeys(_deletions(present, wanted))
    kept = {key: value for key, value in present.items() if not any(is_below(key, path) for path in gone)}
    entries: Overrides = {override_key("delete", path): None for path in gone}
    for key in wanted:
        if key in kept and canonical(kept[key]) != canonical(wanted[key]):
            entries[override_key("set", key)] = wanted[key]
        elif key not in kept:
            path = _addition(key, kept, wanted, apart)
            entries[override_key("add", path)] = _value_at(path, wanted)
    return entries


def _deletions(present: Leaves, wanted: Leaves) -> Iterator[Key]:
    """Sections and keys that `wanted` has not, and keys whose values are of another type there."""
    sections = _sections(wanted)
    for key, value in present.items():
        if key not in wanted:
            yield next((key[:size] for size in range(1, len(key)) if key[:size] not in sections), key)
        elif not same_type(value, wanted[key]) or _loses_type(value, wanted[key]):
            yield key


def _loses_type(present: Value, value: Value) -> bool:
    """An override keeps the type of its key: a whole number would become a float."""
    return isinstance(present, float) and type(value) is int


def _sections(leaves: Leaves) -> frozenset[Key]:
    return frozenset(key[:size] for key in leaves for size in range(1, len(key)))


def _addition(key: Key, kept: Leaves, wanted: Leaves, apart: Collection[Key]) -> Key:
    """The highest section above a new key that is new as a whole."""
    sections = _sections(kept)
    for size in range(1, len(key)):
        path = key[:size]
        new = [other for other in wanted if is_below(other, path)]
        if path not in sections and len(new) > 1 and not any(other in apart for other in new):
            return path
    return key


def _value_at(path: Key, wanted: Leaves) -> Value:
    if path in wanted:
        return wanted[path]
    return nested({key[len(path) :]: value for key, value in wanted.items() if is_below(key, path)})
