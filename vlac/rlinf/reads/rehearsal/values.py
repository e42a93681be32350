"""What an expression holds when the code of a tree is rehearsed: one value, or something that only the run knows.

Every value carries the configuration keys that made it what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.tree import Module
    from vlac.rlinf.reads.values import Key

Keys: TypeAlias = "frozenset[Key]"
Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
NO_KEYS: Keys = frozenset()


class Unknown:
    """What only the run knows. `absent` where it may also not be there at all."""

    def __init__(self, *, absent: bool = False) -> None:
        self.absent = absent


UNKNOWN, MAYBE = Unknown(), Unknown(absent=True)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A Python constant, a tuple of values, a record, a piece of code, or `UNKNOWN`; and the keys it comes from."""

    data: object
    keys: Keys = NO_KEYS

    @property
    def known(self) -> bool:
        """Whether the rehearsal knows what it is."""
        return not isinstance(self.data, Unknown)

    def and_of(self, *others: Value) -> Value:
        """The same, which also comes from what made the others."""
        keys = keys_of((self, *others))
        return self if keys == self.keys else Value(self.data, keys)


NONE = Value(None)


def keys_of(values: Iterable[Value]) -> Keys:
    """The keys that made any of these."""
    return frozenset().union(*(value.keys for value in values))


def unknown(*parts: Value) -> Value:
    """Something that is made of these in a way that is not known."""
    return Value(UNKNOWN, keys_of(parts))


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the tree, with the frame that it is defined in where that is a function."""

    module: str
    definition: ast.ClassDef
    scope: Frame | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """A function of the tree, with the class that owns it and the frame that it closes over."""

    module: Module
    definition: Definition
    owner: ClassRef | None = None
    scope: Frame | None = None

    @property
    def name(self) -> str:
        """Its name; a lambda has none."""
        return getattr(self.definition, "name", "")

    def __hash__(self) -> int:
        return hash((id(self.definition), id(self.scope)))


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of the tree with its receiver: an object or a class."""

    code: Code
    receiver: Value


@dataclass(frozen=True, slots=True, eq=False)
class Native:
    """A method of a text, a collection or a section, as `cfg.get`."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """`functools.partial(function, ...)`."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """`super()` inside a method of `owner`."""

    owner: ClassRef
    receiver: Value


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the tree."""

    name: str


@dataclass(frozen=True, slots=True)
class External:
    """A name of a package outside the tree, or a builtin (`builtins.len`)."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class WorkerGroup:
    """`Worker.create_group(...)`: objects in processes of their own."""

    made_from: ClassRef
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]
    worker: Value | None = None
