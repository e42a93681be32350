"""OmegaConf's functions on the configuration (omegaconf 2.3, `omegaconf/omegaconf.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import assignments, attributes, collections
from vlac.rlinf.reads.rehearsal.records import Items, Table
from vlac.rlinf.reads.rehearsal.sections import MISSING_VALUE, ListSection, Section, copy_of
from vlac.rlinf.reads.rehearsal.values import MAYBE, NONE, UNKNOWN, Value, unknown

if TYPE_CHECKING:
    import ast

    from vlac.rlinf.reads.rehearsal.builtin import Function
    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World


def _argument(positional: tuple[Value, ...], keywords: dict[str, Value], at: int, name: str) -> Value | None:
    return positional[at] if len(positional) > at else keywords.get(name)


def _select(
    world: World, frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
) -> Value:
    at = _argument(positional, keywords, 0, "cfg") or unknown()
    key = _argument(positional, keywords, 1, "key") or unknown()
    default = _argument(positional, keywords, 2, "default") or NONE
    if not isinstance(key.data, str):
        return unknown(at, key)
    parts = key.data.split(".")
    for part in parts[:-1]:
        if not isinstance(at.data, Section):
            break
        at = attributes.read_default(world, frame, at.data, part, NONE, node)
    if isinstance(at.data, Section):
        return attributes.read_default(world, frame, at.data, parts[-1], default, node)
    return default.and_of(at) if at.known else unknown(at, default)


def _create(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    if not positional:
        return Value(Section())
    return assignments.as_section(positional[0])


def _to_container(
    world: World, frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
) -> Value:
    """Plain dictionaries and lists; without `resolve=True`, interpolations stay text."""
    value = positional[0] if positional else keywords.get("cfg", unknown())
    resolve = _argument(positional, keywords, 1, "resolve") or Value(False)
    return _contained(world, frame, value, node, resolve=resolve.data is not False)


def _to_object(
    world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
) -> Value:
    return _contained(world, frame, positional[0], node, resolve=True) if positional else unknown()


def _contained(world: World, frame: Frame, value: Value, node: ast.AST, *, resolve: bool) -> Value:
    data = value.data

    def leaf(item: Value) -> Value:
        plain = isinstance(item.data, (Section, ListSection)) or item.data in (MAYBE, MISSING_VALUE)
        if resolve and not plain:
            assert isinstance(data, (Section, ListSection))
            item = collections.read(world, frame, item, data, node)
        return _contained(world, frame, item, node, resolve=resolve)

    if isinstance(data, Section):
        return Value(Table({name: leaf(item) for name, item in data.slots.items()}), value.keys)
    if isinstance(data, ListSection):
        return Value(Items(None if data.items is None else map(leaf, data.items)), value.keys)
    return value


def _is_missing(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    owner, name = positional
    if not isinstance(owner.data, Section) or not isinstance(name.data, str):
        return unknown(*positional)
    found = owner.data.slots.get(name.data)
    keys = attributes.key_of(owner.data, name.data)
    is_open = owner.data.is_open if found is None else not found.known
    return Value(UNKNOWN if is_open else found is not None and found.data == MISSING_VALUE, keys)


def _update(
    world: World, frame: Frame, positional: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
) -> Value:
    owner, key, value = (
        _argument(positional, keywords, at, name) or unknown()
        for at, name in enumerate(("cfg", "key", "value"))
    )
    if not isinstance(key.data, str):
        assignments.forget(world, owner)
        return NONE
    *parents, name = key.data.split(".")
    for part in parents:
        if isinstance(owner.data, Section):
            owner = attributes.read_default(world, frame, owner.data, part, unknown(), node)
    assignments.set_attribute(world, owner, name, value)
    return NONE


def _merge(
    world: World, frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], node: ast.AST
) -> Value:
    """The first with what the others have on top."""
    if not all(isinstance(value.data, (Section, Table)) for value in positional):
        return unknown(*positional)
    merged = assignments.as_section(positional[0])
    for value in positional[1:]:
        _merge_into(world, merged, assignments.as_section(value))
    return merged


def _merge_into(world: World, base: Value, over: Value) -> None:
    assert isinstance(base.data, Section)
    assert isinstance(over.data, Section)
    for name, value in over.data.slots.items():
        below = base.data.slots.get(name)
        if below is not None and isinstance(below.data, Section) and isinstance(value.data, Section):
            _merge_into(world, below, value)
        else:
            base.data.slots[name] = copy_of(value, base.data)  # a fresh copy, on no trail


def _is_config(*kinds: type) -> Function:
    def decide(
        _world: World,
        _frame: Frame,
        positional: tuple[Value, ...],
        _keywords: dict[str, Value],
        _node: ast.AST,
    ) -> Value:
        value = positional[0]
        return Value(isinstance(value.data, kinds), value.keys) if value.known else unknown(value)

    return decide


def _same(
    _world: World, _frame: Frame, positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    return positional[0] if positional else unknown()


def _nothing(
    _world: World, _frame: Frame, _positional: tuple[Value, ...], _keywords: dict[str, Value], _node: ast.AST
) -> Value:
    return NONE


FUNCTIONS: dict[str, Function] = {
    "OmegaConf.select": _select,
    "OmegaConf.create": _create,
    "OmegaConf.to_container": _to_container,
    "OmegaConf.to_object": _to_object,
    "OmegaConf.is_missing": _is_missing,
    "OmegaConf.update": _update,
    "OmegaConf.merge": _merge,
    "OmegaConf.is_config": _is_config(Section, ListSection),
    "OmegaConf.is_dict": _is_config(Section),
    "OmegaConf.is_list": _is_config(ListSection),
    "OmegaConf.masked_copy": _create,
    **dict.fromkeys(("OmegaConf.set_struct", "OmegaConf.set_readonly", "OmegaConf.resolve"), _nothing),
    **dict.fromkeys(("OmegaConf.save", "OmegaConf.register_new_resolver"), _nothing),
    **dict.fromkeys(("omegaconf.open_dict", "omegaconf.read_write", "omegaconf.flag_override"), _same),
}
