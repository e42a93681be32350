"""The leaves of an RLinf configuration: a setting by its key, a path of mapping keys."""

from __future__ import annotations

from vlac.plan.origins import Setting
from vlac.rlinf.templates import Key

Leaves = dict[Key, Setting]
"""In the order in which config.yaml writes them."""


def fill_section(leaves: Leaves, key: Key) -> None:
    """Take away the empty section above a key, which is no leaf any more once the key is in it."""
    for size in range(1, len(key)):
        present = leaves.get(key[:size])
        if present is not None and present.value == {}:
            del leaves[key[:size]]
