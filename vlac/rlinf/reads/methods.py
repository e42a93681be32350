"""Methods of values that are no objects of the tree: configuration nodes, collections, texts, worker groups."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.rlinf.reads import assignments, calls, expressions
from vlac.rlinf.reads.values import (
    DERIVED,
    NONE,
    UNKNOWN,
    Config,
    Const,
    Method,
    Sequence,
    Table,
    Value,
    WorkerGroup,
    join,
    one,
    texts,
)

if TYPE_CHECKING:
    from vlac.rlinf.reads.arguments import Arguments
    from vlac.rlinf.reads.state import Frame
    from vlac.rlinf.reads.world import World


_SAME_TEXT = frozenset({"lower", "upper", "strip", "lstrip", "rstrip", "casefold"})
_GROWS = frozenset({"append", "extend", "insert", "add", "update", "appendleft"})


def config_method(
    world: World, frame: Frame, sections: list[Config], name: str, arguments: Arguments, node: ast.AST
) -> Value:
    """A method of a configuration node (`cfg.get`, `cfg.items`), or of the text or list that a leaf is."""
    whole: Value = frozenset(sections)
    if name in ("get", "pop", "setdefault"):
        return _get(world, frame, sections, name, arguments, node)
    if name in ("items", "keys", "values"):
        expressions.hand_on(world, frame, whole, node)
        return DERIVED
    if name == "copy":
        return copied(frame, whole, node)
    if name in _SAME_TEXT:
        return whole
    calls.call_unknown(world, frame, arguments, node)
    return DERIVED


def _get(
    world: World, frame: Frame, sections: list[Config], name: str, arguments: Arguments, node: ast.AST
) -> Value:
    keys, default = texts(arguments.get(0, "key") or UNKNOWN), arguments.get(1, "default_value")
    if not keys:
        expressions.hand_on(world, frame, frozenset(sections), node)
        return DERIVED
    if name == "pop" and default is None:
        return join(one(world.read(frame, section, key, node)) for section in sections for key in keys)
    found = expressions.read_default(world, frame, sections, keys, default or NONE, node)
    if name == "setdefault":
        for section in sections:
            for key in keys:
                frame.state.write(section.node.child(key), found)
    return found


def copied(frame: Frame, value: Value, node: ast.AST) -> Value:
    """A copy: what is written to it does not reach the original."""
    place = f"{frame.module.name}:{getattr(node, 'lineno', 0)}"
    return frozenset(
        replace(atom, node=replace(atom.node, copy=place)) if isinstance(atom, Config) else atom
        for atom in value
    )


def call_method(world: World, frame: Frame, method: Method, arguments: Arguments, node: ast.AST) -> Value:
    """A method of a written-out collection, a constant or a worker group."""
    match method.receiver:
        case WorkerGroup(instance):
            return one(instance) if method.name == "launch" else one(method.receiver)
        case Table():
            return _table_method(world, frame, method.receiver, method.name, arguments, node)
        case Sequence():
            return _sequence_method(world, frame, method.receiver, method.name, arguments, node)
        case Const(str() as text) if method.name in _SAME_TEXT and not arguments.values():
            return one(Const(str(getattr(text, method.name)())))
    return calls.call_unknown(world, frame, arguments, node)


def _table_method(
    world: World, frame: Frame, table: Table, name: str, arguments: Arguments, node: ast.AST
) -> Value:
    held = world.items(table)
    if name in ("get", "pop", "setdefault"):
        default = arguments.get(1, "default")
        return expressions.table_item(world, table, arguments.get(0) or UNKNOWN, default=default or NONE)
    if name == "items":
        return one(Sequence(tuple(one(Sequence((one(key), value))) for key, value in held.items())))
    if name == "keys":
        return one(Sequence(tuple(one(key) for key in held)))
    if name == "values":
        return one(Sequence(tuple(held.values())))
    if name == "copy":
        return one(table)
    calls.call_unknown(world, frame, arguments, node)
    if name == "update":
        world.set_item(table, None, UNKNOWN)
    return UNKNOWN


def _sequence_method(
    world: World, frame: Frame, sequence: Sequence, name: str, arguments: Arguments, node: ast.AST
) -> Value:
    if name in ("keys", "copy"):
        return one(sequence)
    if name in _GROWS and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        grown = join([*sequence.items, *arguments.values()])
        assignments.bind(world, frame, node.func.value, one(Sequence((grown,))) | UNKNOWN)
        return NONE
    return calls.call_unknown(world, frame, arguments, node)
