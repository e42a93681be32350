"""`assert`, `raise` and `try`: what refuses the configuration, and what the tree catches itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import expressions
from vlac.rlinf.reads.rehearsal.errors import Error, Handlers, RaisedError, lineage
from vlac.rlinf.reads.rehearsal.flows import NEXT, Flow, follow_either
from vlac.rlinf.reads.rehearsal.records import Object
from vlac.rlinf.reads.rehearsal.tests import test
from vlac.rlinf.reads.rehearsal.values import ClassRef, External, Value, unknown
from vlac.rlinf.reads.rehearsal.world import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World


def follow_assert(world: World, frame: Frame, node: ast.Assert) -> Flow:
    """An assertion. One that fails ends the run; what follows is read as if it had been mended."""
    outcome = test(world, frame, node.test)
    place = world.place(frame, node)
    constant = isinstance(node.test, ast.Constant)
    if not world.silent and not constant:
        world.survey.note(place, outcome.truth)
    if outcome.truth is not False:
        return NEXT
    reason = world.reason if constant else Reason(ast.unparse(node.test), outcome.keys)
    message = expressions.message(world, frame, node.msg) if node.msg else ""
    names = lineage("AssertionError")
    error = Error(names, "AssertionError", "assert", place, message, reason.condition, reason.keys)
    if constant or world.catches(error):
        raise RaisedError(error)
    world.refuse(error)
    return NEXT


def follow_raise(world: World, frame: Frame, node: ast.Raise) -> Flow:
    """`raise`: the exception goes up to where the tree catches it."""
    if node.exc is None:
        handled = world.handled[-1] if world.handled else None
        if handled is not None:
            raise RaisedError(handled)
        return NEXT
    made = expressions.evaluate(world, frame, node.exc)
    name, names = _class_of(world, made)
    arguments = node.exc.args if isinstance(node.exc, ast.Call) else []
    message = expressions.message(world, frame, arguments[0]) if arguments else ""
    reason = world.reason
    place = world.place(frame, node)
    raise RaisedError(Error(names, name, "raise", place, message, reason.condition, reason.keys, made))


def _class_of(world: World, made: Value) -> tuple[str, frozenset[str]]:
    """The name of an exception's class, and of all of its bases."""
    data = made.data.made_from if isinstance(made.data, Object) else made.data
    if isinstance(data, External):
        name = data.name.rpartition(".")[2]
        return name, lineage(name)
    if not isinstance(data, ClassRef):
        return "Exception", lineage("Exception")
    return data.definition.name, _names_of(world, data)


def _names_of(world: World, made: ClassRef) -> frozenset[str]:
    names = {base.definition.name for base in world.classes.order(made)}
    return frozenset(names).union(*(lineage(name) for name in world.classes.outside(made)))


def suppressed_by(context: ast.expr) -> frozenset[str]:
    """The exceptions that `with suppress(...)` catches."""
    if not isinstance(context, ast.Call) or _last(context.func) != "suppress":
        return frozenset()
    return frozenset(map(_last, context.args))


def _last(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def with_suppressed(world: World, frame: Frame, names: frozenset[str], body: Sequence[ast.stmt]) -> Flow:
    """A body whose exceptions of these names are dropped."""
    handler = ast.ExceptHandler(type=None, name=None, body=[])
    return _guarded(world, frame, body, [], [(names, handler)])


def follow_try(world: World, frame: Frame, node: ast.Try) -> Flow:
    """`try`: an exception that is raised for sure finds its handler; what only the run knows may raise, or not."""
    handlers = [(_caught_by(handler), handler) for handler in node.handlers]
    try:
        flow = _guarded(world, frame, node.body, node.orelse, handlers)
    except RaisedError:
        _block(world, frame, node.finalbody)
        raise
    last = _block(world, frame, node.finalbody)
    return flow if last is NEXT else last


def _block(world: World, frame: Frame, body: Sequence[ast.stmt]) -> Flow:
    from vlac.rlinf.reads.rehearsal.statements import block

    return block(world, frame, body)


def _caught_by(handler: ast.ExceptHandler) -> frozenset[str]:
    if handler.type is None:
        return frozenset({"BaseException"})
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return frozenset(map(_last, types))


def _guarded(
    world: World,
    frame: Frame,
    body: Sequence[ast.stmt],
    orelse: Sequence[ast.stmt],
    handlers: list[tuple[frozenset[str], ast.ExceptHandler]],
) -> Flow:
    names = frozenset().union(*(names for names, _ in handlers))
    guard, mark, surprises = Handlers(names), world.heap.mark(), world.surprises
    caught: RaisedError | None = None
    world.handlers.append(guard)
    try:
        flow = _block(world, frame, body)
    except RaisedError as raised:
        caught = raised
    finally:
        world.handlers.pop()
    if caught is not None:
        return _handled(world, frame, handlers, caught)
    ways: list[Callable[[], Flow]] = [
        lambda handler=handler: _surprised(world, frame, handler, mark)  # type: ignore[misc] # bound now
        for names, handler in handlers
        if world.surprises > surprises and (guard.hit or not _is_of_tree(world, frame, handler))
    ]
    if flow is NEXT:
        normal: Callable[[], Flow] = lambda: _block(world, frame, orelse)  # noqa: E731 # one of several ways
    else:
        normal = lambda: flow  # noqa: E731 # as above
    ways = [way for way in ways if way is not None]
    return follow_either(world, [normal, *ways]) if ways and _matter(handlers) else normal()


def _matter(handlers: list[tuple[frozenset[str], ast.ExceptHandler]]) -> bool:
    """Whether a handler does more than raise."""
    return any(not handler.body or not isinstance(handler.body[-1], ast.Raise) for _, handler in handlers)


def _is_of_tree(world: World, frame: Frame, handler: ast.ExceptHandler) -> bool:
    """Whether it is for an exception of the tree's own, which nothing from outside raises."""
    if handler.type is None or isinstance(handler.type, ast.Tuple):
        return False
    return isinstance(expressions.evaluate(world, frame, handler.type).data, ClassRef)


def _surprised(world: World, frame: Frame, handler: ast.ExceptHandler, mark: int) -> Flow:
    """A handler that is reached from somewhere in the body: what the body changed is not known."""
    for record, name in world.heap.changes(mark):
        world.heap.set(record, name, unknown())
    if handler.name:
        world.heap.set(frame, handler.name, unknown())
    world.handled.append(None)
    try:
        return _block(world, frame, handler.body)
    finally:
        world.handled.pop()


def _handled(
    world: World, frame: Frame, handlers: list[tuple[frozenset[str], ast.ExceptHandler]], raised: RaisedError
) -> Flow:
    handler = next((handler for names, handler in handlers if names & raised.error.names), None)
    if handler is None:
        raise raised
    if handler.name:
        value = raised.error.value
        text = Value(raised.error.message, raised.error.keys)
        world.heap.set(frame, handler.name, value if value.data is not None else text)
    world.handled.append(raised.error)
    try:
        with world.because(Reason(raised.error.condition, raised.error.keys)):
            return _block(world, frame, handler.body)
    finally:
        world.handled.pop()
