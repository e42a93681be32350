"""Calls that leave the tree: builtins, OmegaConf and a few pure functions are known, everything else is not."""

from __future__ import annotations

import ipaddress
import math
import posixpath
from typing import TYPE_CHECKING, Any

from vlac.rlinf.reads.rehearsal import builtin, collections, omegaconf
from vlac.rlinf.reads.rehearsal.operators import UndecidedError, is_scalar
from vlac.rlinf.reads.rehearsal.records import Object
from vlac.rlinf.reads.rehearsal.sections import copy_beside
from vlac.rlinf.reads.rehearsal.values import External, Partial, Value, keys_of, unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World


def call_external(
    world: World,
    frame: Frame,
    name: str,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A call of a builtin or of another package."""
    how = _KNOWN.get(name) or _KNOWN.get(".".join(name.split(".")[-2:]))
    if how is not None:
        return how(world, frame, positional, keywords, node)
    pure = _PURE.get(name)
    if pure is not None and not keywords:
        return _computed(world, frame, pure, positional, node)
    if name.startswith(_QUIET):
        return unknown()
    if name.startswith("builtins.") and name.endswith(("Error", "Exception", "Exit", "Warning")):
        return Value(External(name), keys_of(positional))
    return world.surprise(*positional, *keywords.values())


def _computed(
    world: World, frame: Frame, function: Callable[..., Any], positional: tuple[Value, ...], node: ast.AST
) -> Value:
    """What a pure function of Python makes of values that are all known."""
    try:
        found = function(*(collections.to_python(value) for value in positional))
    except UndecidedError:
        return unknown(*positional)
    except Exception as problem:  # whatever the function raises, the code would have met
        if not all(is_scalar(value.data) for value in positional):
            return unknown(*positional)
        return world.fail(frame, node, type(problem).__name__, str(problem), keys_of(positional))
    return collections.from_python(found, positional)


def _copy(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    return copy_beside(positional[0]) if positional else unknown()


def _partial(
    _world: World, _frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], _node: ast.AST
) -> Value:
    return Value(Partial(positional[0], positional[1:], keywords)) if positional else unknown()


def _fields(
    world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    from vlac.rlinf.reads.rehearsal.records import Items, Table
    from vlac.rlinf.reads.rehearsal.values import ClassRef

    made = positional[0].data if positional else None
    made = made.made_from if isinstance(made, Object) else made
    if not isinstance(made, ClassRef):
        return unknown(*positional)
    table = world.classes.field_table(made).data
    assert isinstance(table, Table)
    return Value(Items(table.slots.values()))


# These raise nothing, and what comes back from them decides nothing.
_QUIET = ("logging.", "builtins.print", "warnings.warn", "atexit.", "signal.", "time.sleep")
_PURE: dict[str, Callable[..., Any]] = {
    "ipaddress.ip_address": ipaddress.ip_address,
    "math.ceil": math.ceil,
    "math.floor": math.floor,
    "math.gcd": math.gcd,
    "os.path.join": posixpath.join,
    "os.path.basename": posixpath.basename,
    "os.path.dirname": posixpath.dirname,
    "os.path.splitext": posixpath.splitext,
    **builtin.PURE,
}
_KNOWN: dict[str, builtin.Function] = {
    **builtin.FUNCTIONS,
    **omegaconf.FUNCTIONS,
    "copy.deepcopy": _copy,
    "copy.copy": _copy,
    "functools.partial": _partial,
    "dataclasses.fields": _fields,
}
