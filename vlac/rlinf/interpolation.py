"""Whether every `${a.b}` in a configuration leads somewhere, without resolving it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.plan.origins import Value
    from vlac.rlinf.lower import Leaves
    from vlac.rlinf.templates import Key

_NODE = re.compile(r"\$\{\s*([A-Za-z_][\w,-]*(?:\.[\w,-]+)*)\s*\}")


def unresolved(key: Key, value: Value, leaves: Leaves) -> str | None:
    """What is wrong with the `${a.b}` in the value of `key`, None where each ends at a value or section.

    Resolvers such as `${oc.env:NAME}` are not looked into.
    """
    missing = next((name for name in _names(value) if not _exists(name, leaves)), None)
    if missing:
        return f"nothing is at {missing}"
    return "the interpolation leads back to itself" if _returns(key, value, leaves) else None


def _names(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield from _NODE.findall(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _names(item)


def _exists(name: str, leaves: Leaves) -> bool:
    path = tuple(name.split("."))
    return any(key[: len(path)] == path for key in leaves)


def _returns(start: Key, value: Value, leaves: Leaves) -> bool:
    seen: set[Key] = set()
    waiting = [tuple(name.split(".")) for name in _names(value)]
    while waiting:
        path = waiting.pop()
        if path == start[: len(path)]:
            return True
        if path in seen or path not in leaves:
            continue
        seen.add(path)
        waiting += [tuple(name.split(".")) for name in _names(leaves[path].value)]
    return False
