"""Whether every `${a.b}` in a configuration leads somewhere, without resolving it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.plan.origins import Value
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.templates import Key

_KEY = r"[\w,-]+"
_NODE = re.compile(rf"\$\{{\s*(\.*)((?:{_KEY}|\[{_KEY}\])(?:\.{_KEY}|\[{_KEY}\])*)\s*\}}")


def missing(key: Key, value: Value, leaves: Leaves) -> Key | None:
    """The first path that a `${a.b}` in the value of `key` names and that is neither a value nor a section.

    Resolvers such as `${oc.env:NAME}` are not looked into.
    """
    return next((path for path in _named(key, value) if not _exists(path, leaves)), None)


def returns(key: Key, value: Value, leaves: Leaves) -> bool:
    """Whether the interpolations in the value of `key` lead back to it."""
    seen: set[Key] = set()
    waiting = list(_named(key, value))
    while waiting:
        path = waiting.pop()
        if path[: len(key)] == key or path == key[: len(path)]:
            return True
        if path in seen:
            continue
        seen.add(path)
        for other, setting in leaves.items():
            if other[: len(path)] == path or path[: len(other)] == other:
                waiting += _named(other, setting.value)
    return False


def _named(place: Key, value: Value) -> Iterator[Key]:
    """The absolute paths that a value at `place` refers to; `${.a}` is a neighbour, `${..a}` one of its section."""
    if isinstance(value, str):
        for dots, name in _NODE.findall(value):
            above = place[: max(0, len(place) - len(dots))] if dots else ()
            yield (*above, *re.findall(_KEY, name))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _named((*place, name), item)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _named((*place, str(index)), item)


def _exists(path: Key, leaves: Leaves) -> bool:
    for size in range(1, len(path) + 1):
        if path[:size] in leaves:
            return _holds(leaves[path[:size]].value, path[size:])
    return any(key[: len(path)] == path for key in leaves)


def _holds(value: Value, rest: Key) -> bool:
    """Whether there is something at `rest` inside a value; what an interpolation stands for may hold anything."""
    if not rest or (isinstance(value, str) and "${" in value):
        return True
    if isinstance(value, Mapping):
        return rest[0] in value and _holds(value[rest[0]], rest[1:])
    if isinstance(value, (list, tuple)) and rest[0].isdecimal() and int(rest[0]) < len(value):
        return _holds(value[int(rest[0])], rest[1:])
    return False
