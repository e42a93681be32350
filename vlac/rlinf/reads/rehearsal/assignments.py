"""Assignments: to names, attributes, items and patterns of these."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import attributes, collections, expressions
from vlac.rlinf.reads.rehearsal.flows import NEXT, Flow
from vlac.rlinf.reads.rehearsal.records import ITEMS, Items, Object, Record, Table
from vlac.rlinf.reads.rehearsal.sections import ListSection, Section, copy_beside, copy_of
from vlac.rlinf.reads.rehearsal.values import ClassRef, Value, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World


def assign(world: World, frame: Frame, node: ast.Assign) -> Flow:
    """`a = b = value`."""
    value = expressions.evaluate(world, frame, node.value)
    if isinstance(value.data, Object):
        value = chosen(world, node.value, value)
    for target in node.targets:
        bind(world, frame, target, value)
    return NEXT


def chosen(world: World, node: ast.expr, value: Value) -> Value:
    """What a constant or a member of an enumeration comes from is the test that it stands behind."""
    if value.keys or not value.known or not isinstance(node, (ast.Constant, ast.Attribute)):
        return value
    return Value(value.data, world.reason.keys)


def annotated(world: World, frame: Frame, node: ast.AnnAssign) -> Flow:
    """`a: type = value`."""
    if node.value is not None:
        bind(world, frame, node.target, expressions.evaluate(world, frame, node.value))
    return NEXT


def augmented(world: World, frame: Frame, node: ast.AugAssign) -> Flow:
    """`a += value`: the target is read, then set."""
    target = node.target
    if isinstance(target, ast.Name):
        held = world.names.find(frame, target.id)
    elif isinstance(target, ast.Attribute):
        owner = expressions.evaluate(world, frame, target.value)
        held = attributes.attribute(world, frame, owner, target.attr, target)
    else:
        owner = expressions.evaluate(world, frame, target.value)
        held = attributes.item(world, frame, owner, expressions.evaluate(world, frame, target.slice), target)
    value = expressions.evaluate(world, frame, node.value)
    bind(world, frame, target, expressions.compute(world, frame, node, node.op, held, value))
    return NEXT


def bind(world: World, frame: Frame, target: ast.expr, value: Value) -> None:
    """Assign a value to a name, attribute, item or pattern of these."""
    match target:
        case ast.Name():
            world.heap.set(frame.declared.get(target.id, frame), target.id, value)
        case ast.Attribute():
            set_attribute(world, expressions.evaluate(world, frame, target.value), target.attr, value)
        case ast.Subscript():
            owner = expressions.evaluate(world, frame, target.value)
            if isinstance(target.slice, ast.Slice):
                forget(world, owner)
            else:
                set_item(world, owner, expressions.evaluate(world, frame, target.slice), value)
        case ast.Tuple() | ast.List():
            _unpack(world, frame, target.elts, value)
        case ast.Starred():
            bind(world, frame, target.value, value)


def _unpack(world: World, frame: Frame, targets: Sequence[ast.expr], value: Value) -> None:
    if isinstance(value.data, (tuple, str, Record)):
        items = collections.items_of(world, frame, value, targets[0])
    else:
        items = None
    starred = [at for at, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if items is not None and starred:
        items = _gathered(items, starred[0], len(targets) - starred[0] - 1)
    if items is None or len(items) != len(targets):
        items = [unknown(value) for _ in targets]
    for target, item in zip(targets, items, strict=True):
        bind(world, frame, target, item)


def _gathered(items: list[Value], before: int, after: int) -> list[Value]:
    end = len(items) - after
    return [*items[:before], Value(Items(items[before:end])), *items[end:]]


def set_attribute(world: World, owner: Value, name: str, value: Value) -> None:
    """Assign to an attribute of an object, a class, or the configuration."""
    data = owner.data
    if isinstance(data, Section):
        world.heap.set(data, name, _placed(value, data))
    elif isinstance(data, Object):
        world.heap.set(data, name, value)
    elif isinstance(data, ClassRef):
        world.heap.set(world.classes.record(data), name, value)


def _placed(value: Value, parent: Section | ListSection) -> Value:
    """A value as the configuration keeps it: OmegaConf copies what it is given."""
    if isinstance(value.data, (Section, ListSection)):
        return value if value.data.parent is parent else copy_of(value, parent)
    if isinstance(value.data, Table):
        return Value(_section_from(value.data, parent), value.keys)
    if isinstance(value.data, (Items, tuple)):
        items = value.data.items if isinstance(value.data, Items) else value.data
        made = ListSection(parent.path, parent)
        made.slots.update(Items(None if items is None else [_placed(item, made) for item in items]).slots)
        return Value(made, value.keys)
    return value


def _section_from(table: Table, parent: Section | ListSection | None) -> Section:
    made = Section(parent.path if parent is not None else (), parent)
    made.slots.update({name: _placed(item, made) for name, item in table.slots.items()})
    return made


def as_section(value: Value) -> Value:
    """`OmegaConf.create(value)`."""
    if isinstance(value.data, Table):
        return Value(_section_from(value.data, None), value.keys)
    return copy_beside(value)


def set_item(world: World, owner: Value, index: Value, value: Value) -> None:
    """Assign to an item of a collection or of the configuration."""
    data = owner.data
    if isinstance(data, Section):
        collections.put(world, data, index, _placed(value, data))
    elif isinstance(data, Table):
        collections.put(world, data, index, value)
    elif isinstance(data, Items):
        items, at = data.items, index.data
        if items is None or not isinstance(at, int) or not -len(items) <= at < len(items):
            world.heap.forget(data)
        else:
            changed = list(items)
            changed[at] = value
            world.heap.set(data, ITEMS, Value(tuple(changed)))


def forget(world: World, value: Value) -> None:
    """Something in a value may have been changed."""
    if isinstance(value.data, Record):
        world.heap.forget(value.data)


def delete(world: World, frame: Frame, node: ast.Delete) -> Flow:
    """`del a.b`, `del a["b"]`."""
    for target in node.targets:
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            owner = expressions.evaluate(world, frame, target.value)
            name: object = getattr(target, "attr", None)
            if isinstance(target, ast.Subscript):
                name = expressions.evaluate(world, frame, target.slice).data
            if isinstance(owner.data, (Section, Table, Object)) and isinstance(name, (str, int)):
                world.heap.remove(owner.data, name)
            else:
                forget(world, owner)
    return NEXT
