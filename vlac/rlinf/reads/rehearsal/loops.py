"""Loops: round by round where their rounds are known, otherwise one round that may be made or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.flows import (
    BREAK,
    CONTINUE,
    NEXT,
    Flow,
    follow_either,
    may_have_returned,
    meet_early,
)
from vlac.rlinf.reads.rehearsal.values import Value, unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World

    _Round = Callable[[], Flow]

_MOST_ROUNDS = 256
_MOST_STEPS = 4_000  # of all rounds of a loop; what goes on longer is the run itself
_MOST_UNSURE_ROUNDS = 2  # of a loop that may have been left already


class Loop:
    """A loop that is being followed."""


def follow_for(world: World, frame: Frame, node: ast.For | ast.AsyncFor) -> Flow:
    """Follow a `for` loop."""
    from vlac.rlinf.reads.rehearsal import assignments, collections, expressions

    whole = expressions.evaluate(world, frame, node.iter)
    items = collections.items_of(world, frame, whole, node)

    def next_round(item: Value) -> Flow:
        from vlac.rlinf.reads.rehearsal.statements import block

        assignments.bind(world, frame, node.target, item)
        return block(world, frame, node.body)

    if items is None or len(items) > _MOST_ROUNDS:
        return _maybe(world, lambda: next_round(unknown(whole)))
    rounds = (lambda item=item: next_round(item) for item in items)
    return _rounds(world, frame, rounds, node.orelse)


def follow_while(world: World, frame: Frame, node: ast.While) -> Flow:
    """Follow a `while` loop."""
    from vlac.rlinf.reads.rehearsal.statements import block
    from vlac.rlinf.reads.rehearsal.tests import test

    def body() -> Flow:
        return block(world, frame, node.body)

    def rounds() -> Iterator[_Round]:
        for _ in range(_MOST_ROUNDS):
            outcome = test(world, frame, node.test)
            if outcome.truth is False:
                return
            if outcome.truth is None:
                yield lambda: _maybe(world, body)
                return
            yield body

    return _rounds(world, frame, rounds(), node.orelse)


def _rounds(world: World, frame: Frame, rounds: Iterator[_Round], orelse: list[ast.stmt]) -> Flow:
    from vlac.rlinf.reads.rehearsal.statements import block

    loop, undecided, start, unsure, flow = Loop(), world.undecided, world.steps, 0, NEXT
    world.loops.append(loop)
    try:
        for follow in rounds:
            flow = follow()
            meet_early(world, loop, "continue")
            left = any(early.left is loop for early in world.early)
            _settle(world, undecided, sure=not left)
            unsure += left
            if flow is BREAK or flow.to == "return":
                break
            if world.steps - start > _MOST_STEPS or unsure > _MOST_UNSURE_ROUNDS:
                break
    finally:
        world.loops.pop()
    meet_early(world, loop, "break")
    _settle(world, undecided)
    if flow.to == "return":
        return flow
    return NEXT if flow is BREAK else block(world, frame, orelse)


def _settle(world: World, undecided: int, *, sure: bool = True) -> None:
    """Be as sure as before the loop, unless the function may have returned."""
    if sure and not may_have_returned(world):
        world.undecided = undecided


def _maybe(world: World, follow: _Round) -> Flow:
    """One round that may be made or not."""
    loop, undecided = Loop(), world.undecided

    def once() -> Flow:
        inside = world.undecided
        flow = follow()
        meet_early(world, loop, "continue")
        meet_early(world, loop, "break")
        _settle(world, inside)
        return NEXT if flow in (BREAK, CONTINUE) else flow

    world.loops.append(loop)
    try:
        flow = follow_either(world, [lambda: NEXT, once])
    finally:
        world.loops.pop()
    _settle(world, undecided)
    return flow
