"""The arguments of a call, and the parameters that they become."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.rlinf.reads import expressions
from vlac.rlinf.reads.state import Frame, State
from vlac.rlinf.reads.values import (
    UNKNOWN,
    Class,
    Const,
    Function,
    Instance,
    Sequence,
    Table,
    Value,
    join,
    one,
)

if TYPE_CHECKING:
    from vlac.rlinf.reads.values import Definition
    from vlac.rlinf.reads.world import World


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call."""

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)

    def get(self, position: int, name: str = "") -> Value | None:
        """An argument by its position or name."""
        if position < len(self.positional):
            return self.positional[position]
        return self.keywords.get(name)

    def values(self) -> list[Value]:
        """All arguments."""
        return [*self.positional, *self.keywords.values()]


def arguments_of(world: World, frame: Frame, node: ast.Call) -> Arguments:
    """The arguments that a call is written with; `*` and `**` count as far as their items are known."""
    positional: list[Value] = []
    for argument in node.args:
        value = expressions.evaluate(world, frame, argument)
        positional += _spread(value) if isinstance(argument, ast.Starred) else [value]
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = expressions.evaluate(world, frame, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        else:
            keywords.update(_spread_keywords(world, frame, value, node))
    return Arguments(tuple(positional), keywords)


def _spread(value: Value) -> list[Value]:
    """The items of `*value`, where they are known."""
    if len(value) == 1:
        (atom,) = value
        if isinstance(atom, Sequence):
            return list(atom.items)
    return []


def _spread_keywords(world: World, frame: Frame, value: Value, node: ast.AST) -> dict[str, Value]:
    """The items of `**value`, where they are known; a section that is spread goes on whole."""
    expressions.hand_on(world, frame, value, node)
    found: dict[str, Value] = {}
    for atom in value:
        for key, item in world.items(atom).items() if isinstance(atom, Table) else ():
            if isinstance(key, Const) and isinstance(key.value, str):
                found[key.value] = join((found.get(key.value, frozenset()), item))
    return {name: found[name] for name in sorted(found)}


def bind_parameters(
    world: World, function: Function, receiver: Instance | Class | None, arguments: Arguments
) -> dict[str, Value]:
    """The parameters of a function with what they hold in this call."""
    parameters = function.definition.args
    names = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    given = ((one(receiver),) if receiver is not None else ()) + arguments.positional
    bound = _defaults(world, function)
    bound.update(zip(names, given, strict=False))
    keywords = dict(arguments.keywords)
    for name in (*names, *(parameter.arg for parameter in parameters.kwonlyargs)):
        value = keywords.pop(name, None)
        if value is not None:
            bound[name] = value
        bound.setdefault(name, UNKNOWN)
    if parameters.vararg:
        bound[parameters.vararg.arg] = one(Sequence(given[len(names) :]))
    if parameters.kwarg:
        bound[parameters.kwarg.arg] = _keyword_table(world, function.definition, keywords)
    return {name: bound[name] for name in [*names, *(name for name in bound if name not in names)]}


def _keyword_table(world: World, definition: Definition, keywords: dict[str, Value]) -> Value:
    table = Table(definition)
    world.tables.setdefault(table, {})
    for name, value in keywords.items():
        world.set_item(table, Const(name), value)
    return one(table)


def _defaults(world: World, function: Function) -> dict[str, Value]:
    parameters = function.definition.args
    positional = [*parameters.posonlyargs, *parameters.args]
    pairs = list(zip(reversed(positional), reversed(parameters.defaults), strict=False))
    pairs += [(p, d) for p, d in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if d]
    return {parameter.arg: _default(world, function, default) for parameter, default in pairs}


def _default(world: World, function: Function, node: ast.expr) -> Value:
    module = world.tree.module(function.module)
    if module is None:
        return UNKNOWN
    return expressions.evaluate(world, Frame(module, State(), outer=function.frame), node)
