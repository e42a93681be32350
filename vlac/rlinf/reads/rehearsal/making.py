"""Objects of the classes of a tree: how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import operators
from vlac.rlinf.reads.rehearsal.errors import Error, RaisedError, lineage
from vlac.rlinf.reads.rehearsal.records import Object
from vlac.rlinf.reads.rehearsal.values import ClassRef, Value, unknown

if TYPE_CHECKING:
    import ast

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World


def instantiate(
    world: World,
    frame: Frame,
    made: ClassRef,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Make an object, or look up a member of an enumeration."""
    from vlac.rlinf.reads.rehearsal import devices
    from vlac.rlinf.reads.rehearsal.calls import call_code

    if made.definition.name in devices.NOT_MADE:
        return world.surprise()
    if world.classes.is_enumeration(made):
        return _member(world, frame, made, positional, node)
    maker = world.classes.method(made, "__new__")
    value = Value(Object(made))
    if maker is not None and not devices.is_machinery(maker):
        value = call_code(world, frame, maker, (Value(made), *positional), keywords, node)
        if not isinstance(value.data, Object):
            return value
    initialize = world.classes.method(made, "__init__")
    if initialize is not None:
        call_code(world, frame, initialize, (value, *positional), keywords, node)
    elif world.classes.is_data_class(made):
        _fill_fields(world, frame, value, made, positional, keywords, node)
    return value


def _member(
    world: World, frame: Frame, made: ClassRef, positional: tuple[Value, ...], node: ast.AST
) -> Value:
    """`SupportedEnvType(text)`: the member of that value."""
    wanted = positional[0] if positional else unknown()
    answers: list[bool | None] = []
    for member in world.classes.members(made):
        if member.data is wanted.data:
            return member
        value = member.data.slots["value"] if isinstance(member.data, Object) else member
        answer = operators.equal(value.data, wanted.data)
        if answer is True:
            return member.and_of(wanted)
        answers.append(answer)
    if not wanted.known or None in answers or not answers or world.classes.method(made, "_missing_"):
        return unknown(wanted)
    message = f"{wanted.data!r} is not a valid {made.definition.name}"
    return world.fail(frame, node, "ValueError", message, wanted.keys)


def _fill_fields(
    world: World,
    frame: Frame,
    value: Value,
    made: ClassRef,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> None:
    from vlac.rlinf.reads.rehearsal.calls import call_code

    fields = world.classes.fields(made)
    given = {**dict(zip(fields, positional, strict=False)), **keywords}
    assert isinstance(value.data, Object)
    for name, (owner, expression) in fields.items():
        if name in given:
            found = given[name]
        elif expression is None:
            found = unknown()
        else:
            found = world.classes.default(owner, expression)
        world.heap.set(value.data, name, found)
    if strange := sorted(set(given) - set(fields)):
        _refuse_argument(world, frame, made, strange[0], given, node)
    after = world.classes.method(made, "__post_init__")
    if after is not None:
        call_code(world, frame, after, (value,), {}, node)


def _refuse_argument(
    world: World, frame: Frame, made: ClassRef, name: str, given: dict[str, Value], node: ast.AST
) -> None:
    if world.classes.outside(made):
        return
    message = f"{made.definition.name}.__init__() got an unexpected keyword argument '{name}'"
    error = Error(
        lineage("TypeError"), "TypeError", "error", world.place(frame, node), message, "", given[name].keys
    )
    if world.undecided or world.catches(error):
        raise RaisedError(error)
    world.refuse(error)
