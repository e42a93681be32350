"""Arithmetic and comparisons of values that are known."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from vlac.rlinf.reads.rehearsal.records import Items, Object, Record, Table
from vlac.rlinf.reads.rehearsal.sections import ListSection, Section
from vlac.rlinf.reads.rehearsal.values import Bound, ClassRef, Code, External, ModuleRef, Value

if TYPE_CHECKING:
    from collections.abc import Callable

_BINARY: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_LARGEST_POWER, _LONGEST = 64, 10_000


class UndecidedError(Exception):
    """It takes something that is not known."""


def is_scalar(data: object) -> bool:
    """Whether it is a constant that Python itself can compute with."""
    return data is None or isinstance(data, (bool, int, float, str))


def binary(kind: ast.operator, left: Value, right: Value) -> object:
    """`left + right` and its kin; raises what Python would, and UndecidedError."""
    ours, theirs = left.data, right.data
    if isinstance(kind, ast.Add) and (joined := _concatenated(ours, theirs)) is not None:
        return joined
    if not is_scalar(ours) or not is_scalar(theirs):
        raise UndecidedError
    if isinstance(kind, ast.Pow):
        if not isinstance(theirs, (int, float)) or abs(theirs) > _LARGEST_POWER:
            raise UndecidedError
        return operator.pow(ours, theirs)
    how = _BINARY.get(type(kind))
    if how is None or (isinstance(kind, ast.Mult) and _is_long(ours, theirs)):
        raise UndecidedError
    return how(ours, theirs)


def _concatenated(ours: object, theirs: object) -> object | None:
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return ours + theirs
    if isinstance(ours, Items) and isinstance(theirs, Items) and ours.kind == theirs.kind == "list":
        both = None if ours.items is None or theirs.items is None else (*ours.items, *theirs.items)
        return Items(both)
    return None


def _is_long(ours: object, theirs: object) -> bool:
    text, count = (ours, theirs) if isinstance(ours, str) else (theirs, ours)
    return isinstance(text, str) and isinstance(count, int) and len(text) * count > _LONGEST


def unary(kind: ast.unaryop, operand: Value) -> object:
    """`-value` and its kin; raises what Python would, and UndecidedError."""
    how = _UNARY.get(type(kind))
    if how is None or not is_scalar(operand.data):
        raise UndecidedError
    return how(operand.data)


def compare(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Whether a comparison holds, None where that is open. TypeError as in Python."""
    if isinstance(kind, (ast.NotEq, ast.IsNot)):
        same = equal(left.data, right.data, identical=isinstance(kind, ast.IsNot))
        return None if same is None else not same
    if isinstance(kind, (ast.Eq, ast.Is)):
        return equal(left.data, right.data, identical=isinstance(kind, ast.Is))
    order = _ORDERS.get(type(kind))
    if order is None or not is_scalar(left.data) or not is_scalar(right.data):
        return None
    return order(left.data, right.data)


_CODE = (ClassRef, Code, Bound, ModuleRef)


def equal(ours: object, theirs: object, *, identical: bool = False) -> bool | None:
    """Whether two things are equal, or with `identical` the same; None where that is open."""
    if is_scalar(ours) and is_scalar(theirs):
        return (ours is None) == (theirs is None) if identical and None in (ours, theirs) else ours == theirs
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return _all_equal(ours, theirs)
    if isinstance(ours, External) and isinstance(theirs, External):
        return _externals_equal(ours, theirs)
    if isinstance(ours, Record) and isinstance(theirs, Record):
        return _records_equal(ours, theirs, identical)
    for one, other in ((ours, theirs), (theirs, ours)):
        if isinstance(one, External) and one.name.endswith(".MISSING") and _is_known(other):
            return False
        if is_scalar(one) and isinstance(other, (Record, tuple, *_CODE)):
            return None if isinstance(other, Object) and not identical and one is not None else False
    if isinstance(ours, _CODE) and isinstance(theirs, _CODE):
        return ours == theirs
    return None


def _is_known(data: object) -> bool:
    return is_scalar(data) or isinstance(data, (Record, tuple, *_CODE))


def _externals_equal(ours: External, theirs: External) -> bool | None:
    if ours.name == theirs.name:
        return True
    builtin = all(name.startswith("builtins.") for name in (ours.name, theirs.name))
    dtypes = all(name.startswith("torch.") and name.count(".") == 1 for name in (ours.name, theirs.name))
    return False if builtin or dtypes else None


def _records_equal(ours: Record, theirs: Record, identical: bool) -> bool | None:
    if ours is theirs:
        return True
    if isinstance(ours, Items) and isinstance(theirs, Items) and not identical:
        if ours.items is None or theirs.items is None or "set" in (ours.kind, theirs.kind):
            return None
        return _all_equal(ours.items, theirs.items)
    if identical or isinstance(ours, Object) != isinstance(theirs, Object):
        return False
    if isinstance(ours, Object) and isinstance(theirs, Object):
        return _objects_equal(ours, theirs)
    return None if isinstance(ours, (Section, Table, ListSection)) else False


def _objects_equal(ours: Object, theirs: Object) -> bool | None:
    """Members of enumerations and data classes with other fields differ."""
    if ours.made_from != theirs.made_from:
        return False
    mine, others = ours.slots.get("value"), theirs.slots.get("value")
    if mine is None or others is None:
        return None
    return equal(mine.data, others.data)


def _all_equal(ours: tuple[Value, ...], theirs: tuple[Value, ...]) -> bool | None:
    if len(ours) != len(theirs):
        return False
    answers = {equal(left.data, right.data) for left, right in zip(ours, theirs, strict=True)}
    return False if False in answers else None if None in answers else True
