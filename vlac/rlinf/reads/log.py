"""The reads that were seen, by key and place."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.rlinf.reads.values import Key


class Kind(IntEnum):
    """How a key is read; at one place, the highest of what was seen there counts."""

    DEFAULTED = 1
    GUARDED = 2
    WRITTEN = 3
    STRICT = 4


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A line of the tree."""

    file: str
    line: int


@dataclass
class Log:
    """`reads`: how each key is read where. `handed_on`: sections that go to code that is not followed."""

    reads: dict[Key, dict[Place, Kind]] = field(default_factory=dict)
    handed_on: dict[Key, set[Place]] = field(default_factory=dict)
    refusals: list[Place] = field(default_factory=list)

    def read(self, path: Key, place: Place, kind: Kind) -> None:
        """Note a read."""
        places = self.reads.setdefault(path, {})
        places[place] = max(kind, places.get(place, kind))

    def hand_on(self, path: Key, place: Place) -> None:
        """Note that a section left the code that is followed; the whole configuration is no news."""
        if path:
            self.handed_on.setdefault(path, set()).add(place)
