"""Tests: whether they hold, and which keys decide that."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import collections, operators
from vlac.rlinf.reads.rehearsal.records import Items, Object, Table
from vlac.rlinf.reads.rehearsal.sections import Section
from vlac.rlinf.reads.rehearsal.values import NO_KEYS, Bound, ClassRef, Code, Keys, ModuleRef, Value, keys_of

if TYPE_CHECKING:
    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World


@dataclass(frozen=True)
class Outcome:
    """Whether a test holds, None where that is open, and the keys that decide it."""

    truth: bool | None
    keys: Keys = NO_KEYS

    def as_value(self) -> Value:
        """The outcome as a truth value."""
        from vlac.rlinf.reads.rehearsal.values import UNKNOWN

        return Value(UNKNOWN if self.truth is None else self.truth, self.keys)


def test(world: World, frame: Frame, node: ast.expr) -> Outcome:
    """Decide a test as Python would, as far as it goes."""
    from vlac.rlinf.reads.rehearsal import expressions

    if isinstance(node, ast.BoolOp):
        return _operands(world, frame, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        outcome = test(world, frame, node.operand)
        return Outcome(None if outcome.truth is None else not outcome.truth, outcome.keys)
    if isinstance(node, ast.Compare):
        return comparison(world, frame, node)
    return truth_of(world, expressions.evaluate(world, frame, node))


def _operands(world: World, frame: Frame, node: ast.BoolOp) -> Outcome:
    """`and`, `or`: one operand that settles it is enough, and its keys alone are to blame."""
    settles = isinstance(node.op, ast.Or)
    outcomes: list[Outcome] = []
    for operand in node.values:
        outcome = _operand(world, frame, operand, sure=all(o.truth is not None for o in outcomes))
        if outcome.truth is settles:
            return outcome
        outcomes.append(outcome)
    keys = frozenset().union(*(outcome.keys for outcome in outcomes))
    return Outcome(None if any(o.truth is None for o in outcomes) else not settles, keys)


def _operand(world: World, frame: Frame, operand: ast.expr, *, sure: bool) -> Outcome:
    """An operand, which is only reached perhaps where one before it is open."""
    if sure:
        return test(world, frame, operand)
    found: list[Outcome] = []

    def reached() -> Value:
        found.append(test(world, frame, operand))
        return found[0].as_value()

    world.evaluate_either([lambda: Value(None), reached])
    return found[0] if found else Outcome(None)


def comparison(world: World, frame: Frame, node: ast.Compare) -> Outcome:
    """A comparison; of a chain, the first part that fails settles it."""
    from vlac.rlinf.reads.rehearsal import expressions

    left = expressions.evaluate(world, frame, node.left)
    parts: list[Outcome] = []
    for operator, comparator in zip(node.ops, node.comparators, strict=True):
        right = expressions.evaluate(world, frame, comparator)
        outcome = _compared(world, frame, operator, left, right, node)
        if outcome.truth is False:
            return outcome
        parts.append(outcome)
        left = right
    keys = frozenset().union(*(part.keys for part in parts))
    return Outcome(None if any(part.truth is None for part in parts) else True, keys)


def _compared(
    world: World, frame: Frame, operator: ast.cmpop, left: Value, right: Value, node: ast.Compare
) -> Outcome:
    if isinstance(operator, (ast.In, ast.NotIn)):
        outcome = collections.contains(world, right, left)
        keys = collections.deep_keys(left, right)
        if isinstance(right.data, Table):
            keys |= right.data.named_by
        return Outcome(outcome if isinstance(operator, ast.In) or outcome is None else not outcome, keys)
    try:
        truth = operators.compare(operator, left, right)
    except TypeError as problem:
        failed = world.fail(frame, node, "TypeError", str(problem), keys_of((left, right)))
        return Outcome(None, failed.keys)
    return Outcome(truth, collections.deep_keys(left, right))


def truth_of(world: World, value: Value) -> Outcome:
    """The outcome of a value used as a test."""
    return Outcome(_truth(world, value.data), collections.deep_keys(value))


def _truth(world: World, data: object) -> bool | None:
    if data is None or isinstance(data, (bool, int, float, str, tuple)):
        return bool(data)
    if isinstance(data, Items):
        return None if data.items is None else bool(data.items)
    if isinstance(data, (Section, Table)):
        return True if data.slots and not data.is_open else None if data.is_open else False
    if isinstance(data, (ClassRef, Code, Bound, ModuleRef)):
        return True
    if isinstance(data, Object) and not world.classes.outside(data.made_from):
        plain = not any(world.classes.method(data.made_from, name) for name in ("__bool__", "__len__"))
        return True if plain else None
    return None
