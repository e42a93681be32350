"""Attributes: keys of the configuration, and what objects, classes and modules of the tree hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads import calls
from vlac.rlinf.reads.arguments import Arguments
from vlac.rlinf.reads.classes import decorators
from vlac.rlinf.reads.values import (
    DERIVED,
    UNKNOWN,
    Bound,
    Class,
    Config,
    Const,
    Derived,
    External,
    Function,
    Instance,
    Member,
    Method,
    ModuleRef,
    Sequence,
    Super,
    Table,
    Value,
    WorkerGroup,
    configs,
    join,
    one,
    ordered,
)

if TYPE_CHECKING:
    import ast

    from vlac.rlinf.reads.state import Frame
    from vlac.rlinf.reads.values import Atom
    from vlac.rlinf.reads.world import World


def attribute(world: World, frame: Frame, owner: Value, name: str, node: ast.AST) -> Value:
    """What an attribute of a value may hold."""
    alone = len(configs(owner)) == 1
    return join(_of_atom(world, frame, atom, name, node, alone=alone) for atom in ordered(owner))


def _of_atom(world: World, frame: Frame, atom: Atom, name: str, node: ast.AST, *, alone: bool) -> Value:
    match atom:
        case Config():
            return one(world.read(frame, atom, name, node, alone=alone))
        case Instance():
            return _of_instance(world, frame, atom, name, node)
        case Class():
            return _of_class(world, atom, name)
        case Super():
            method = world.classes.method(_class_of(atom.receiver), name, after=atom.owner)
            return _bind(world, frame, method, atom.receiver, node) if method else UNKNOWN
        case ModuleRef():
            return world.member(atom.name, name)
        case External():
            return one(External(f"{atom.name}.{name}"))
        case Member():
            return one(Const(atom.value)) if name == "value" else UNKNOWN
        case Sequence() | Table() | Const() | WorkerGroup():
            return one(Method(atom, name))
        case Derived():
            return DERIVED
    return UNKNOWN


def _class_of(receiver: Instance | Class) -> Class:
    return receiver.made_from if isinstance(receiver, Instance) else receiver


def _of_instance(world: World, frame: Frame, instance: Instance, name: str, node: ast.AST) -> Value:
    if name == "__class__":
        return one(instance.made_from)
    held = world.attribute(instance, name)
    if held is not None:
        # Another method may set it to something else later: constants are no knowledge.
        return join((held, UNKNOWN)) if any(isinstance(atom, Const) for atom in held) else held
    method = world.classes.method(instance.made_from, name)
    if method is not None:
        return _bind(world, frame, method, instance, node)
    value = world.classes.value(instance.made_from, name)
    return UNKNOWN if value is None else value


def _bind(world: World, frame: Frame, method: Function, receiver: Instance | Class, node: ast.AST) -> Value:
    kinds = set(decorators(method))
    if "staticmethod" in kinds:
        return one(method)
    if kinds & {"property", "cached_property"}:
        return calls.call_function(world, frame, method, receiver, Arguments(), node)
    if "classmethod" in kinds and isinstance(receiver, Instance):
        receiver = receiver.made_from
    return one(Bound(method, receiver))


def _of_class(world: World, made: Class, name: str) -> Value:
    if name == "__dataclass_fields__":
        fields = world.classes.fields(made)
        return UNKNOWN if fields is None else one(Sequence(tuple(one(Const(field)) for field in fields)))
    world.complete(made)
    found = _class_attribute(world, made, name)
    return UNKNOWN if found is None else found


def _class_attribute(world: World, made: Class, name: str) -> Value | None:
    for owner in world.classes.order(made):
        held = world.attribute(owner, name)
        if held is not None:
            return held
    method = world.classes.method(made, name)
    if method is None:
        return world.classes.value(made, name)
    return one(Bound(method, made)) if "classmethod" in set(decorators(method)) else one(method)
