"""Classes of the tree: methods, bases, enumerations and data classes."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from vlac.rlinf.reads.values import Class, Function, Member, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.rlinf.reads.values import Scalar, Value
    from vlac.rlinf.reads.world import World

_Method = ast.FunctionDef | ast.AsyncFunctionDef
_Class = TypeVar("_Class")
_ENUMERATIONS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")


@dataclass
class Layout:
    """The body of a class."""

    methods: dict[str, _Method] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    fields: dict[str, bool] = field(default_factory=dict)  # annotated names, and whether they have a default


def layout(definition: ast.ClassDef, cache: dict[ast.ClassDef, Layout]) -> Layout:
    """The methods, values and annotated names that a class itself defines."""
    if definition not in cache:
        cache[definition] = _read(definition)
    return cache[definition]


def _read(definition: ast.ClassDef) -> Layout:
    found = Layout()
    for statement in definition.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.methods[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            found.values.update(dict.fromkeys(names, statement.value))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found.fields[statement.target.id] = statement.value is not None
            if statement.value is not None:
                found.values[statement.target.id] = statement.value
    return found


class Classes:
    """What can be asked about the classes of a tree."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._layouts: dict[ast.ClassDef, Layout] = {}
        self._orders: dict[Class, list[Class]] = {}
        self._external: dict[Class, bool] = {}

    def layout(self, made: Class) -> Layout:
        """The body of a class."""
        return layout(made.definition, self._layouts)

    def order(self, made: Class) -> list[Class]:
        """The class and its bases inside the tree, in the order in which Python looks for a method."""
        if made not in self._orders:
            self._orders[made] = [made]  # a class that is its own base ends here
            self._orders[made] = [made, *linear([self.order(base) for base in self._bases(made)])]
        return self._orders[made]

    def _bases(self, made: Class) -> list[Class]:
        values = [self._base(made, expression) for expression in made.definition.bases]
        return [atom for value in values for atom in value if isinstance(atom, Class)]

    def _base(self, made: Class, expression: ast.expr) -> Value:
        from vlac.rlinf.reads import expressions
        from vlac.rlinf.reads.state import Frame, State

        if isinstance(expression, ast.Subscript):  # Generic[T]
            expression = expression.value
        module = self._world.tree.module(made.module)
        if module is None:
            return frozenset()
        return expressions.evaluate(self._world, Frame(module, State()), expression)

    def method(self, made: Class, name: str, after: Class | None = None) -> Function | None:
        """The method of that name; with `after`, of what follows that class (`super()`)."""
        order = self.order(made)
        if after is not None:
            order = order[order.index(after) + 1 :] if after in order else []
        for owner in order:
            definition = self.layout(owner).methods.get(name)
            if definition is not None:
                return Function(owner.module, definition, owner)
        return None

    def value(self, made: Class, name: str) -> Value | None:
        """The value of a class attribute, None where no class of the tree gives it one."""
        for owner in self.order(made):
            expression = self.layout(owner).values.get(name)
            if expression is None:
                continue
            if self.is_enumeration(owner):
                return one(Member(owner, _member_value(expression, name)))
            return self._base(owner, expression)
        return None

    def is_enumeration(self, made: Class) -> bool:
        """Whether a class is an `Enum`, or is used as one: its own objects are attributes of it."""
        self._world.complete(made)
        own = self._world.attributes.get(made, {})
        if any(isinstance(atom, Member) for value in own.values() for atom in value):
            return True
        return any(name_of(base).endswith(_ENUMERATIONS) for base in made.definition.bases)

    def fields(self, made: Class) -> dict[str, bool] | None:
        """The fields of a data class and whether each has a default; None for another class."""
        if not any("dataclass" in name_of(decorator) for decorator in made.definition.decorator_list):
            return None
        found: dict[str, bool] = {}
        for owner in reversed(self.order(made)):
            found.update(self.layout(owner).fields)
        return found


def linear(orders: list[list[_Class]]) -> list[_Class]:
    """Python's C3 linearization; what has no consistent order comes depth first."""
    waiting = [list(order) for order in [*orders, [order[0] for order in orders if order]] if order]
    found: list[_Class] = []
    while waiting:
        head = next((order[0] for order in waiting if _is_free(order[0], waiting)), waiting[0][0])
        found.append(head)
        waiting = [rest for rest in ([one for one in order if one != head] for order in waiting) if rest]
    return found


def _is_free(head: _Class, waiting: list[list[_Class]]) -> bool:
    return not any(head in order[1:] for order in waiting)


def name_of(expression: ast.expr) -> str:
    """The last name of a base or decorator."""
    if isinstance(expression, ast.Call):
        expression = expression.func
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _member_value(expression: ast.expr, name: str) -> Scalar:
    """The value of an enumeration member; where it is computed (`auto()`), its name stands for it.

    Of `OPENPI = ("openpi", "embodied")` it is the first item: the `__new__` of RLinf 0.2 makes it so.
    """
    if isinstance(expression, ast.Tuple) and expression.elts:
        expression = expression.elts[0]
    value = expression.value if isinstance(expression, ast.Constant) else name
    return value if value is None or isinstance(value, (str, int, float)) else name


def decorators(function: Function) -> Iterator[str]:
    """The last names of a function's decorators."""
    if isinstance(function.definition, ast.Lambda):
        return
    yield from map(name_of, function.definition.decorator_list)
