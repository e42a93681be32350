"""RLinf's words for where the ranks of a component run.

`0-3` are accelerators (nodes, where there are none) with a process each, `0-3:0-7` eight processes on four of them,
`all` the whole cluster; commas join (rlinf/scheduler/placement/placement.py, v0.3 and main).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPAN = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Placed:
    """A placement: the accelerators, None for all of them, and the number of processes, None for one on each."""

    resources: frozenset[int] | None
    processes: int | None

    def ranks(self, world: int) -> int:
        """How many processes run, on a cluster of `world` accelerators."""
        if self.processes is not None:
            return self.processes
        return world if self.resources is None else len(self.resources)


def parse(text: object) -> Placed | None:
    """Read a placement as a configuration holds it; None where it is of another form, as one on a group of nodes."""
    if isinstance(text, int) and not isinstance(text, bool):
        return Placed(frozenset({text}), None)
    if not isinstance(text, str):
        return None
    resources: set[int] = set()
    processes = 0
    counted = False
    for part in text.replace(" ", "").split(","):
        where, _, what = part.partition(":")
        if where == "all" and "," not in text:
            count = _numbers(what)
            return None if what and count is None else Placed(None, len(count) if count else None)
        named, running = _numbers(where), _numbers(what) if what else None
        if named is None or (what and running is None):
            return None
        resources |= named
        counted = counted or running is not None
        processes += len(running if running is not None else named)
    return Placed(frozenset(resources), processes if counted else None)


def _numbers(text: str) -> set[int] | None:
    match = _SPAN.fullmatch(text)
    if match is None:
        return None
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    return set(range(first, last + 1)) if last >= first else None


def span(ranks: int, *, processes: bool) -> str:
    """One rank on each of the first accelerators; without accelerators, so many processes of node 0."""
    return f"0:0-{ranks - 1}" if processes else f"0-{ranks - 1}"
