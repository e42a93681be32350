"""Statements: the ways through a function, and what is sure on each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from vlac.rlinf.reads import assignments, branches, calls, expressions
from vlac.rlinf.reads.state import merged
from vlac.rlinf.reads.values import (
    UNKNOWN,
    Class,
    Const,
    Function,
    Sequence,
    Value,
    one,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Sequence as Many

    from vlac.rlinf.reads.branches import Outcome
    from vlac.rlinf.reads.state import Frame
    from vlac.rlinf.reads.world import World

_MOST_ROUNDS = 16  # written-out loops up to this length are followed item by item
_CATCHES_MISSING_KEYS = frozenset(
    {"Exception", "BaseException", "AttributeError", "KeyError", "ConfigAttributeError", "ConfigKeyError"}
    | {"OmegaConfBaseException", "LookupError"}
)


def execute(world: World, frame: Frame, body: Many[ast.stmt]) -> None:
    """Follow statements until the code does not go on."""
    for statement in body:
        if not frame.state.alive:
            return
        how = _BY_TYPE.get(type(statement))
        if how is not None:
            how(world, frame, statement)


def _branches(world: World, frame: Frame, outcome: Outcome, ways: list[tuple[bool, Many[ast.stmt]]]) -> None:
    """Follow the ways that a test leaves open, and meet again behind them."""
    before = frame.state
    decided = outcome.truth is not None
    states = []
    for truth, body in ways:
        if decided and outcome.truth is not truth:
            continue
        frame.state = before.branch(outcome.when_true if truth else outcome.when_false)
        frame.state.by_chance = before.by_chance or not (decided or outcome.of_config)
        execute(world, frame, body)
        states.append(frame.state)
    frame.state = before
    present = before.present
    together = merged(states)
    before.become(together)
    if sum(state.alive for state in states) != 1:
        before.present = present | (together.present if len(states) > 1 else frozenset())


def _if(world: World, frame: Frame, node: ast.If) -> None:
    outcome = branches.test(world, frame, node.test)
    if not frame.state.alive:
        return
    raises = [_only_raises(node.body), _only_raises(node.orelse)]
    if any(raises):  # a key that has to be there is no guarded one
        outcome = branches.Outcome(outcome.truth, of_config=outcome.of_config)
    _branches(world, frame, outcome, [(True, node.body), (False, node.orelse)])


def _only_raises(body: Many[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def _match(world: World, frame: Frame, node: ast.Match) -> None:
    subject = expressions.evaluate(world, frame, node.subject)
    before, states = frame.state, []
    for case in node.cases:
        truth = _pattern(world, frame, subject, case.pattern) if case.guard is None else None
        if truth is False:
            continue
        frame.state = before.branch()
        execute(world, frame, case.body)
        states.append(frame.state)
        frame.state = before
        if truth is True:
            break
    else:
        states.append(before.branch())
    before.become(merged(states))


def _pattern(world: World, frame: Frame, subject: Value, pattern: ast.pattern) -> bool | None:
    """Whether a pattern matches, None where that is open."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        if pattern.name:
            frame.state.names[pattern.name] = subject
        return True
    if isinstance(pattern, ast.MatchValue):
        value = expressions.evaluate(world, frame, pattern.value)
        return branches.compared(world, frame.state, subject, ast.Eq(), value).truth
    if isinstance(pattern, ast.MatchOr):
        answers = {_pattern(world, frame, subject, part) for part in pattern.patterns}
        return True if True in answers else None if None in answers else False
    return None


def _for(world: World, frame: Frame, node: ast.For | ast.AsyncFor) -> None:
    items = expressions.evaluate(world, frame, node.iter)
    rounds = _rounds(items)
    if rounds is not None:
        for item in rounds:
            _round(world, frame, node, item)
        return
    item = expressions.element(world, frame, items, node.iter)
    _round(world, frame, node, item)


def _rounds(items: Value) -> tuple[Value, ...] | None:
    """The items of one written-out collection."""
    if len(items) != 1:
        return None
    (atom,) = items
    if isinstance(atom, Sequence) and 0 < len(atom.items) <= _MOST_ROUNDS:
        return atom.items
    return None


def _round(world: World, frame: Frame, node: ast.For | ast.AsyncFor, item: Value) -> None:
    if not frame.state.alive:
        return
    assignments.bind(world, frame, node.target, item)
    _loop(world, frame, node.body)
    execute(world, frame, node.orelse)


def _while(world: World, frame: Frame, node: ast.While) -> None:
    outcome = branches.test(world, frame, node.test)
    if outcome.truth is False:
        return
    frame.state.present |= outcome.when_true
    _loop(world, frame, node.body)


def _loop(world: World, frame: Frame, body: Many[ast.stmt]) -> None:
    """One round of a loop, which a run is taken to make; the loop ends where a round ends or is left."""
    before = frame.state
    frame.state = before.branch()
    frame.loops.append([])
    execute(world, frame, body)
    ends = [*frame.loops.pop(), *([frame.state] if frame.state.alive else [])]
    frame.state = before
    if not ends:
        return  # every round returns or raises; another run may not get into the loop
    after = calls.meeting(ends)
    names = merged([before, after]).names
    before.become(after)
    before.names, before.alive = names, True


def _leave_round(_world: World, frame: Frame, _node: ast.Break | ast.Continue) -> None:
    if frame.loops:
        frame.loops[-1].append(frame.state.branch())
    frame.state.alive = False


def _return(world: World, frame: Frame, node: ast.Return) -> None:
    value = expressions.evaluate(world, frame, node.value) if node.value else one(Const(None))
    if frame.state.alive:
        frame.returns.append((frame.state.branch(), value))
    frame.state.alive = False


def _raise(world: World, frame: Frame, node: ast.Raise) -> None:
    world.last_raise = world.place(frame, node)
    frame.state.alive = False


def _assert(world: World, frame: Frame, node: ast.Assert) -> None:
    """A failing assertion ends the run, so what it asks for is required, not guarded."""
    outcome = branches.test(world, frame, node.test)
    if outcome.truth is False and isinstance(node.test, ast.Constant):
        world.last_raise = world.place(frame, node)
        frame.state.alive = False


def _try(world: World, frame: Frame, node: ast.Try) -> None:
    before = frame.state
    start = before.branch()
    frame.state = before.branch()
    swallows = [handler for handler in node.handlers if _swallows(handler)]
    frame.state.caught = before.caught or bool(swallows)
    execute(world, frame, node.body)
    frame.state.caught = before.caught
    execute(world, frame, node.orelse)
    states = [frame.state]
    for handler in node.handlers:
        frame.state = start.branch()
        frame.state.by_chance = True
        if handler.name:
            frame.state.names[handler.name] = UNKNOWN
        execute(world, frame, handler.body)
        states.append(frame.state)
    frame.state = before
    # Handlers are for the exceptional run: they do not take away what the normal way requires.
    normal = states[0]
    before.become(merged(states, either=True) if normal.alive else merged(states))
    if normal.alive:
        before.required = set(normal.required)
    execute(world, frame, node.finalbody)


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches a missing key and goes on."""
    if any(isinstance(statement, ast.Raise) for statement in handler.body):
        return False
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "") for part in types}
    return bool(names & _CATCHES_MISSING_KEYS)


def _with(world: World, frame: Frame, node: ast.With | ast.AsyncWith) -> None:
    caught = frame.state.caught
    for item in node.items:
        value = expressions.evaluate(world, frame, item.context_expr)
        if item.optional_vars is not None:
            assignments.bind(world, frame, item.optional_vars, value)
        if _suppresses(item.context_expr):
            frame.state.caught = True
    execute(world, frame, node.body)
    frame.state.caught = caught


def _suppresses(context: ast.expr) -> bool:
    function = context.func if isinstance(context, ast.Call) else context
    return getattr(function, "attr", getattr(function, "id", "")) == "suppress"


def _import(world: World, frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
    if frame.function is None:
        return  # top-level names are known to the module
    for name, imported in frame.module.imported(node):
        if name != "*":
            frame.state.names[name] = world.imported(imported)


def _function(_world: World, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    if frame.function is None:
        return
    frame.state.names[node.name] = one(Function(frame.module.name, node, frame.function.owner, frame))


def _class(_world: World, frame: Frame, node: ast.ClassDef) -> None:
    if frame.function is not None:
        frame.state.names[node.name] = one(Class(frame.module.name, node))


def _expression(world: World, frame: Frame, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        expressions.evaluate(world, frame, node.value)


# Each function takes the one type of node that it stands under.
_BY_TYPE: dict[type[ast.stmt], Callable[[World, Frame, Any], None]] = {
    ast.If: _if,
    ast.Match: _match,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Break: _leave_round,
    ast.Continue: _leave_round,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Expr: _expression,
    ast.Assign: assignments.assign,
    ast.AnnAssign: assignments.annotated,
    ast.AugAssign: assignments.augmented,
}
