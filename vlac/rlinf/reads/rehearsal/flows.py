"""Where the code goes after a statement, and how ways meet that go to different places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.records import either
from vlac.rlinf.reads.rehearsal.values import NONE, Value, unknown
from vlac.rlinf.reads.rehearsal.world import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vlac.rlinf.reads.rehearsal.records import Changes
    from vlac.rlinf.reads.rehearsal.world import World


@dataclass(frozen=True)
class Flow:
    """The code goes on with the next statement, leaves the round or the loop, or returns."""

    to: str
    value: Value = NONE


NEXT, BREAK, CONTINUE = Flow("next"), Flow("break"), Flow("continue")


@dataclass(eq=False)
class Early:
    """A way that may have ended earlier: it parted at `mark`, and changed this until it left a loop, a round of it, or
    the function (`left` is None then).
    """

    mark: int
    changes: Changes
    flow: Flow
    left: object = None


def follow_either(world: World, ways: Sequence[Callable[[], Flow]]) -> Flow:
    """Follow each way; where some of them end earlier than others, the rest of the code is followed as uncertain."""
    mark, undecided = world.heap.mark(), world.undecided
    found = world.either_way(ways)
    if len({flow.to for flow, _ in found}) == 1:
        world.heap.meet([changes for _, changes in found])
        flow = found[0][0]
        if flow.to != "return":
            return flow
        return Flow("return", either([flow.value for flow, _ in found]) or unknown())
    going = [way for way in found if way[0] is NEXT]
    rest = going or [way for way in found if way[0].to != "return"]
    kept = [
        Early(mark, changes, flow, _left_by(world, flow)) for flow, changes in found if flow is not rest[0][0]
    ]
    world.early += kept
    world.heap.meet([changes for flow, changes in found if flow is rest[0][0]])
    world.undecided, world.reason = undecided + 1, Reason()  # until the function or the loop ends
    return rest[0][0]


def _left_by(world: World, flow: Flow) -> object:
    return world.loops[-1] if world.loops and flow.to != "return" else None


def may_have_returned(world: World) -> bool:
    """Whether the function may have returned already."""
    return any(early.left is None for early in world.early)


def meet_early(world: World, left: object, to: str) -> list[Flow]:
    """Let the ways that left this loop or function in this manner meet the one that led here; their flows."""
    found = [early for early in world.early if early.left is left and early.flow.to == to]
    world.early = [early for early in world.early if early not in found]
    for early in reversed(found):
        world.heap.meet_early(early.mark, early.changes)
    return [early.flow for early in found]


def returned(world: World, value: Value) -> Value:
    """What a function returns that may have returned earlier with something else."""
    flows = meet_early(world, None, "return")
    return either([value, *(flow.value for flow in flows)]) or unknown()


def abandoned(world: World) -> Value:
    """What a function returns that ends in an exception, on the way that was followed last."""
    for early in reversed(world.early):
        world.heap.meet_early(early.mark, early.changes)
    world.early = []
    return unknown()
