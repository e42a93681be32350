"""Expressions: what they hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from vlac.rlinf.reads.rehearsal import assignments, attributes, calls, collections, operators
from vlac.rlinf.reads.rehearsal.operators import UndecidedError
from vlac.rlinf.reads.rehearsal.records import Items, Table
from vlac.rlinf.reads.rehearsal.tests import comparison, test, truth_of
from vlac.rlinf.reads.rehearsal.values import Code, Value, keys_of, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.world import World

_MOST_ITEMS = 4_096


def evaluate(world: World, frame: Frame, node: ast.expr) -> Value:
    """What an expression holds."""
    how = _BY_TYPE.get(type(node))
    if how is not None:
        return how(world, frame, node)
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return world.surprise(*(evaluate(world, frame, part) for part in parts))


def _constant(_world: World, _frame: Frame, node: ast.Constant) -> Value:
    return Value(node.value) if operators.is_scalar(node.value) else unknown()


def _name(world: World, frame: Frame, node: ast.Name) -> Value:
    return world.names.find(frame, node.id)


def _attribute(world: World, frame: Frame, node: ast.Attribute) -> Value:
    return attributes.attribute(world, frame, evaluate(world, frame, node.value), node.attr, node)


def _subscript(world: World, frame: Frame, node: ast.Subscript) -> Value:
    owner = evaluate(world, frame, node.value)
    if isinstance(node.slice, ast.Slice):
        return _slice(world, frame, owner, node.slice)
    return attributes.item(world, frame, owner, evaluate(world, frame, node.slice), node)


def _slice(world: World, frame: Frame, owner: Value, node: ast.Slice) -> Value:
    bounds = [evaluate(world, frame, part) for part in (node.lower, node.upper, node.step) if part]
    given = iter(bounds)
    parts = [next(given).data if part else None for part in (node.lower, node.upper, node.step)]
    whole = owner.data
    if not all(part is None or isinstance(part, int) for part in parts):
        return unknown(owner, *bounds)
    cut: slice[Any, Any, Any] = slice(*parts)
    if isinstance(whole, (str, tuple)):
        return Value(whole[cut]).and_of(owner, *bounds)
    if isinstance(whole, Items) and whole.items is not None:
        return Value(Items(whole.items[cut])).and_of(owner, *bounds)
    return unknown(owner, *bounds)


def _bool_op(world: World, frame: Frame, node: ast.BoolOp) -> Value:
    """`a and b`, `a or b` as a value: the operand that settles it, or the last one."""
    settles = isinstance(node.op, ast.Or)
    first, *rest = node.values
    value = evaluate(world, frame, first)
    for operand in rest:
        truth = truth_of(world, value).truth
        if truth is settles:
            return value
        before = value
        if truth is None:
            value = world.evaluate_either([lambda: before, lambda: evaluate(world, frame, operand)])  # noqa: B023
        else:
            value = evaluate(world, frame, operand).and_of(before)
    return value


def _unary(world: World, frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return test(world, frame, node).as_value()
    value = evaluate(world, frame, node.operand)
    return _computed(world, frame, node, [value], lambda: operators.unary(node.op, value))


def _binary(world: World, frame: Frame, node: ast.BinOp) -> Value:
    left, right = evaluate(world, frame, node.left), evaluate(world, frame, node.right)
    return compute(world, frame, node, node.op, left, right)


def compute(
    world: World, frame: Frame, node: ast.AST, kind: ast.operator, left: Value, right: Value
) -> Value:
    """`left + right` and its kin."""
    sets = collections.combined(kind, left, right)
    if sets is not None:
        return sets
    return _computed(world, frame, node, [left, right], lambda: operators.binary(kind, left, right))


def _computed(
    world: World, frame: Frame, node: ast.AST, parts: list[Value], how: Callable[[], object]
) -> Value:
    try:
        return Value(how(), keys_of(parts))
    except UndecidedError:
        return unknown(*parts)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as problem:
        return world.fail(frame, node, type(problem).__name__, str(problem), keys_of(parts))


def _if_expression(world: World, frame: Frame, node: ast.IfExp) -> Value:
    outcome = test(world, frame, node.test)
    if outcome.truth is None:
        ways = [lambda: evaluate(world, frame, node.body), lambda: evaluate(world, frame, node.orelse)]
        return world.evaluate_either(ways).and_of(outcome.as_value())
    return evaluate(world, frame, node.body if outcome.truth else node.orelse).and_of(outcome.as_value())


def elements(world: World, frame: Frame, nodes: list[ast.expr]) -> list[Value] | None:
    """The items of a display, with `*items` spread; None where some are not known."""
    found: list[Value] = []
    open_ended = False
    for node in nodes:
        if not isinstance(node, ast.Starred):
            found.append(evaluate(world, frame, node))
            continue
        items = collections.items_of(world, frame, evaluate(world, frame, node.value), node)
        open_ended |= items is None
        found += items or []
    return None if open_ended else found


def _list(world: World, frame: Frame, node: ast.List | ast.Set) -> Value:
    found = elements(world, frame, node.elts)
    kind = "set" if isinstance(node, ast.Set) else "list"
    return Value(Items(found, kind, home_of(frame)))


def home_of(frame: Frame) -> str:
    """The module whose top-level code this is; nothing inside a function."""
    return frame.module.name if frame.code is None else ""


def _tuple(world: World, frame: Frame, node: ast.Tuple) -> Value:
    found = elements(world, frame, node.elts)
    return unknown() if found is None else Value(tuple(found))


def _dictionary(world: World, frame: Frame, node: ast.Dict) -> Value:
    table = Table(home=home_of(frame))
    for key, value in zip(node.keys, node.values, strict=True):
        held = evaluate(world, frame, value)
        if key is not None:
            collections.put(world, table, evaluate(world, frame, key), held)
        elif isinstance(held.data, Table) and not held.data.is_open:
            for name, item in held.data.slots.items():
                world.heap.set(table, name, item)
        else:
            world.heap.forget(table)
    return Value(table)


def _comprehension(
    world: World, frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Value:
    hidden = dict(frame.slots)
    found: list[tuple[Value, ...]] = []
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    complete = _generate(world, frame, node.generators, parts, found)
    for name in [name for name in frame.slots if frame.slots[name] is not hidden.get(name)]:
        if name in hidden:
            world.heap.set(frame, name, hidden[name])
        else:
            world.heap.remove(frame, name)
    return _collected(world, node, found, complete)


def _collected(world: World, node: ast.expr, found: list[tuple[Value, ...]], complete: bool) -> Value:
    if isinstance(node, ast.DictComp):
        table = Table()
        for key, value in found:
            collections.put(world, table, key, value)
        if not complete:
            world.heap.forget(table)
        return Value(table)
    items = [value for (value,) in found]
    if isinstance(node, ast.SetComp):
        return Value(Items(items if complete else None, "set"), keys_of(items))
    return Value(Items(items if complete else None), keys_of(items) if not complete else frozenset())


def _generate(
    world: World,
    frame: Frame,
    generators: list[ast.comprehension],
    parts: list[ast.expr],
    found: list[tuple[Value, ...]],
) -> bool:
    """Follow the loops of a comprehension; whether all that it gives is known."""
    if not generators:
        found.append(tuple(evaluate(world, frame, part) for part in parts))
        return True
    first, *rest = generators
    whole = evaluate(world, frame, first.iter)
    items = collections.items_of(world, frame, whole, first.iter)
    if items is None or len(items) > _MOST_ITEMS:
        assignments.bind(world, frame, first.target, unknown(whole))
        world.evaluate_either(
            [lambda: unknown(), lambda: Value(_kept(world, frame, first, rest, parts, []) is True)]
        )
        return False
    complete = True
    for item in items:
        assignments.bind(world, frame, first.target, item)
        complete = bool(_kept(world, frame, first, rest, parts, found)) and complete
    return complete


def _kept(
    world: World,
    frame: Frame,
    generator: ast.comprehension,
    rest: list[ast.comprehension],
    parts: list[ast.expr],
    found: list[tuple[Value, ...]],
) -> bool:
    """One item, if the conditions keep it; whether that is known."""
    for condition in generator.ifs:
        truth = test(world, frame, condition).truth
        if truth is not True:
            return truth is False
    return _generate(world, frame, rest, parts, found)


def _joined(world: World, frame: Frame, node: ast.JoinedStr) -> Value:
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    parts = [evaluate(world, frame, part.value) for part in values]
    if not all(operators.is_scalar(part.data) for part in parts):
        return unknown(*parts)
    given = iter(parts)
    texts = [_formatted(part, next(given)) if part in values else _text(part) for part in node.values]
    return unknown(*parts) if None in texts else Value("".join(map(str, texts)), keys_of(parts))


def _text(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else ""


def _formatted(part: ast.expr, value: Value) -> str | None:
    """One `{value}` of a formatted text, None where it has a format of its own or is not known."""
    assert isinstance(part, ast.FormattedValue)
    if part.format_spec is not None:
        return None
    try:
        found = collections.to_python(value)
    except UndecidedError:
        return None
    return repr(found) if part.conversion == ord("r") else str(found)


def message(world: World, frame: Frame, node: ast.expr) -> str:
    """The text of a message; a part that is not known stands as its source in braces."""
    if not isinstance(node, ast.JoinedStr):
        with _unnoticed(world):
            value = _attempt(world, frame, node)
        return str(value.data) if isinstance(value.data, str) else f"{{{ast.unparse(node)}}}"
    texts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            with _unnoticed(world):
                shown = _formatted(part, _attempt(world, frame, part.value))
            texts.append(f"{{{ast.unparse(part.value)}}}" if shown is None else shown)
        else:
            texts.append(_text(part))
    return "".join(texts)


class _unnoticed:  # noqa: N801 # reads as a word after `with`
    """What a message does is no refusal."""

    def __init__(self, world: World) -> None:
        self._world, self._before = world, world.silent

    def __enter__(self) -> None:
        self._world.silent = True

    def __exit__(self, *_: object) -> None:
        self._world.silent = self._before


def _attempt(world: World, frame: Frame, node: ast.expr) -> Value:
    from vlac.rlinf.reads.rehearsal.errors import RaisedError

    try:
        return evaluate(world, frame, node)
    except RaisedError:
        return unknown()


def _lambda(_world: World, frame: Frame, node: ast.Lambda) -> Value:
    return Value(Code(frame.module, node, frame.code.owner if frame.code else None, frame))


def _named(world: World, frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(world, frame, node.value)
    world.heap.set(frame, node.target.id, value)
    return value


# Each function takes the one type of node that it stands under.
_BY_TYPE: dict[type[ast.expr], Callable[[World, Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BoolOp: _bool_op,
    ast.Compare: lambda world, frame, node: comparison(world, frame, node).as_value(),
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.IfExp: _if_expression,
    ast.List: _list,
    ast.Set: _list,
    ast.Tuple: _tuple,
    ast.Dict: _dictionary,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.JoinedStr: _joined,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Await: lambda world, frame, node: evaluate(world, frame, node.value),
    ast.Starred: lambda world, frame, node: evaluate(world, frame, node.value),
    ast.Call: lambda world, frame, node: calls.evaluate_call(world, frame, node),
}
