"""Tests: whether the known part of the configuration decides them, and which keys they prove to be there."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.rlinf.reads import expressions
from vlac.rlinf.reads.known import ABSENT, OPEN, Section, Setting
from vlac.rlinf.reads.log import Kind
from vlac.rlinf.reads.values import (
    UNKNOWN,
    Class,
    Config,
    Const,
    Derived,
    Function,
    Member,
    Node,
    Sequence,
    Table,
    Value,
    configs,
    depends_on_config,
    join,
    one,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from vlac.rlinf.reads.state import Frame, State
    from vlac.rlinf.reads.values import Atom
    from vlac.rlinf.reads.world import World

_NOTHING: frozenset[Node] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of a test: its truth, the keys that are there if it holds, and if it does not.

    `of_config` says that the configuration decides it, and not something that only the run knows.
    """

    truth: bool | None = None
    when_true: frozenset[Node] = _NOTHING
    when_false: frozenset[Node] = _NOTHING
    of_config: bool = False

    def negated(self) -> Outcome:
        """The outcome of `not test`."""
        truth = None if self.truth is None else not self.truth
        return Outcome(truth, self.when_false, self.when_true, self.of_config)

    def as_value(self) -> Value:
        """The truth value, for a variable that keeps it."""
        if self.truth is not None:
            return one(Const(self.truth))
        return one(Derived(self.when_true, self.when_false)) if self.of_config else UNKNOWN


def test(world: World, frame: Frame, node: ast.expr) -> Outcome:
    """Evaluate a test as Python would, as far as it goes."""
    if isinstance(node, ast.BoolOp):
        return operands(world, frame, node)[1]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return test(world, frame, node.operand).negated()
    if isinstance(node, ast.Compare):
        return comparison(world, frame, node)
    return truthiness(world, frame.state, expressions.evaluate(world, frame, node))


def operands(world: World, frame: Frame, node: ast.BoolOp) -> tuple[Value, Outcome]:
    """The value and the outcome of `a and b` or `a or b`; what a operand proves holds for those after it."""
    wanted = isinstance(node.op, ast.And)
    before, proven, values = frame.state.present, _NOTHING, []
    outcomes: list[Outcome] = []
    required = set(frame.state.required)
    for position, operand in enumerate(node.values):
        value, outcome = _operand(world, frame, operand)
        if position == 0 or all(earlier.truth is wanted for earlier in outcomes):
            required = set(frame.state.required)  # reached for sure
        outcomes.append(outcome)
        values.append(value)
        if outcome.truth is (not wanted):
            break
        proven |= outcome.when_true if wanted else outcome.when_false
        frame.state.present = frame.state.present | proven
    frame.state.present = before
    frame.state.required = required
    return join(values), _together(outcomes, wanted, proven)


def _operand(world: World, frame: Frame, operand: ast.expr) -> tuple[Value, Outcome]:
    if isinstance(operand, (ast.Compare, ast.UnaryOp)):
        outcome = test(world, frame, operand)
        return outcome.as_value(), outcome
    value = expressions.evaluate(world, frame, operand)
    return value, truthiness(world, frame.state, value)


def _together(outcomes: list[Outcome], wanted: bool, proven: frozenset[Node]) -> Outcome:
    truths = [outcome.truth for outcome in outcomes]
    truth = wanted if all(t is wanted for t in truths) else None
    if (not wanted) in truths and all(t is not None for t in truths):
        truth = not wanted
    elif (not wanted) in truths:
        truth = not wanted  # one operand settles it, whatever the others are
    undecided = [outcome for outcome in outcomes if outcome.truth is None]
    single = undecided[0] if len(undecided) == 1 else Outcome()
    of_config = any(outcome.of_config for outcome in undecided)
    if wanted:
        return Outcome(truth, proven, single.when_false, of_config)
    return Outcome(truth, single.when_true, proven, of_config)


def comparison(world: World, frame: Frame, node: ast.Compare) -> Outcome:
    """The outcome of a comparison; chains are not decided."""
    left = expressions.evaluate(world, frame, node.left)
    if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        outcome = _containment(world, frame, left, node)
        return outcome.negated() if isinstance(node.ops[0], ast.NotIn) else outcome
    rights = [expressions.evaluate(world, frame, right) for right in node.comparators]
    if len(rights) != 1:
        return Outcome(of_config=any(map(depends_on_config, [left, *rights])))
    return compared(world, frame.state, left, node.ops[0], rights[0])


def compared(world: World, state: State, left: Value, operator: ast.cmpop, right: Value) -> Outcome:
    """The outcome of comparing two values."""
    of_config = depends_on_config(left) or depends_on_config(right)
    if isinstance(operator, (ast.NotEq, ast.IsNot)):
        return compared(world, state, left, ast.Eq(), right).negated()
    ours, theirs = settled(world, state, left), settled(world, state, right)
    if isinstance(operator, (ast.Eq, ast.Is)):
        truth = _equal(ours, theirs)
        there = _NOTHING if truth is not None else _shown_by_none(left, right)
        return Outcome(truth, when_false=there, of_config=of_config)
    return Outcome(_ordered(ours, theirs, operator), of_config=of_config)


def _shown_by_none(left: Value, right: Value) -> frozenset[Node]:
    """The keys that are there if `left is None` does not hold."""
    return _single_node(left) if right == one(Const(None)) else _NOTHING


def _single_node(value: Value) -> frozenset[Node]:
    found = configs(value)
    return frozenset({found[0].node}) if len(found) == 1 else _NOTHING


def _equal(ours: list[object] | None, theirs: list[object] | None) -> bool | None:
    if ours is None or theirs is None:
        return None
    answers = {_same(left, right) for left in ours for right in theirs}
    return answers.pop() if len(answers) == 1 else None


def _same(left: object, right: object) -> bool | None:
    if isinstance(left, Section) or isinstance(right, Section):
        other = right if isinstance(left, Section) else left
        return False if other is None else None
    return bool(left == right)


_ORDERS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: lambda left, right: left < right,
    ast.LtE: lambda left, right: left <= right,
    ast.Gt: lambda left, right: left > right,
    ast.GtE: lambda left, right: left >= right,
}


def _ordered(ours: list[object] | None, theirs: list[object] | None, operator: ast.cmpop) -> bool | None:
    order = _ORDERS.get(type(operator))
    if order is None or not ours or not theirs:
        return None
    pairs = [(left, right) for left in ours for right in theirs]
    if not all(isinstance(x, (int, float)) for pair in pairs for x in pair):
        return None
    answers = {order(left, right) for left, right in pairs}  # type: ignore[arg-type] # numbers, see above
    return answers.pop() if len(answers) == 1 else None


def _containment(world: World, frame: Frame, left: Value, node: ast.Compare) -> Outcome:
    """`left in right`: a key in a section, or a constant in a collection."""
    right = expressions.evaluate(world, frame, node.comparators[0])
    sections = configs(right)
    whole = settled(world, frame.state, right)
    if whole is not None and all(isinstance(text, str) for text in whole):
        return _substring(settled(world, frame.state, left), whole, depends_on_config(right))
    if sections and texts(left):
        return has_key(world, frame, sections, texts(left), node)
    of_config = depends_on_config(left) or depends_on_config(right)
    ours, theirs = settled(world, frame.state, left), _items(world, frame.state, right)
    if ours is None or theirs is None:
        return Outcome(of_config=of_config)
    answers = {any(_same(left, item) for item in theirs) for left in ours}
    return Outcome(answers.pop() if len(answers) == 1 else None, of_config=of_config)


def _substring(parts: list[object] | None, wholes: list[object], of_config: bool) -> Outcome:
    """`part in text`, for texts that are known."""
    if parts is None:
        return Outcome(of_config=of_config)
    answers = {str(part) in str(text) for part in parts for text in wholes}
    return Outcome(answers.pop() if len(answers) == 1 else None, of_config=of_config)


def _items(world: World, state: State, collection: Value) -> list[object] | None:
    """The constants in one written-out collection, None where they are not all known."""
    if len(collection) != 1:
        return None
    (atom,) = collection
    if isinstance(atom, Sequence) and atom.items:
        found = [settled(world, state, item) for item in atom.items]
    elif isinstance(atom, Table) and world.items(atom):  # an empty one may be filled by decorators elsewhere
        found = [settled(world, state, one(key)) for key in world.items(atom)]
    else:
        return None
    return None if None in found else [item for items in found if items for item in items]


def has_key(world: World, frame: Frame, sections: list[Config], names: list[str], node: ast.AST) -> Outcome:
    """`name in section` and `hasattr(section, name)`: a test for keys."""
    answers: set[bool | None] = set()
    there: set[Node] = set()
    for config in sections:
        for name in names:
            below = world.read_leniently(frame, config, name, node, Kind.GUARDED).node
            answers.add(is_there(world, frame.state, below))
            there.add(below)
    truth = answers.pop() if len(answers) == 1 else None
    return Outcome(truth, when_true=frozenset(there), of_config=True)


def is_there(world: World, state: State, node: Node) -> bool | None:
    """Whether a key is there at this point, None where that is not known."""
    if state.is_written(node) or state.is_present(node):
        return True
    found = world.known.look_up(node.path)
    return None if found is OPEN else found is not ABSENT


def truthiness(world: World, state: State, value: Value) -> Outcome:
    """The outcome of a value used as a test."""
    facts = [atom for atom in value if isinstance(atom, Derived)]
    if len(value) == 1 and facts:
        return Outcome(None, facts[0].when_true, facts[0].when_false, of_config=True)
    found = settled(world, state, value)
    answers = {None if item is None else bool(item) for item in found or ()}
    truth = None
    if found and len({bool(answer) for answer in answers}) == 1:
        truth = bool(answers.pop())
    there = _NOTHING if truth is not None else _single_node(value)
    return Outcome(truth, when_true=there, of_config=depends_on_config(value))


def settled(world: World, state: State, value: Value, depth: int = 0) -> list[object] | None:
    """Every constant that a value may be, None where it may be something else."""
    found: list[object] = []
    for atom in value:
        constants = _settled_atom(world, state, atom, depth)
        if constants is None:
            return None
        found += constants
    return found or None


def _settled_atom(world: World, state: State, atom: Atom, depth: int) -> list[object] | None:
    if isinstance(atom, (Const, Member)):
        return [atom.value]
    if isinstance(atom, (Class, Function)):
        return [Section()]
    if not isinstance(atom, Config) or depth > 4:
        return None
    if atom.node in state.written:
        return _settled_write(world, state, atom, depth)
    if state.is_written(atom.node):
        return None
    return _looked_up(world, atom)


def _settled_write(world: World, state: State, atom: Config, depth: int) -> list[object] | None:
    """What was written; `cfg.x = cfg.get("x", default)` writes what was there, where something was."""
    written = state.written[atom.node]
    others = written - {Config(atom.node), Config(atom.node, optional=True)}
    found = settled(world, state, others, depth + 1) if others else []
    kept = _looked_up(world, Config(atom.node, optional=True)) if others != written else []
    return None if found is None or kept is None else (found + kept or None)


def _looked_up(world: World, atom: Config) -> list[object] | None:
    found = world.known.look_up(atom.node.path)
    if isinstance(found, Setting):
        return [found.value]
    if isinstance(found, Section):
        return [found]
    return [] if found is ABSENT and atom.optional else None
