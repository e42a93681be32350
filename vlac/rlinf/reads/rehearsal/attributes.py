"""Attributes and items: of the configuration, of objects and classes of the tree, of collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import calls, collections
from vlac.rlinf.reads.rehearsal.operators import UndecidedError, is_scalar
from vlac.rlinf.reads.rehearsal.records import ITEMS, Items, Object, Table
from vlac.rlinf.reads.rehearsal.sections import MISSING_VALUE, ListSection, Section
from vlac.rlinf.reads.rehearsal.values import (
    MAYBE,
    Bound,
    ClassRef,
    Code,
    External,
    ModuleRef,
    Native,
    Super,
    Value,
    WorkerGroup,
    unknown,
)

if TYPE_CHECKING:
    import ast

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.values import Keys
    from vlac.rlinf.reads.rehearsal.world import World

# The methods of DictConfig hide keys of the same name (omegaconf 2.3, dictconfig.py).
_SECTION_METHODS = frozenset(
    {"get", "pop", "keys", "items", "values", "copy", "setdefault", "update", "merge_with"}
)


def attribute(world: World, frame: Frame, owner: Value, name: str, node: ast.AST) -> Value:
    """What an attribute of a value holds."""
    data = owner.data
    match data:
        case Section():
            return _of_section(world, frame, data, name, node)
        case Object():
            return _of_object(world, frame, owner, data, name, node)
        case ClassRef():
            return _of_class(world, frame, data, name)
        case Super():
            return _of_super(world, frame, data, name, node)
        case ModuleRef():
            return world.names.member(data.name, name)
        case External():
            return Value(External(f"{data.name}.{name}"))
        case Items() | Table() | tuple():
            return Value(Native(owner, name))
        case WorkerGroup():
            return Value(Native(owner, name))
    if is_scalar(data):
        return _of_scalar(world, frame, owner, name, node)
    return unknown(owner)


def _of_scalar(world: World, frame: Frame, owner: Value, name: str, node: ast.AST) -> Value:
    if hasattr(owner.data, name):
        return Value(Native(owner, name))
    kind = type(owner.data).__name__
    return world.fail(frame, node, "AttributeError", f"'{kind}' object has no attribute '{name}'", owner.keys)


def _of_section(world: World, frame: Frame, section: Section, name: str, node: ast.AST) -> Value:
    if name in _SECTION_METHODS:
        return Value(Native(Value(section), name))
    return read_key(world, frame, section, name, node, "ConfigAttributeError")


def read_key(world: World, frame: Frame, section: Section, name: str, node: ast.AST, error: str) -> Value:
    """A key that has to be there."""
    found = section.slots.get(name)
    keys = key_of(section, name)
    if found is None:
        if section.is_open:
            return unknown(Value(None, keys))
        key = ".".join((*section.path, name))
        return world.fail(frame, node, error, f"Missing key {key}", keys)
    if found.data is MAYBE:
        return unknown(found)
    return collections.read(world, frame, found, section, node)


def key_of(section: Section, name: object) -> Keys:
    """The key of the user's file that a name in a section is."""
    return frozenset({(*section.path, str(name))})


def read_default(
    world: World, frame: Frame, section: Section, name: object, default: Value, node: ast.AST
) -> Value:
    """`section.get(name, default)`."""
    found = section.slots.get(name) if isinstance(name, (str, int, float)) else None
    if found is None:
        here = Value(None, key_of(section, name))
        return unknown(here, default) if section.is_open else default.and_of(here)
    if found.data is MAYBE:
        return unknown(found, default)
    if found.data == MISSING_VALUE:
        return default.and_of(found)
    return collections.read(world, frame, found, section, node)


def _of_object(world: World, frame: Frame, owner: Value, made: Object, name: str, node: ast.AST) -> Value:
    if name in made.slots:
        found = made.slots[name]
        return unknown(found) if found.data is MAYBE else found
    if name == "__class__":
        return Value(made.made_from)
    if name == "name" and world.classes.is_enumeration(made.made_from):
        return made.slots.get("*name*", unknown())
    method = world.classes.method(made.made_from, name)
    if method is not None:
        return _bind(world, frame, method, owner, node)
    value = world.classes.value(made.made_from, name)
    return unknown() if value is None else value


def _bind(world: World, frame: Frame, method: Code, receiver: Value, node: ast.AST) -> Value:
    kinds = set(world.classes.decorators(method))
    if "staticmethod" in kinds:
        return Value(method)
    if kinds & {"property", "cached_property"}:
        return calls.call_code(world, frame, method, (receiver,), {}, node)
    if "classmethod" in kinds and isinstance(receiver.data, Object):
        receiver = Value(receiver.data.made_from)
    return Value(Bound(method, receiver))


def _of_class(world: World, frame: Frame, made: ClassRef, name: str) -> Value:
    if name == "__name__":
        return Value(made.definition.name)
    if name == "__dataclass_fields__":
        return world.classes.field_table(made)
    found = world.classes.value(made, name)
    if found is not None:
        return found
    method = world.classes.method(made, name)
    if method is None:
        return unknown()
    kinds = set(world.classes.decorators(method))
    return Value(Bound(method, Value(made))) if "classmethod" in kinds else Value(method)


def _of_super(world: World, frame: Frame, above: Super, name: str, node: ast.AST) -> Value:
    receiver = above.receiver.data
    made = receiver.made_from if isinstance(receiver, Object) else receiver
    if not isinstance(made, ClassRef):
        return unknown()
    method = world.classes.method(made, name, after=above.owner)
    if method is not None:
        return _bind(world, frame, method, above.receiver, node)
    return Value(External(f"builtins.object.{name}")) if not world.classes.outside(made) else unknown()


def item(world: World, frame: Frame, owner: Value, index: Value, node: ast.AST) -> Value:
    """`owner[index]`."""
    data = owner.data
    if isinstance(data, Section):
        if not isinstance(index.data, (str, int)):
            return unknown(owner, index)
        return read_key(world, frame, data, index.data, node, "ConfigKeyError").and_of(index)  # type: ignore[arg-type] # names may be numbers
    if isinstance(data, Table):
        return _of_table(world, frame, data, index, node)
    if isinstance(data, ClassRef) and world.classes.is_enumeration(data):
        return world.classes.value(data, str(index.data)) or unknown(index)
    items = data.slots[ITEMS].data if isinstance(data, Items) else data
    if not isinstance(items, (tuple, str)) or not isinstance(index.data, int):
        return unknown(owner, index)
    if not -len(items) <= index.data < len(items):
        return world.fail(frame, node, "IndexError", "list index out of range", owner.keys | index.keys)
    found = items[index.data]
    if isinstance(found, str):
        return Value(found, owner.keys | index.keys)
    if isinstance(data, ListSection):
        return collections.read(world, frame, found, data, node).and_of(index)
    assert isinstance(found, Value)  # tuples of the rehearsal hold values
    return found.and_of(index)


def _of_table(world: World, frame: Frame, table: Table, index: Value, node: ast.AST) -> Value:
    try:
        key = collections.frozen(index)
    except UndecidedError:
        return unknown(index, collections.everything_in(table))
    found = collections.look_up(world, table, key)
    if found is None:
        if table.is_open:
            return unknown(index)
        return world.fail(frame, node, "KeyError", repr(index.data), index.keys)
    return unknown(found, index) if found.data is MAYBE else found.and_of(index)
