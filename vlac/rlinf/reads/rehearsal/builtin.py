"""Python's builtin functions on the values of a rehearsal."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, TypeAlias

from vlac.rlinf.reads.rehearsal import assignments, attributes, collections
from vlac.rlinf.reads.rehearsal.operators import UndecidedError, is_scalar
from vlac.rlinf.reads.rehearsal.records import Items, Object, Table
from vlac.rlinf.reads.rehearsal.sections import ListSection, Section
from vlac.rlinf.reads.rehearsal.values import (
    MAYBE,
    NONE,
    UNKNOWN,
    Bound,
    ClassRef,
    Code,
    External,
    Native,
    Partial,
    Value,
    keys_of,
    unknown,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World

    Function: TypeAlias = Callable[[World, Frame, tuple[Value, ...], dict[str, Value], ast.AST], Value]

_LONGEST_RANGE = 100_000


def _get_attribute(
    world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
) -> Value:
    owner, name, *default = positional
    if not isinstance(name.data, str):
        return world.surprise(*positional)
    if not default:
        return attributes.attribute(world, frame, owner, name.data, node)
    if isinstance(owner.data, Section):
        return attributes.read_default(world, frame, owner.data, name.data, default[0], node)
    there = has_attribute(world, owner, name.data)
    if there is False:
        return default[0].and_of(owner)
    found = attributes.attribute(world, frame, owner, name.data, node)
    return found if there else unknown(found, *default)


def _has_attribute(
    world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    owner, name = positional
    keys = keys_of(positional)
    if isinstance(owner.data, Section):
        keys = attributes.key_of(owner.data, name.data)
    there = has_attribute(world, owner, name.data) if isinstance(name.data, str) else None
    return Value(UNKNOWN if there is None else there, keys)


def has_attribute(world: World, owner: Value, name: str) -> bool | None:
    """Whether a value has an attribute, None where that is open."""
    data = owner.data
    if isinstance(data, Section):
        if hasattr(dict, name):
            return True
        found = data.slots.get(name)
        return (
            None if (found is None and data.is_open) or (found and found.data is MAYBE) else found is not None
        )
    if isinstance(data, (Table, Items, ListSection)):
        return True if hasattr(dict if isinstance(data, Table) else list, name) else None
    if is_scalar(data):
        return hasattr(data, name)
    made = data.made_from if isinstance(data, Object) else data
    if not isinstance(made, ClassRef):
        return None
    held = data.slots.get(name) if isinstance(data, Object) else None
    kept = held or world.classes.value(made, name)
    if kept is not None and kept.data is MAYBE:
        return None
    is_there = kept is not None or world.classes.method(made, name) is not None
    return True if is_there else None if world.classes.outside(made) else False


def _set_attribute(
    world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    owner, name, value = positional
    if isinstance(name.data, str):
        assignments.set_attribute(world, owner, name.data, value)
    else:
        assignments.forget(world, owner)
    return NONE


def _length(
    world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
) -> Value:
    (value,) = positional
    data = value.data
    if isinstance(data, (Section, Table)):
        keys = frozenset({data.path}) if isinstance(data, Section) else value.keys
        return Value(len(data.slots) if collections.is_closed(data) else UNKNOWN, keys)
    if isinstance(data, (str, tuple)):
        return Value(len(data), value.keys)
    if isinstance(data, Items):
        count = UNKNOWN if data.items is None else len(data.items)
        return Value(count, collections.deep_keys(value))
    if is_scalar(data):
        kind = type(data).__name__
        return world.fail(frame, node, "TypeError", f"object of type '{kind}' has no len()", value.keys)
    return unknown(value)


def _is_instance(
    world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    value, types = positional
    wanted = types.data if isinstance(types.data, tuple) else (types,)
    answers = {_is_of(world, value.data, one.data) for one in wanted}
    truth = True if True in answers else None if None in answers else False
    return Value(UNKNOWN if truth is None else truth, value.keys)


_KINDS: dict[str, tuple[str, ...]] = {
    "list": ("list",),
    "set": ("set",),
    "ListConfig": ("ListConfig", "Sequence", "Iterable"),
}


def _is_of(world: World, data: object, wanted: object) -> bool | None:
    if isinstance(wanted, ClassRef):
        made = data.made_from if isinstance(data, Object) else None
        if made is None:
            return False if is_scalar(data) or isinstance(data, (Section, Table, Items)) else None
        return wanted in world.classes.order(made)
    if not isinstance(wanted, External):
        return None
    name = wanted.name.rpartition(".")[2]
    if is_scalar(data):
        python = getattr(builtins, name, None)
        return isinstance(data, python) if isinstance(python, type) else False if "Config" in name else None
    if isinstance(data, (Section, Table)):
        own = "DictConfig" if isinstance(data, Section) else "dict"
        return True if name in (own, "Mapping", "MutableMapping", "Iterable") else _never(name)
    if isinstance(data, Items):
        return True if name in _KINDS.get(data.kind, ()) else _never(name)
    if isinstance(data, tuple):
        return True if name in ("tuple", "Sequence", "Iterable") else _never(name)
    return None


def _never(name: str) -> bool | None:
    """A type that no container is; others may be anything."""
    plain = (
        "str",
        "int",
        "float",
        "bool",
        "list",
        "dict",
        "set",
        "tuple",
        "DictConfig",
        "ListConfig",
        "Tensor",
    )
    return False if name in plain else None


def _text(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    if positional and is_scalar(positional[0].data):
        return Value(str(positional[0].data), positional[0].keys)
    return unknown(*positional)


def _truth(
    world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    from vlac.rlinf.reads.rehearsal.tests import truth_of

    return truth_of(world, positional[0]).as_value() if positional else Value(False)


def _any_of(settles: bool) -> Function:
    """`any` and `all`: one item that settles it is enough."""

    def decide(
        world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
    ) -> Value:
        from vlac.rlinf.reads.rehearsal.tests import truth_of

        items = collections.items_of(world, frame, positional[0], node)
        if items is None:
            return unknown(*positional)
        outcomes = [truth_of(world, item) for item in items]
        for outcome in outcomes:
            if outcome.truth is settles:
                return outcome.as_value()
        keys = frozenset().union(*(outcome.keys for outcome in outcomes))
        is_open = any(outcome.truth is None for outcome in outcomes)
        return Value(UNKNOWN if is_open else not settles, keys | positional[0].keys)

    return decide


def _collected(kind: str) -> Function:
    """`list`, `tuple`, `set` of a collection."""

    def collect(
        world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
    ) -> Value:
        items = collections.items_of(world, frame, positional[0], node) if positional else []
        keys = keys_of(positional)
        if kind == "tuple":
            return unknown(*positional) if items is None else Value(tuple(items), keys)
        if kind == "set" and items is not None:
            items = _distinct(world, items)
        home = frame.module.name if frame.code is None else ""
        return Value(Items(items, kind, home), keys)

    return collect


def _distinct(world: World, items: list[Value]) -> list[Value] | None:
    found: list[Value] = []
    for item in items:
        there = collections.contains(world, Value(tuple(found)), item)
        if there is None:
            return None
        if not there:
            found.append(item)
    return found


def _range(
    world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
) -> Value:
    bounds = [value.data for value in positional]
    if not all(isinstance(bound, int) for bound in bounds):
        if any(is_scalar(bound) and not isinstance(bound, int) for bound in bounds):
            message = "object cannot be interpreted as an integer"
            return world.fail(frame, node, "TypeError", message, keys_of(positional))
        return unknown(*positional)
    numbers = range(*(bound for bound in bounds if isinstance(bound, int)))
    return (
        unknown(*positional)
        if len(numbers) > _LONGEST_RANGE
        else collections.from_python(numbers, positional)
    )


def _enumerate(
    world: World, frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
) -> Value:
    items = collections.items_of(world, frame, positional[0], node)
    start = (positional[1] if len(positional) > 1 else keywords.get("start", Value(0))).data
    if items is None or not isinstance(start, int):
        return unknown(*positional)
    return Value(Items([Value((Value(at), item)) for at, item in enumerate(items, start)]))


def _zip(
    world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
) -> Value:
    columns = [collections.items_of(world, frame, value, node) for value in positional]
    if None in columns:
        return unknown(*positional)
    rows = zip(*(column or () for column in columns), strict=False)
    return Value(Items([Value(row) for row in rows]))


def _sorted(
    world: World, frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
) -> Value:
    items = collections.items_of(world, frame, positional[0], node)
    data = [item.data for item in items or ()]
    alike = all(isinstance(one, str) for one in data) or all(isinstance(one, (int, float)) for one in data)
    if items is None or keywords or not alike:
        return unknown(*positional)
    return Value(Items(sorted(items, key=lambda item: item.data)), positional[0].keys)  # type: ignore[arg-type, return-value] # texts or numbers, see above


def _dictionary(
    world: World, frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
) -> Value:
    table = Table(home=frame.module.name if frame.code is None else "")
    for value in positional:
        if not isinstance(value.data, (Section, Table)) or not collections.is_closed(value.data):
            return unknown(value)
        for name in collections.items_of(world, frame, value, node) or ():
            collections.put(world, table, name, attributes.item(world, frame, value, name, node))
    for key, value in keywords.items():
        world.heap.set(table, key, value)
    return Value(table)


def _type(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    data = positional[0].data if len(positional) == 1 else UNKNOWN
    if isinstance(data, Object):
        return Value(data.made_from)
    if is_scalar(data):
        return Value(External(f"builtins.{type(data).__name__}"), positional[0].keys)
    return unknown(*positional)


def _callable(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    data = positional[0].data
    if isinstance(data, (Code, Bound, ClassRef, Native, Partial)):
        return Value(True)
    return Value(False, positional[0].keys) if is_scalar(data) else unknown(*positional)


def _next(
    world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
) -> Value:
    items = collections.items_of(world, frame, positional[0], node)
    if items:
        return items[0]
    return positional[1] if items is not None and len(positional) > 1 else unknown(*positional)


def _make_object(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    made = positional[0].data if positional else None
    return Value(Object(made)) if isinstance(made, ClassRef) else unknown()


def _nothing(
    _world: World, _frame: Frame, _positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    return NONE


def _extreme(function: Callable[..., Any]) -> Function:
    """`min`, `max`, `sum` of numbers that are known."""

    def compute(
        world: World, frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
    ) -> Value:
        try:
            found = function(*(collections.to_python(value) for value in positional))
        except (UndecidedError, TypeError, ValueError):
            return unknown(*positional)
        return unknown(*positional) if keywords else collections.from_python(found, positional)

    return compute


PURE: dict[str, Callable[..., Any]] = {
    **{
        f"builtins.{name}": getattr(builtins, name) for name in ("int", "float", "abs", "round", "ord", "chr")
    },
    **{f"builtins.{name}": getattr(builtins, name) for name in ("divmod", "pow", "repr")},
}
FUNCTIONS: dict[str, Function] = {
    "builtins.getattr": _get_attribute,
    "builtins.hasattr": _has_attribute,
    "builtins.setattr": _set_attribute,
    "object.__setattr__": _set_attribute,
    "object.__new__": _make_object,
    "object.__init__": _nothing,
    "builtins.len": _length,
    "builtins.isinstance": _is_instance,
    "builtins.str": _text,
    "builtins.bool": _truth,
    "builtins.any": _any_of(True),
    "builtins.all": _any_of(False),
    "builtins.list": _collected("list"),
    "builtins.tuple": _collected("tuple"),
    "builtins.set": _collected("set"),
    "builtins.frozenset": _collected("set"),
    "builtins.iter": _collected("list"),
    "builtins.range": _range,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.sorted": _sorted,
    "builtins.dict": _dictionary,
    "builtins.type": _type,
    "builtins.callable": _callable,
    "builtins.next": _next,
    **{f"builtins.{name}": _extreme(getattr(builtins, name)) for name in ("min", "max", "sum")},
}
