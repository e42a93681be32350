"""Statements: what they do, and where the code goes from there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from vlac.rlinf.reads.rehearsal import assignments, calls, expressions, loops, raising
from vlac.rlinf.reads.rehearsal.flows import BREAK, CONTINUE, NEXT, Flow, follow_either
from vlac.rlinf.reads.rehearsal.tests import Outcome, test
from vlac.rlinf.reads.rehearsal.values import ClassRef, Code, Value
from vlac.rlinf.reads.rehearsal.world import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World


def block(world: World, frame: Frame, body: Sequence[ast.stmt]) -> Flow:
    """Follow statements until one of them leads elsewhere."""
    reason = world.reason
    try:
        for statement in body:
            how = _BY_TYPE.get(type(statement))
            if how is not None:
                world.step()
                flow = how(world, frame, statement)
                if flow is not NEXT:
                    return flow
        return NEXT
    finally:
        world.reason = reason


def _if(world: World, frame: Frame, node: ast.If) -> Flow:
    outcome = test(world, frame, node.test)
    _survey_raises(world, frame, node, outcome)
    if outcome.truth is None:
        ways = [lambda: block(world, frame, node.body), lambda: block(world, frame, node.orelse)]
        return follow_either(world, ways)
    taken, other = (node.body, node.orelse) if outcome.truth else (node.orelse, node.body)
    condition = ast.unparse(node.test)
    reason = Reason(condition if outcome.truth else f"not ({condition})", outcome.keys)
    with world.because(reason):
        flow = block(world, frame, taken)
    if flow is NEXT and other and _ends(other):  # what follows is only reached this way
        world.reason = Reason(reason.condition, reason.keys | world.reason.keys)
    return flow


def _survey_raises(world: World, frame: Frame, node: ast.If, outcome: Outcome) -> None:
    for body, raises_if in ((node.body, True), (node.orelse, False)):
        if body and isinstance(body[-1], ast.Raise) and not world.silent:
            truth = None if outcome.truth is None else outcome.truth is not raises_if
            world.survey.note(world.place(frame, body[-1]), truth)


def _ends(body: Sequence[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _match(world: World, frame: Frame, node: ast.Match) -> Flow:
    subject = expressions.evaluate(world, frame, node.subject)
    open_ways: list[Callable[[], Flow]] = []
    for case in node.cases:
        truth = _pattern(world, frame, subject, case.pattern) if case.guard is None else None
        if truth is False:
            continue
        if truth is True and not open_ways:
            with world.because(Reason(f"match {ast.unparse(node.subject)}", subject.keys)):
                return block(world, frame, case.body)
        open_ways.append(lambda body=case.body: block(world, frame, body))  # type: ignore[misc] # bound now
        if truth is True:
            break
    else:
        open_ways.append(lambda: NEXT)
    return open_ways[0]() if len(open_ways) == 1 else follow_either(world, open_ways)


def _pattern(world: World, frame: Frame, subject: Value, pattern: ast.pattern) -> bool | None:
    """Whether a pattern matches, None where that is open."""
    from vlac.rlinf.reads.rehearsal.operators import compare

    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        if pattern.name:
            world.heap.set(frame, pattern.name, subject)
        return True
    if isinstance(pattern, ast.MatchValue):
        return compare(ast.Eq(), subject, expressions.evaluate(world, frame, pattern.value))
    if isinstance(pattern, ast.MatchSingleton):
        return compare(ast.Is(), subject, Value(pattern.value))
    if isinstance(pattern, ast.MatchOr):
        answers = {_pattern(world, frame, subject, part) for part in pattern.patterns}
        return True if True in answers else None if None in answers else False
    return None


def _return(world: World, frame: Frame, node: ast.Return) -> Flow:
    if node.value is None:
        return Flow("return")
    value = expressions.evaluate(world, frame, node.value)
    return Flow("return", assignments.chosen(world, node.value, value))


def _with(world: World, frame: Frame, node: ast.With | ast.AsyncWith) -> Flow:
    suppressed: frozenset[str] = frozenset()
    for item in node.items:
        suppressed |= raising.suppressed_by(item.context_expr)
        value = expressions.evaluate(world, frame, item.context_expr)
        if item.optional_vars is not None:
            entered = calls.enter(world, frame, value, item.context_expr)
            assignments.bind(world, frame, item.optional_vars, entered)
    if suppressed:
        return raising.with_suppressed(world, frame, suppressed, node.body)
    return block(world, frame, node.body)


def _import(world: World, frame: Frame, node: ast.Import | ast.ImportFrom) -> Flow:
    if frame.code is None:
        return NEXT  # top-level names are known to the module
    for name, imported in frame.module.imported(node):
        if name != "*":
            if not world.tree.knows(imported.module):
                world.surprises += 1  # it may not be installed
            world.heap.set(frame, name, world.names.imported(imported))
    return NEXT


def _function(world: World, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Flow:
    if frame.code is not None:
        made = Value(Code(frame.module, node, frame.code.owner, frame))
        world.heap.set(frame, node.name, calls.decorated(world, frame, node, made))
    return NEXT


def _class(world: World, frame: Frame, node: ast.ClassDef) -> Flow:
    if frame.code is not None:
        world.heap.set(frame, node.name, Value(ClassRef(frame.module.name, node, frame)))
    return NEXT


def _expression(world: World, frame: Frame, node: ast.Expr) -> Flow:
    if not isinstance(node.value, ast.Constant):
        expressions.evaluate(world, frame, node.value)
    return NEXT


def _global(world: World, frame: Frame, node: ast.Global) -> Flow:
    frame.declared.update(dict.fromkeys(node.names, world.names.frame(frame.module)))
    return NEXT


def _nonlocal(_world: World, frame: Frame, node: ast.Nonlocal) -> Flow:
    for name in node.names:
        scope = frame.outer
        while scope is not None and name not in scope.slots:
            scope = scope.outer
        if scope is not None:
            frame.declared[name] = scope
    return NEXT


# Each function takes the one type of node that it stands under.
_BY_TYPE: dict[type[ast.stmt], Callable[[World, Frame, Any], Flow]] = {
    ast.If: _if,
    ast.Match: _match,
    ast.For: loops.follow_for,
    ast.AsyncFor: loops.follow_for,
    ast.While: loops.follow_while,
    ast.Break: lambda _world, _frame, _node: BREAK,
    ast.Continue: lambda _world, _frame, _node: CONTINUE,
    ast.Return: _return,
    ast.Raise: raising.follow_raise,
    ast.Assert: raising.follow_assert,
    ast.Try: raising.follow_try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Expr: _expression,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Assign: assignments.assign,
    ast.AnnAssign: assignments.annotated,
    ast.AugAssign: assignments.augmented,
    ast.Delete: assignments.delete,
}
