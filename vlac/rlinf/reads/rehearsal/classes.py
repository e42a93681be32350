"""Classes of the tree: their order of methods, attributes, enumerations and data classes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads.classes import Layout, layout, linear, name_of
from vlac.rlinf.reads.rehearsal.records import Frame, Object, Record, Table
from vlac.rlinf.reads.rehearsal.values import ClassRef, Code, External, Value, unknown

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from vlac.rlinf.reads.rehearsal.world import World

_ENUMERATIONS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
_NO_BASES = frozenset({"object", "ABC", "Generic", "Protocol"})


class Classes:
    """What can be asked about the classes of a tree."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._layouts: dict[ast.ClassDef, Layout] = {}
        self._orders: dict[ClassRef, list[ClassRef]] = {}
        self._outside: dict[ClassRef, frozenset[str]] = {}
        self._records: dict[ClassRef, Record] = {}
        self._evaluating: set[tuple[ClassRef, str]] = set()

    def layout(self, made: ClassRef) -> Layout:
        """The body of a class."""
        return layout(made.definition, self._layouts)

    def record(self, made: ClassRef) -> Record:
        """The attributes of a class."""
        if made not in self._records:
            self._records[made] = Record()
        return self._records[made]

    def order(self, made: ClassRef) -> list[ClassRef]:
        """The class and its bases inside the tree, in the order in which Python looks for a method."""
        if made not in self._orders:
            self._orders[made] = [made]  # a class that is its own base ends here
            bases = [self._base(made, base).data for base in made.definition.bases]
            inside = [base for base in bases if isinstance(base, ClassRef)]
            self._orders[made] = [made, *linear([self.order(base) for base in inside])]
        return self._orders[made]

    def outside(self, made: ClassRef) -> frozenset[str]:
        """The last names of the bases that lie outside the tree."""
        if made not in self._outside:
            bases = [
                base
                for one in self.order(made)
                for base in one.definition.bases
                if not self._is_inside(one, base)
            ]
            self._outside[made] = frozenset(map(name_of, bases)) - _NO_BASES
        return self._outside[made]

    def _is_inside(self, made: ClassRef, expression: ast.expr) -> bool:
        return isinstance(self._base(made, expression).data, ClassRef)

    def _base(self, made: ClassRef, expression: ast.expr) -> Value:
        if isinstance(expression, ast.Subscript):  # Generic[T]
            expression = expression.value
        return self._evaluate(made, expression)

    def _evaluate(self, made: ClassRef, expression: ast.expr, *, inside: bool = False) -> Value:
        from vlac.rlinf.reads.rehearsal.errors import RaisedError
        from vlac.rlinf.reads.rehearsal.expressions import evaluate

        module = self._world.tree.module(made.module)
        if module is None:
            return unknown()
        frame = Frame(module, outer=made.scope)
        if inside:  # the body of a class sees what it has set before
            frame.slots.update(self.record(made).slots)
            names = {part.id for part in ast.walk(expression) if isinstance(part, ast.Name)}
            for name in names & set(self.layout(made).values):
                frame.slots[name] = self.own(made, name) or unknown()
        with self._world.apart():
            try:
                return evaluate(self._world, frame, expression)
            except RaisedError:
                return unknown()

    def method(self, made: ClassRef, name: str, after: ClassRef | None = None) -> Code | None:
        """The method of that name; with `after`, of what follows that class (`super()`)."""
        order = self.order(made)
        if after is not None:
            order = order[order.index(after) + 1 :] if after in order else []
        for owner in order:
            definition = self.layout(owner).methods.get(name)
            module = self._world.tree.module(owner.module)
            if definition is not None and module is not None:
                return Code(module, definition, owner, owner.scope)
        return None

    def value(self, made: ClassRef, name: str) -> Value | None:
        """A class attribute, None where no class of the tree has it."""
        for owner in self.order(made):
            found = self.own(owner, name)
            if found is not None:
                return found
        return None

    def own(self, made: ClassRef, name: str) -> Value | None:
        """An attribute that this class itself has."""
        record = self.record(made)
        if name in record.slots:
            return record.slots[name]
        expression = self.layout(made).values.get(name)
        if expression is None or (made, name) in self._evaluating:
            return None
        self._evaluating.add((made, name))
        value = self._evaluate(made, expression, inside=True)
        self._evaluating.discard((made, name))
        if self.is_enumeration(made):
            value = Value(Object(made, {"value": self._member_value(value, name), "*name*": Value(name)}))
        record.slots[name] = value  # on no trail: it depends on no configuration
        return value

    def _member_value(self, value: Value, name: str) -> Value:
        """The value of a member; where it is computed (`auto()`), its name stands for it."""
        return value if value.known else Value(name)

    def is_enumeration(self, made: ClassRef) -> bool:
        """Whether a class is an `Enum`."""
        return any(name.endswith(_ENUMERATIONS) for name in self.outside(made))

    def members(self, made: ClassRef) -> list[Value]:
        """The members of an enumeration."""
        names = [name for name in self.layout(made).values if not name.startswith("_")]
        return [value for value in (self.own(made, name) for name in names) if value is not None]

    def is_data_class(self, made: ClassRef) -> bool:
        """Whether a class, or a base of it, is decorated with `@dataclass`."""
        return any(
            "dataclass" in name_of(d) for one in self.order(made) for d in one.definition.decorator_list
        )

    def fields(self, made: ClassRef) -> dict[str, tuple[ClassRef, ast.expr | None]]:
        """The fields of a data class: who has them, and with what default."""
        found: dict[str, tuple[ClassRef, ast.expr | None]] = {}
        for owner in reversed(self.order(made)):
            for part in owner.definition.body:
                if not isinstance(part, ast.AnnAssign) or not isinstance(part.target, ast.Name):
                    continue
                if "ClassVar" not in ast.unparse(part.annotation):
                    found[part.target.id] = (owner, part.value)
        return found

    def default(self, owner: ClassRef, expression: ast.expr) -> Value:
        """The default of a field, made anew."""
        if isinstance(expression, ast.Call) and name_of(expression) == "field":
            given = {keyword.arg: keyword.value for keyword in expression.keywords}
            if "default" in given:
                return self._evaluate(owner, given["default"])
            factory = given.get("default_factory")
            if factory is None:
                return unknown()
            call = ast.Call(factory, [], [], lineno=expression.lineno, col_offset=0)
            return self._evaluate(owner, call)
        return self._evaluate(owner, expression)

    def field_table(self, made: ClassRef) -> Value:
        """`__dataclass_fields__`: each field with `default` and `default_factory`."""
        missing = Value(External("dataclasses.MISSING"))
        table = Table()
        for name, (owner, expression) in self.fields(made).items():
            given = expression is not None and not _needs_value(expression)
            default = self.default(owner, expression) if expression is not None and given else missing
            slots: dict[Hashable, Value] = {
                "name": Value(name),
                "default": default,
                "default_factory": missing,
            }
            table.slots[name] = Value(Object(made, slots))
        return Value(table)

    def decorators(self, code: Code) -> Iterator[str]:
        """The last names of a function's decorators."""
        if not isinstance(code.definition, ast.Lambda):
            yield from map(name_of, code.definition.decorator_list)


def _needs_value(expression: ast.expr) -> bool:
    """Whether a field has a `field(...)` without a default."""
    if not isinstance(expression, ast.Call) or name_of(expression) != "field":
        return False
    return not any(keyword.arg in ("default", "default_factory") for keyword in expression.keywords)
