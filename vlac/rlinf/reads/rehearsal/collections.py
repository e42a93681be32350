"""Lists, sets, tuples and dictionaries: their items, what lies under a key, and turning them into Python's and back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import operators
from vlac.rlinf.reads.rehearsal.operators import UndecidedError, is_scalar
from vlac.rlinf.reads.rehearsal.records import ANYTHING, Items, Object, Record, Table
from vlac.rlinf.reads.rehearsal.sections import MISSING_VALUE, ListSection, Section, UnresolvedError, resolved
from vlac.rlinf.reads.rehearsal.values import MAYBE, UNKNOWN, Value, keys_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.values import Keys
    from vlac.rlinf.reads.rehearsal.world import World


def items_of(world: World, frame: Frame, value: Value, node: ast.AST) -> list[Value] | None:
    """What a loop over a value gives, None where that is not known."""
    data = value.data
    if isinstance(data, tuple):
        return [item.and_of(value) for item in data]
    if isinstance(data, str):
        return [Value(character, value.keys) for character in data]
    if isinstance(data, ListSection):
        items = data.items
        return None if items is None else [read(world, frame, item, data, node) for item in items]
    if isinstance(data, Items):
        return None if data.items is None else list(data.items)
    if isinstance(data, (Table, Section)):
        return None if not is_closed(data) else [key_value(data, name) for name in data.slots]
    if is_scalar(data):
        kind = type(data).__name__
        world.fail(frame, node, "TypeError", f"'{kind}' object is not iterable", value.keys)
    return None


def is_closed(holder: Table | Section) -> bool:
    """Whether every key of it is known."""
    return not holder.is_open and all(value.data is not MAYBE for value in holder.slots.values())


def key_value(holder: Table | Section, name: Hashable) -> Value:
    """A key of a dictionary or section, as a value."""
    if isinstance(holder, Section):
        return Value(name, frozenset({(*holder.path, str(name))}))
    return Value(_unfrozen(name), holder.named_by)


def read(world: World, frame: Frame, value: Value, section: Section | ListSection, node: ast.AST) -> Value:
    """A value of the configuration, with its interpolations."""
    if value.data == MISSING_VALUE:
        return world.fail(frame, node, "MissingMandatoryValue", "Missing mandatory value", value.keys)
    try:
        return resolved(value, section)
    except UnresolvedError as problem:
        message = f"Interpolation key '{problem.target}' not found"
        return world.fail(frame, node, "InterpolationKeyError", message, value.keys)


def frozen(value: Value) -> Hashable:
    """A value as the key of a dictionary. UndecidedError where it is not known."""
    data = value.data
    if isinstance(data, tuple):
        return tuple(map(frozen, data))
    if is_scalar(data):
        return data
    if isinstance(data, Items) or not value.known:
        raise UndecidedError
    return _Thing(data)


class _Thing:
    """A thing of the rehearsal as a key: the same thing, or an equal member."""

    def __init__(self, data: object) -> None:
        self.data = data

    def __hash__(self) -> int:
        return hash(self.data.made_from.definition.name) if isinstance(self.data, Object) else hash(self.data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Thing) and operators.equal(self.data, other.data) is True


def _unfrozen(key: Hashable) -> object:
    if isinstance(key, _Thing):
        return key.data
    return tuple(Value(_unfrozen(part)) for part in key) if isinstance(key, tuple) else key


def contains(world: World, collection: Value, item: Value) -> bool | None:
    """`item in collection`, None where that is open."""
    data = collection.data
    if isinstance(data, str):
        return item.data in data if isinstance(item.data, str) else None
    if isinstance(data, (Table, Section)):
        return _has(world, data, item)
    truth = _among(data, item)
    if truth is False and isinstance(data, Items) and data.home:
        world.names.fill(data)
        return _among(data, item)
    return truth


def _among(data: object, item: Value) -> bool | None:
    items = data if isinstance(data, tuple) else data.items if isinstance(data, Items) else None
    if items is None:
        return None
    answers = {operators.equal(one.data, item.data) for one in items}
    return True if True in answers else None if None in answers else False


def _has(world: World, holder: Table | Section, item: Value) -> bool | None:
    try:
        key = frozen(item)
    except UndecidedError:
        return None
    found = look_up(world, holder, key)
    if found is None:
        return None if holder.is_open else False
    if isinstance(holder, Section) and found.data == MISSING_VALUE:
        return False
    return None if found.data is MAYBE else True


def look_up(world: World, holder: Table | Section, key: Hashable) -> Value | None:
    """What lies under a key; other modules, or the run itself, may have yet to fill a dictionary."""
    if key == ANYTHING:
        return None
    if key not in holder.slots and isinstance(holder, Table) and holder.home:
        world.names.fill(holder)
        if key in world.registered:
            return holder.slots.get(key, Value(MAYBE))
    return holder.slots.get(key)


def put(world: World, holder: Table | Section, key: Value, value: Value) -> None:
    """Set an item; under a key that is not known, anything may be anywhere from then on."""
    if isinstance(holder, Table):
        holder.named_by |= deep_keys(key)
    try:
        world.heap.set(holder, frozen(key), value)
    except UndecidedError:
        world.heap.forget(holder)


def to_python(value: Value) -> object:
    """A value with all in it as Python's own. UndecidedError where some of it is not known."""
    data = value.data
    if is_scalar(data):
        return data
    if isinstance(data, tuple):
        return tuple(map(to_python, data))
    if isinstance(data, ListSection):
        return [to_python(_plain(item, data)) for item in _all(data)]
    if isinstance(data, Items):
        found = map(to_python, _all(data))
        return set(found) if data.kind == "set" else list(found)
    if isinstance(data, (Section, Table)) and is_closed(data):
        return {name: to_python(_plain(item, data)) for name, item in data.slots.items()}
    raise UndecidedError


def _plain(value: Value, holder: Record) -> Value:
    if not isinstance(holder, (Section, ListSection)):
        return value
    try:
        return resolved(value, holder)
    except UnresolvedError:
        raise UndecidedError from None


def _all(items: Items) -> tuple[Value, ...]:
    if items.items is None:
        raise UndecidedError
    return items.items


def from_python(found: object, parts: Iterable[Value] = ()) -> Value:
    """A result of Python's own functions, made of these values."""
    return _from_python(found, deep_keys(*parts))


def _from_python(found: object, keys: Keys) -> Value:
    if is_scalar(found):
        return Value(found, keys)
    if isinstance(found, tuple):
        return Value(tuple(_from_python(item, keys) for item in found), keys)
    if isinstance(found, (list, range, set, frozenset)):
        kind = "set" if isinstance(found, (set, frozenset)) else "list"
        return Value(Items([_from_python(item, keys) for item in found], kind), keys)
    if isinstance(found, dict):
        return Value(Table({name: _from_python(item, keys) for name, item in found.items()}), keys)
    return Value(UNKNOWN, keys)


def combined(kind: ast.operator, left: Value, right: Value) -> Value | None:
    """`left - right`, `|` and `&` of sets, None where they are none or not known."""
    ours, theirs = left.data, right.data
    if not (isinstance(ours, Items) and isinstance(theirs, Items) and ours.kind == theirs.kind == "set"):
        return None
    if ours.items is None or theirs.items is None:
        return None
    try:
        inside = {frozen(item) for item in theirs.items}
        mine = {frozen(item) for item in ours.items}
    except UndecidedError:
        return None
    if isinstance(kind, ast.BitOr):
        found = [*ours.items, *(item for item in theirs.items if frozen(item) not in mine)]
    elif isinstance(kind, (ast.Sub, ast.BitAnd)):
        wanted = isinstance(kind, ast.BitAnd)
        found = [item for item in ours.items if (frozen(item) in inside) is wanted]
    else:
        return None
    return Value(Items([item.and_of(left, right) for item in found], "set"), keys_of((left, right)))


def deep_keys(*values: Value) -> Keys:
    """The keys that made these, and what is in the collections among them."""
    found = keys_of(values)
    for value in values:
        items = value.data.items if isinstance(value.data, Items) else value.data
        if isinstance(items, tuple) and not isinstance(value.data, ListSection):
            found |= deep_keys(*items)
    return found


def everything_in(holder: Table | Section) -> Value:
    """One of its values, nobody knows which."""
    return Value(UNKNOWN, keys_of(holder.slots.values()))
