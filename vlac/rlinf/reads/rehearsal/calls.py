"""Calls: functions, methods and constructors of the tree are followed, everything else is known or unknown."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import attributes, collections, expressions, natives, workers
from vlac.rlinf.reads.rehearsal.errors import RaisedError
from vlac.rlinf.reads.rehearsal.flows import abandoned, returned
from vlac.rlinf.reads.rehearsal.making import instantiate
from vlac.rlinf.reads.rehearsal.packages import call_external
from vlac.rlinf.reads.rehearsal.parameters import bind_parameters
from vlac.rlinf.reads.rehearsal.records import Frame, Object
from vlac.rlinf.reads.rehearsal.values import (
    NONE,
    Bound,
    ClassRef,
    Code,
    External,
    Native,
    Partial,
    Super,
    Value,
    unknown,
)

if TYPE_CHECKING:
    from vlac.rlinf.reads.rehearsal.world import World

_MOST_CALLS = 60  # calls within calls; deeper ones are not followed
_MOST_OF_ONE, _MOST_OF_ONE_UNSURE = 20, 2  # calls of a function within itself, for sure or perhaps


def evaluate_call(world: World, frame: Frame, node: ast.Call) -> Value:
    """What a call returns."""
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return _super(frame)
    callee = expressions.evaluate(world, frame, node.func)
    positional = expressions.elements(world, frame, node.args)
    keywords = _keywords(world, frame, node)
    if positional is None or keywords is None:
        return world.surprise(callee)  # `*items` that are not known
    return call(world, frame, callee, tuple(positional), keywords, node)


def _keywords(world: World, frame: Frame, node: ast.Call) -> dict[str, Value] | None:
    found: dict[str, Value] = {}
    for keyword in node.keywords:
        value = expressions.evaluate(world, frame, keyword.value)
        if keyword.arg is not None:
            found[keyword.arg] = value
            continue
        names = collections.items_of(world, frame, value, node)
        if names is None:
            return None
        for name in names:
            found[str(name.data)] = attributes.item(world, frame, value, name, node)
    return found


def _super(frame: Frame) -> Value:
    scope: Frame | None = frame
    while scope is not None:
        if scope.receiver is not None and scope.code is not None and scope.code.owner is not None:
            return Value(Super(scope.code.owner, scope.receiver))
        scope = scope.outer
    return unknown()


def call(
    world: World,
    frame: Frame,
    callee: Value,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Call whatever the callee is."""
    data = callee.data
    match data:
        case Code():
            return call_code(world, frame, data, positional, keywords, node)
        case Bound():
            if data.code.name == "create_group" and isinstance(data.receiver.data, ClassRef):
                return workers.create_group(data.receiver.data, positional, keywords)
            return call_code(world, frame, data.code, (data.receiver, *positional), keywords, node)
        case ClassRef():
            return instantiate(world, frame, data, positional, keywords, node)
        case Native():
            return natives.call_method(world, frame, data, positional, keywords, node)
        case External():
            return call_external(world, frame, data.name, positional, keywords, node)
        case Partial():
            joined = {**data.keywords, **keywords}
            return call(world, frame, data.function, (*data.arguments, *positional), joined, node)
        case Object():
            method = world.classes.method(data.made_from, "__call__")
            method = method or world.classes.method(data.made_from, "forward")  # which torch calls
            if method is not None:
                return call_code(world, frame, method, (callee, *positional), keywords, node)
    return world.surprise(callee, *positional, *keywords.values())


def call_code(
    world: World,
    frame: Frame,
    code: Code,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Follow a function of the tree."""
    from vlac.rlinf.reads.rehearsal import devices

    world.step()
    fact = devices.fact(world, code, positional, keywords)
    if fact is not None:
        return fact
    if devices.is_machinery(code) or _is_too_deep(world, code) or _is_generator(world, code):
        return world.surprise(*positional, *keywords.values())
    receiver = positional[0] if positional and code.owner is not None else None
    inner = Frame(code.module, code, receiver, code.scope)
    if not bind_parameters(world, inner, code, positional, keywords):
        return world.surprise(*positional, *keywords.values())
    return _followed(world, inner, code)


def _is_too_deep(world: World, code: Code) -> bool:
    most = _MOST_OF_ONE_UNSURE if world.undecided else _MOST_OF_ONE
    return len(world.active) >= _MOST_CALLS or world.active.count(code.definition) >= most


def _followed(world: World, frame: Frame, code: Code) -> Value:
    """What the body of a function returns. An exception that nothing catches ends the run, but not the reading."""
    undecided, early, loops = world.undecided, world.early, world.loops
    world.early, world.loops = [], []
    world.active.append(code.definition)
    try:
        return returned(world, _body(world, frame, code))
    except RaisedError as raised:
        if (undecided and not world.early) or world.catches(raised.error):
            raise
        world.refuse(raised.error)
        return abandoned(world)
    finally:
        world.active.pop()
        world.undecided, world.early, world.loops = undecided, early, loops


def _body(world: World, frame: Frame, code: Code) -> Value:
    from vlac.rlinf.reads.rehearsal import statements

    if isinstance(code.definition, ast.Lambda):
        return expressions.evaluate(world, frame, code.definition.body)
    flow = statements.block(world, frame, code.definition.body)
    return flow.value if flow.to == "return" else NONE


def _is_generator(world: World, code: Code) -> bool:
    known = world.generators.get(id(code.definition))
    if known is None:
        known = world.generators[id(code.definition)] = any(map(_yields, _own_nodes(code.definition)))
    return known


def _yields(node: ast.AST) -> bool:
    return isinstance(node, (ast.Yield, ast.YieldFrom))


def _own_nodes(definition: ast.AST) -> list[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    found, waiting = [], list(ast.iter_child_nodes(definition))
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return found


def enter(world: World, frame: Frame, value: Value, node: ast.AST) -> Value:
    """What `with value as name` binds."""
    if isinstance(value.data, Object):
        method = world.classes.method(value.data.made_from, "__enter__")
        if method is not None:
            return call_code(world, frame, method, (value,), {}, node)
    return unknown(value)


def decorate(world: World, frame: Frame, definition: ast.stmt) -> None:
    """Do what the decorators of a top-level definition do, which may be to register it."""
    if isinstance(definition, ast.ClassDef):
        decorated(world, frame, definition, Value(ClassRef(frame.module.name, definition)))
    elif isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)):
        decorated(world, frame, definition, Value(Code(frame.module, definition)))


def decorated(
    world: World, frame: Frame, definition: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, made: Value
) -> Value:
    """A definition after decorators of the tree have seen it; what they return is taken to do the same."""
    for decorator in definition.decorator_list:
        if isinstance(decorator, ast.Call):
            function = expressions.evaluate(world, frame, decorator)
            if isinstance(function.data, (Code, Bound)):
                call(world, frame, function, (made,), {}, decorator)
    return made
