"""Assignments: to names, to attributes of objects, and to keys of the configuration, which are `written` then."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads import attributes, branches, expressions
from vlac.rlinf.reads.values import (
    UNKNOWN,
    Class,
    Config,
    Const,
    Instance,
    Member,
    Sequence,
    Table,
    Value,
    configs,
    join,
    one,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Sequence as Many

    from vlac.rlinf.reads.state import Frame, State
    from vlac.rlinf.reads.world import World


def assign(world: World, frame: Frame, node: ast.Assign) -> None:
    """`a = b = value`."""
    value = _registered(world, frame, node)
    if value is None:
        value = expressions.evaluate(world, frame, node.value)
    for target in node.targets:
        bind(world, frame, target, value)


def _registered(world: World, frame: Frame, node: ast.Assign) -> Value | None:
    """`Kind.NAME = Kind.register("name")`: a named member, as an enumeration would have."""
    target, call = node.targets[0], node.value
    if not isinstance(target, ast.Attribute) or not isinstance(call, ast.Call) or not call.args:
        return None
    if not isinstance(call.func, ast.Attribute) or ast.dump(call.func.value) != ast.dump(
        target.value
    ).replace("Store()", "Load()"):
        return None
    made = [atom for atom in expressions.evaluate(world, frame, target.value) if isinstance(atom, Class)]
    names = texts(expressions.evaluate(world, frame, call.args[0]))
    return one(Member(made[0], names[0])) if made and names else None


def annotated(world: World, frame: Frame, node: ast.AnnAssign) -> None:
    """`a: type = value`."""
    if node.value is not None:
        bind(world, frame, node.target, expressions.evaluate(world, frame, node.value))


def augmented(world: World, frame: Frame, node: ast.AugAssign) -> None:
    """`a += value`: the target is read, then set."""
    value = expressions.evaluate(world, frame, node.value)
    target = node.target
    if isinstance(target, ast.Attribute):
        owner = expressions.evaluate(world, frame, target.value)
        held = attributes.attribute(world, frame, owner, target.attr, target)
    elif isinstance(target, ast.Name):
        held = frame.state.names.get(target.id, UNKNOWN)
    else:
        held = expressions.evaluate(
            world, frame, ast.Subscript(target.value, target.slice, ast.Load(), **_at(target))
        )
    bind(world, frame, target, expressions.computed([held, value]))


def _at(node: ast.expr) -> dict[str, int]:
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno or node.lineno,
    }


def bind(world: World, frame: Frame, target: ast.expr, value: Value) -> None:
    """Assign a value to a name, attribute, item or pattern of these."""
    match target:
        case ast.Name():
            frame.state.names[target.id] = value
        case ast.Attribute():
            owner = expressions.evaluate(world, frame, target.value)
            set_attribute(world, frame, owner, target.attr, value)
        case ast.Subscript():
            _set_item(world, frame, target, value)
        case ast.Tuple() | ast.List():
            _unpack(world, frame, target.elts, value)
        case ast.Starred():
            bind(world, frame, target.value, UNKNOWN)


def _unpack(world: World, frame: Frame, targets: Many[ast.expr], value: Value) -> None:
    rows = [atom.items for atom in value if isinstance(atom, Sequence) and len(atom.items) == len(targets)]
    rest = expressions.computed([value])
    for position, target in enumerate(targets):
        parts: Iterable[Value] = [row[position] for row in rows]
        whole = rows and len(rows) == len(value)
        bind(world, frame, target, join(parts) if whole else join([*parts, rest]))


def set_attribute(world: World, frame: Frame, owner: Value, name: str, value: Value) -> None:
    """Assign to an attribute: of an object, or of the configuration."""
    for atom in owner:
        if isinstance(atom, (Instance, Class)):
            world.set_attribute(atom, name, value)
        elif isinstance(atom, Config):
            _write(frame.state, atom, name, value, alone=len(owner) == 1)


def _write(state: State, section: Config, name: str, value: Value, *, alone: bool) -> None:
    below = section.node.child(name)
    if {config.node.path for config in configs(value)} == {below.path} and not any(
        config.optional for config in configs(value)
    ):
        return  # `cfg.actor = validated(cfg.actor)` gives back the same section
    if alone:
        state.write(below, value)
    else:
        state.touched |= {below}


def _set_item(world: World, frame: Frame, target: ast.Subscript, value: Value) -> None:
    owner = expressions.evaluate(world, frame, target.value)
    index = expressions.evaluate(world, frame, target.slice)
    for atom in owner:
        if isinstance(atom, Config):
            for name in texts(index):
                _write(frame.state, atom, name, value, alone=len(owner) * len(texts(index)) == 1)
        elif isinstance(atom, Table):
            _set_table_item(world, frame, atom, index, value)


def _set_table_item(world: World, frame: Frame, table: Table, index: Value, value: Value) -> None:
    constants = branches.settled(world, frame.state, index)
    if constants is None:
        world.set_item(table, None, value)
        return
    for constant in constants:
        key = Const(constant) if isinstance(constant, (str, int, float, bool)) else None
        world.set_item(table, key, value)
