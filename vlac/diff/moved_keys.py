"""A key of a patch under the name that another RLinf version has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.moves import MOVES, moved_group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.patches.changes import Key
    from vlac.rlinf.moves import Move
    from vlac.rlinf.versions import Version

_FIRST = "0.3"  # what moved then has moved in every known version


def moves_of(key: Key, version: Version) -> Iterator[tuple[Key, Move]]:
    """The other names of a key: the newer one where the version has it, the older one where it does not."""
    for move in MOVES:
        is_newer = move.since == _FIRST or move.since.partition("@")[0] == version.table
        old, new = (move.old, move.new) if is_newer else (move.new, move.old)
        if key[: len(old)] == old:
            yield (*new, *key[len(old) :]), move


def group_file_of(path: str) -> str | None:
    """What a file of a config group is called since its group was renamed; None where it kept its name."""
    folder, found, option = path.rpartition("/config/")
    row = moved_group(option) if found else None
    if row is None:
        return None
    return f"{folder}/config/{row.new}/{option.partition('/')[2]}"
