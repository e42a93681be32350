"""Calls that leave the tree: builtins, OmegaConf and copying are understood, everything else is not followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads import assignments, attributes, branches, calls, expressions, methods
from vlac.rlinf.reads.log import Kind
from vlac.rlinf.reads.values import (
    DERIVED,
    NONE,
    UNKNOWN,
    Bound,
    Class,
    Config,
    Const,
    Function,
    Instance,
    Member,
    Partial,
    Sequence,
    Table,
    Value,
    configs,
    join,
    one,
    texts,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from vlac.rlinf.reads.arguments import Arguments
    from vlac.rlinf.reads.state import Frame
    from vlac.rlinf.reads.world import World


def call_external(world: World, frame: Frame, name: str, arguments: Arguments, node: ast.AST) -> Value:
    """A call of a builtin or of another package."""
    how = _BY_NAME.get(name) or _BY_NAME.get(".".join(name.split(".")[-2:])) or _BY_NAME.get(_last(name))
    if how is not None:
        return how(world, frame, arguments, node)
    if name.startswith("builtins.") and name not in ("builtins.map", "builtins.filter"):
        return _builtin(world, frame, arguments, node)
    return calls.call_unknown(world, frame, arguments, node)


def _last(name: str) -> str:
    return f"*.{name.rpartition('.')[2]}"


def _builtin(_world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    """A builtin keeps nothing of what it is given."""
    return expressions.computed(arguments.values())


def _getattr(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    owner, names = arguments.get(0) or UNKNOWN, texts(arguments.get(1) or UNKNOWN)
    default = arguments.get(2)
    if not names:
        expressions.hand_on(world, frame, owner, node)
        return expressions.computed([owner])
    if default is None:
        return join(attributes.attribute(world, frame, owner, name, node) for name in names)
    sections = configs(owner)
    others = frozenset(atom for atom in owner if not isinstance(atom, Config))
    found = [attributes.attribute(world, frame, others, name, node) for name in names]
    if sections:
        found.append(expressions.read_default(world, frame, sections, names, default, node))
    return join([*found, *([default] if others else [])])


def _hasattr(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    sections = configs(arguments.get(0) or UNKNOWN)
    names = texts(arguments.get(1) or UNKNOWN)
    if not sections or not names:
        return UNKNOWN
    return branches.has_key(world, frame, sections, names, node).as_value()


def _setattr(world: World, frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    for name in texts(arguments.get(1) or UNKNOWN):
        owner, value = arguments.get(0) or UNKNOWN, arguments.get(2) or UNKNOWN
        assignments.set_attribute(world, frame, owner, name, value)
    return NONE


def _same(_world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    return arguments.get(0) or UNKNOWN


def _cast(_world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    return arguments.get(1) or UNKNOWN


def _bool(world: World, frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    value = arguments.get(0) or UNKNOWN
    outcome = branches.truthiness(world, frame.state, value)
    return outcome.as_value() if outcome.truth is not None else value


def _collection(world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    value = arguments.get(0)
    if value is None:
        return one(Sequence(()))
    if len(value) == 1:
        (atom,) = value
        if isinstance(atom, Table):
            return one(Sequence(tuple(one(key) for key in world.items(atom))))
    return value


def _enumerate(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    value = arguments.get(0) or UNKNOWN
    items = _items(value)
    if items is None:
        item = expressions.element(world, frame, value, node)
        return one(Sequence((one(Sequence((UNKNOWN, item))),))) | UNKNOWN
    return one(Sequence(tuple(one(Sequence((UNKNOWN, item))) for item in items)))


def _zip(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    columns = [_items(value) for value in arguments.positional]
    if all(column is not None for column in columns):
        rows = zip(*(column or () for column in columns), strict=False)
        return one(Sequence(tuple(one(Sequence(row)) for row in rows)))
    row = tuple(expressions.element(world, frame, value, node) for value in arguments.positional)
    return one(Sequence((one(Sequence(row)),))) | UNKNOWN


def _items(value: Value) -> tuple[Value, ...] | None:
    if len(value) == 1:
        (atom,) = value
        if isinstance(atom, Sequence):
            return atom.items
    return None


def _dict(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    first = arguments.get(0)
    if first is not None and not arguments.keywords:
        return methods.copied(frame, first, node)
    table = Table(node)
    world.tables.setdefault(table, {})
    if first is not None:
        world.set_item(table, None, UNKNOWN)
    for name, value in arguments.keywords.items():
        world.set_item(table, Const(name), value)
    return one(table)


def _copy(_world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    return methods.copied(frame, arguments.get(0) or UNKNOWN, node)


def _partial(_world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    first = arguments.get(0) or UNKNOWN
    keywords = tuple(arguments.keywords.items())
    return frozenset(
        Partial(atom, arguments.positional[1:], keywords)
        if isinstance(atom, (Function, Bound, Class))
        else atom
        for atom in first
    )


def _fields(world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    value = arguments.get(0) or UNKNOWN
    classes = [atom.made_from if isinstance(atom, Instance) else atom for atom in value]
    if len(classes) != 1 or not isinstance(classes[0], Class):
        return UNKNOWN
    fields = world.classes.fields(classes[0])
    return UNKNOWN if fields is None else one(Sequence(tuple(one(Member(classes[0], f)) for f in fields)))


def _nothing(_world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    return expressions.computed(arguments.values())


def _select(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    sections, names = configs(arguments.get(0, "cfg") or UNKNOWN), texts(arguments.get(1, "key") or UNKNOWN)
    default = arguments.get(2, "default") or NONE
    if not sections or not names:
        return calls.call_unknown(world, frame, arguments, node)
    return expressions.read_default(world, frame, sections, names, default, node)


def _is_missing(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    for config in configs(arguments.get(0) or UNKNOWN):
        for name in texts(arguments.get(1) or UNKNOWN):
            world.read_leniently(frame, config, name, node, Kind.GUARDED)
    return DERIVED


def _update(_world: World, frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    value = arguments.get(2, "value") or UNKNOWN
    for config in configs(arguments.get(0, "cfg") or UNKNOWN):
        for name in texts(arguments.get(1, "key") or UNKNOWN):
            below = config.node
            for part in name.split("."):
                below = below.child(part)
            frame.state.write(below, value)
    return NONE


def _merge(_world: World, _frame: Frame, arguments: Arguments, _node: ast.AST) -> Value:
    """A merged configuration has what any of its parts has."""
    found = [Config(config.node, optional=True) for value in arguments.values() for config in configs(value)]
    return frozenset(found) | DERIVED if found else UNKNOWN


_BY_NAME: dict[str, Callable[[World, Frame, Arguments, ast.AST], Value]] = {
    "builtins.getattr": _getattr,
    "builtins.hasattr": _hasattr,
    "builtins.setattr": _setattr,
    "builtins.bool": _bool,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.dict": _dict,
    "copy.deepcopy": _copy,
    "copy.copy": _copy,
    "functools.partial": _partial,
    "dataclasses.fields": _fields,
    "typing.cast": _cast,
    "OmegaConf.select": _select,
    "OmegaConf.is_missing": _is_missing,
    "OmegaConf.update": _update,
    "OmegaConf.merge": _merge,
    **dict.fromkeys(("builtins.str", "builtins.int", "builtins.float", "builtins.iter"), _same),
    **dict.fromkeys(("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset"), _collection),
    **dict.fromkeys(("builtins.sorted", "builtins.reversed"), _collection),
    **dict.fromkeys(("OmegaConf.to_container", "OmegaConf.create", "OmegaConf.masked_copy"), _copy),
    **dict.fromkeys(("OmegaConf.set_struct", "OmegaConf.set_readonly", "OmegaConf.resolve"), _nothing),
    **dict.fromkeys(("OmegaConf.is_config", "OmegaConf.is_dict", "OmegaConf.is_list"), _nothing),
    **dict.fromkeys(("OmegaConf.to_yaml", "OmegaConf.save"), _nothing),
    **dict.fromkeys(("*.open_dict", "*.read_write", "*.flag_override"), _nothing),
}
