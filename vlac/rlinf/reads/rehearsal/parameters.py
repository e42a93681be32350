"""The parameters of a function, with what they hold in a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.records import Frame, Table
from vlac.rlinf.reads.rehearsal.values import Value, unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable

    from vlac.rlinf.reads.rehearsal.values import Code
    from vlac.rlinf.reads.rehearsal.world import World


def bind_parameters(
    world: World, frame: Frame, code: Code, positional: tuple[Value, ...], keywords: dict[str, Value]
) -> bool:
    """Bind the parameters; false where they do not fit, which is more likely an error of the reader."""
    parameters = code.definition.args
    names = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    if len(positional) > len(names) and parameters.vararg is None:
        return False
    bound: dict[Hashable, Value] = dict(zip(names, positional, strict=False))
    rest: dict[Hashable, Value] = {name: value for name, value in keywords.items()}  # noqa: C416 - other keys
    for name in (*names, *(parameter.arg for parameter in parameters.kwonlyargs)):
        if name in rest:
            bound[name] = rest.pop(name)
    if parameters.vararg is not None:
        bound[parameters.vararg.arg] = Value(positional[len(names) :])
    if parameters.kwarg is not None:
        bound[parameters.kwarg.arg] = Value(Table(rest))
    elif rest:
        return False
    for name, default in _defaults(parameters).items():
        if name not in bound:
            bound[name] = _default(world, code, default)
    for name in (*names, *(parameter.arg for parameter in parameters.kwonlyargs)):
        bound.setdefault(name, unknown())
    frame.slots.update(bound)
    return True


def _defaults(parameters: ast.arguments) -> dict[str, ast.expr]:
    positional = [*parameters.posonlyargs, *parameters.args]
    pairs = list(zip(reversed(positional), reversed(parameters.defaults), strict=False))
    keyword_only = zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
    pairs += [(parameter, default) for parameter, default in keyword_only if default is not None]
    return {parameter.arg: default for parameter, default in pairs}


def _default(world: World, code: Code, node: ast.expr) -> Value:
    from vlac.rlinf.reads.rehearsal.expressions import evaluate

    with world.apart():
        return evaluate(world, Frame(code.module, outer=code.scope), node)
