"""Where `${a.b}` in a configuration leads, without resolving it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.plan.origins import Value
    from vlac.rlinf.lower import Leaves

_NODE = re.compile(r"\$\{\s*([A-Za-z_][\w,-]*(?:\.[\w,-]+)*)\s*\}")


def unresolved(value: Value, leaves: Leaves) -> str | None:
    """The first `${a.b}` in a value that names no key or section; None where all do. Resolvers are not looked into."""
    if isinstance(value, str):
        return next((name for name in _NODE.findall(value) if not _exists(name, leaves)), None)
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next((found for item in value if (found := unresolved(item, leaves))), None)
    return None


def _exists(name: str, leaves: Leaves) -> bool:
    path = tuple(name.split("."))
    return any(key[: len(path)] == path for key in leaves)
