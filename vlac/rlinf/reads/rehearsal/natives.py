"""Methods of values that are no objects of the tree: sections, dictionaries, lists, sets, texts, worker groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import assignments, attributes, collections, workers
from vlac.rlinf.reads.rehearsal.operators import UndecidedError, is_scalar
from vlac.rlinf.reads.rehearsal.records import ITEMS, Items, Table
from vlac.rlinf.reads.rehearsal.sections import Section, copy_beside
from vlac.rlinf.reads.rehearsal.values import MAYBE, NONE, Value, WorkerGroup, unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.values import Native
    from vlac.rlinf.reads.rehearsal.world import World


def call_method(
    world: World,
    frame: Frame,
    method: Native,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Call a method of such a value."""
    receiver = method.receiver
    match receiver.data:
        case WorkerGroup() as group:
            return workers.call_group(world, frame, group, method.name, positional, keywords, node)
        case Section() | Table():
            return _of_mapping(world, frame, receiver, method.name, positional, keywords, node)
        case Items():
            return _of_items(world, frame, receiver, receiver.data, method.name, positional, keywords, node)
    return _of_constant(world, frame, receiver, method.name, positional, keywords, node)


def _of_constant(
    world: World,
    frame: Frame,
    receiver: Value,
    name: str,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A method of a text, number or tuple: Python's own."""
    parts = (receiver, *positional, *keywords.values())
    try:
        arguments = [collections.to_python(value) for value in positional]
        named = {key: collections.to_python(value) for key, value in keywords.items()}
        found = getattr(collections.to_python(receiver), name)(*arguments, **named)
    except UndecidedError:
        return unknown(*parts)
    except Exception as problem:  # whatever the method raises, the code would have met
        if not is_scalar(receiver.data):
            return unknown(*parts)
        keys = unknown(*parts).keys
        return world.fail(frame, node, type(problem).__name__, str(problem), keys)
    return collections.from_python(found, parts)


# Mappings


def _of_mapping(
    world: World,
    frame: Frame,
    receiver: Value,
    name: str,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    holder = receiver.data
    assert isinstance(holder, (Section, Table))
    if name in ("get", "pop", "setdefault"):
        key = positional[0] if positional else keywords.get("key", unknown())
        default = positional[1] if len(positional) > 1 else None
        default = default or keywords.get("default_value") or keywords.get("default")
        return _get(world, frame, holder, name, key, default, node)
    if name in ("keys", "values", "items"):
        return _view(world, frame, receiver, holder, name, node)
    if name == "copy":
        if isinstance(holder, Section):
            return copy_beside(receiver)
        return Value(Table(holder.slots), receiver.keys)
    if name in ("update", "merge_with"):
        return _update(world, frame, holder, positional, keywords, node)
    if name == "clear":
        for held in list(holder.slots):
            world.heap.remove(holder, held)
        return NONE
    return world.surprise(receiver, *positional)


def _get(
    world: World,
    frame: Frame,
    holder: Section | Table,
    name: str,
    key: Value,
    default: Value | None,
    node: ast.AST,
) -> Value:
    try:
        frozen = collections.frozen(key)
    except UndecidedError:
        if name != "get":
            world.heap.forget(holder)
        return unknown(key, default or NONE)
    if isinstance(holder, Section):
        value = attributes.read_default(world, frame, holder, key.data, default or NONE, node)
    else:
        found = collections.look_up(world, holder, frozen)
        open_ended = (found is None and holder.is_open) or (found is not None and found.data is MAYBE)
        value = unknown(key) if open_ended else found.and_of(key) if found else (default or NONE).and_of(key)
    if name == "pop":
        world.heap.remove(holder, frozen)
    elif name == "setdefault" and frozen not in holder.slots:
        world.heap.set(holder, frozen, value)
    return value


def _view(
    world: World, frame: Frame, receiver: Value, holder: Section | Table, name: str, node: ast.AST
) -> Value:
    if not collections.is_closed(holder):
        return unknown(receiver)
    names = [collections.key_value(holder, key) for key in holder.slots]
    if name == "keys":
        there = frozenset({holder.path}) if isinstance(holder, Section) else holder.named_by
        return Value(Items(names, "keys"), there | receiver.keys)
    values = [attributes.item(world, frame, receiver, key, node) for key in names]
    if name == "values":
        return Value(Items(values, "values"))
    return Value(Items([Value(pair) for pair in zip(names, values, strict=True)], "items"))


def _update(
    world: World,
    frame: Frame,
    holder: Section | Table,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    for value in positional:
        names = (
            collections.items_of(world, frame, value, node)
            if isinstance(value.data, (Section, Table))
            else None
        )
        if names is None:
            world.heap.forget(holder)
            continue
        for name in names:
            item = attributes.item(world, frame, value, name, node)
            assignments.set_item(world, Value(holder), name, item)
    for key, item in keywords.items():
        assignments.set_item(world, Value(holder), Value(key), item)
    return NONE


# Lists and sets


def _of_items(
    world: World,
    frame: Frame,
    receiver: Value,
    items: Items,
    name: str,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    how = _CHANGES.get(name)
    if how is not None:
        return how(world, frame, items, positional, node)
    if name == "copy":
        return Value(Items(items.items, items.kind), receiver.keys)
    if name in ("get",) and positional:
        return unknown(receiver, *positional)
    parts = (receiver, *positional)
    try:
        arguments = [collections.to_python(value) for value in positional]
        method = getattr(collections.to_python(Value(items)), name, None)
        found = method(*arguments) if method is not None else unknown(*parts)
    except Exception:  # what is not known or fails is left open
        return unknown(*parts)
    if name in ("sort", "reverse", "clear", "remove", "discard", "insert"):
        world.heap.forget(items)
    return found if isinstance(found, Value) else collections.from_python(found, parts)


def _append(
    world: World, _frame: Frame, items: Items, positional: tuple[Value, ...], _node: ast.AST
) -> Value:
    return _grow(world, items, list(positional[:1]))


def _extend(world: World, frame: Frame, items: Items, positional: tuple[Value, ...], node: ast.AST) -> Value:
    added: list[Value] = []
    for value in positional:
        more = collections.items_of(world, frame, value, node)
        if more is None:
            world.heap.forget(items)
            return NONE
        added += more
    return _grow(world, items, added)


def _grow(world: World, items: Items, added: list[Value]) -> Value:
    if items.items is not None:
        before = items.items
        if items.kind == "set":
            added = [one for one in added if collections.contains(world, Value(before), one) is not True]
        world.heap.set(items, ITEMS, Value((*before, *added)))
    return NONE


def _pop(world: World, _frame: Frame, items: Items, positional: tuple[Value, ...], _node: ast.AST) -> Value:
    at = positional[0].data if positional else -1
    held = items.items
    if held is None or not isinstance(at, int) or not -len(held) <= at < len(held) or items.kind == "set":
        world.heap.forget(items)
        return unknown()
    rest = list(held)
    found = rest.pop(at)
    world.heap.set(items, ITEMS, Value(tuple(rest)))
    return found


_CHANGES: dict[str, Callable[[World, Frame, Items, tuple[Value, ...], ast.AST], Value]] = {
    "append": _append,
    "add": _append,
    "extend": _extend,
    "update": _extend,
    "pop": _pop,
}
