"""Expressions: which configuration nodes, constants and objects of the tree they may hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from vlac.rlinf.reads import assignments, attributes, branches, calls
from vlac.rlinf.reads.log import Kind
from vlac.rlinf.reads.state import Frame, merged
from vlac.rlinf.reads.values import (
    DERIVED,
    UNKNOWN,
    Class,
    Config,
    Const,
    Derived,
    External,
    Function,
    Member,
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
    from collections.abc import Callable, Iterable

    from vlac.rlinf.reads.values import Atom
    from vlac.rlinf.reads.world import World


def evaluate(world: World, frame: Frame, node: ast.expr) -> Value:
    """What an expression may hold; reads of the configuration on the way are noted."""
    how = _BY_TYPE.get(type(node))
    if how is not None:
        return how(world, frame, node)
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return computed([evaluate(world, frame, part) for part in parts])


def computed(parts: Iterable[Value]) -> Value:
    """What is computed from these values by means that are not followed."""
    return DERIVED if any(map(depends_on_config, parts)) else UNKNOWN


def _constant(_world: World, _frame: Frame, node: ast.Constant) -> Value:
    value = node.value
    if value is None or isinstance(value, (str, int, float)):
        return one(Const(value))
    return UNKNOWN


def _name(world: World, frame: Frame, node: ast.Name) -> Value:
    scope: Frame | None = frame
    while scope is not None:
        if node.id in scope.state.names:
            return scope.state.names[node.id]
        scope = scope.outer
    value = world.symbol(frame.module, node.id)
    return one(External(f"builtins.{node.id}")) if value is None else value


def _attribute(world: World, frame: Frame, node: ast.Attribute) -> Value:
    owner = evaluate(world, frame, node.value)
    return attributes.attribute(world, frame, owner, node.attr, node)


def _subscript(world: World, frame: Frame, node: ast.Subscript) -> Value:
    owner, index = evaluate(world, frame, node.value), evaluate(world, frame, node.slice)
    names, sections = texts(index), configs(owner)
    alone = len(names) * len(sections) == 1
    found = [one(world.read(frame, one_, name, node, alone=alone)) for one_ in sections for name in names]
    if sections and not names:
        hand_on(world, frame, owner, node)
    found += [_item(world, atom, index) for atom in owner if not isinstance(atom, Config)]
    return join(found) if found else computed([owner, index])


def _item(world: World, atom: Atom, index: Value) -> Value:
    if isinstance(atom, Table):
        return table_item(world, atom, index)
    if isinstance(atom, Sequence):
        return _sequence_item(atom, index)
    return DERIVED if isinstance(atom, Derived) else UNKNOWN


def _sequence_item(sequence: Sequence, index: Value) -> Value:
    if len(index) == 1:
        (position,) = index
        if isinstance(position, Const) and isinstance(position.value, int):
            inside = -len(sequence.items) <= position.value < len(sequence.items)
            return sequence.items[position.value] if inside else UNKNOWN
    return join((*sequence.items, UNKNOWN))


def table_item(world: World, table: Table, key: Value, *, default: Value | None = None) -> Value:
    """What a table holds under a key, `default` where it surely holds nothing there."""
    from vlac.rlinf.reads.values import Unknown

    held = world.items(table)
    anywhere = held.get(Unknown(), frozenset())
    constants = _keys(world, key)
    if constants is None or not held:  # an empty table may be filled by decorators elsewhere
        return join((*held.values(), default or UNKNOWN))
    found = [held[atom] for atom in held if getattr(atom, "value", None) in constants]
    missing = not found and not anywhere
    return join((*found, anywhere, (default or UNKNOWN) if missing else frozenset()))


def _keys(world: World, key: Value) -> list[object] | None:
    from vlac.rlinf.reads.state import State

    return branches.settled(world, State(), key)


def _bool_op(world: World, frame: Frame, node: ast.BoolOp) -> Value:
    value, outcome = branches.operands(world, frame, node)
    if outcome.truth is not None and not configs(value):
        return outcome.as_value() if all(isinstance(atom, (Const, Derived)) for atom in value) else value
    if not all(isinstance(atom, (Const, Derived)) for atom in value):
        return value
    return outcome.as_value()


def _truth(world: World, frame: Frame, node: ast.expr) -> Value:
    return branches.test(world, frame, node).as_value()


def _unary(world: World, frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return _truth(world, frame, node)
    value = evaluate(world, frame, node.operand)
    if isinstance(node.op, ast.USub) and len(value) == 1:
        (atom,) = value
        if isinstance(atom, Const) and isinstance(atom.value, (int, float)):
            return one(Const(-atom.value))
    return computed([value])


def _if_expression(world: World, frame: Frame, node: ast.IfExp) -> Value:
    outcome = branches.test(world, frame, node.test)
    before = frame.state
    ways: list[tuple[object, Value]] = []
    states = []
    for truth, present, part in (
        (True, outcome.when_true, node.body),
        (False, outcome.when_false, node.orelse),
    ):
        if outcome.truth is (not truth):
            continue
        frame.state = before.branch(present)
        ways.append((truth, evaluate(world, frame, part)))
        states.append(frame.state)
    frame.state = before
    together = merged(states)
    frame.state.written, frame.state.touched = together.written, together.touched
    frame.state.required = together.required
    return join(value for _, value in ways)


def _sequence(world: World, frame: Frame, node: ast.List | ast.Tuple | ast.Set) -> Value:
    items = [evaluate(world, frame, item) for item in node.elts]
    if any(isinstance(item, ast.Starred) for item in node.elts) or len(items) > 64:
        return computed(items)
    return one(Sequence(tuple(items)))


def _starred(world: World, frame: Frame, node: ast.Starred) -> Value:
    return evaluate(world, frame, node.value)


def _dictionary(world: World, frame: Frame, node: ast.Dict) -> Value:
    table = Table(node)
    world.tables.setdefault(table, {})
    for key, value in zip(node.keys, node.values, strict=True):
        held = evaluate(world, frame, value)
        if key is None:
            hand_on(world, frame, held, node)
            world.set_item(table, None, UNKNOWN)
            continue
        for atom in evaluate(world, frame, key):
            world.set_item(table, atom if isinstance(atom, (Const, Member)) else None, held)
    return one(table)


def _comprehension(
    world: World, frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Value:
    before = frame.state
    frame.state = before.branch()
    for generator in node.generators:
        items = evaluate(world, frame, generator.iter)
        assignments.bind(world, frame, generator.target, element(world, frame, items, node))
        for condition in generator.ifs:
            frame.state.present |= branches.test(world, frame, condition).when_true
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    values = [evaluate(world, frame, part) for part in parts]
    frame.state = before
    if isinstance(node, ast.DictComp):
        return computed(values)
    return one(Sequence(tuple(values)))


def element(world: World, frame: Frame, collection: Value, node: ast.AST) -> Value:
    """What an item of a collection may be. Items of configuration lists are not followed."""
    hand_on(world, frame, collection, node)
    parts: list[Value] = []
    for atom in collection:
        if isinstance(atom, Sequence):
            parts += atom.items or (UNKNOWN,)
        else:
            parts.append(DERIVED if isinstance(atom, (Config, Derived)) else UNKNOWN)
    return join(parts)


def hand_on(world: World, frame: Frame, value: Value, node: ast.AST) -> None:
    """Note the configuration sections in a value that goes where it is not followed."""
    for config in configs(value):
        world.log.hand_on(config.node.path, world.place(frame, node))


def _lambda(_world: World, frame: Frame, node: ast.Lambda) -> Value:
    return one(Function(frame.module.name, node, _owner(frame), frame))


def _owner(frame: Frame) -> Class | None:
    return frame.function.owner if frame.function else None


def _named(world: World, frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(world, frame, node.value)
    frame.state.names[node.target.id] = value
    return value


def _await(world: World, frame: Frame, node: ast.Await) -> Value:
    return evaluate(world, frame, node.value)


def read_default(
    world: World,
    frame: Frame,
    sections: Iterable[Config],
    names: Iterable[str],
    default: Value,
    node: ast.AST,
) -> Value:
    """`section.get(name, default)`: the key's value or the default."""
    found: list[Value] = []
    for config in sections:
        for name in names:
            read = world.read_leniently(frame, config, name, node, Kind.DEFAULTED)
            there = branches.is_there(world, frame.state, read.node)
            if there is not False:
                found.append(one(Config(read.node, optional=there is None)))
            if there is not True:
                found.append(default)
    return join(found) if found else default


# Each function takes the one type of node that it stands under.
_BY_TYPE: dict[type[ast.expr], Callable[[World, Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BoolOp: _bool_op,
    ast.Compare: _truth,
    ast.UnaryOp: _unary,
    ast.IfExp: _if_expression,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Starred: _starred,
    ast.Dict: _dictionary,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Await: _await,
    ast.Call: lambda world, frame, node: calls.evaluate_call(world, frame, node),
}
