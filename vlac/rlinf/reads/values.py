"""What an expression of the read code may hold: a set of atoms, where only configuration nodes are followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from vlac.rlinf.reads.state import Frame

Key: TypeAlias = "tuple[str, ...]"
Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
Scalar: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that is not followed and does not depend on the configuration."""


@dataclass(frozen=True, slots=True)
class Derived:
    """Something computed from the configuration. As a truth value, it tells which keys are there."""

    when_true: frozenset[Node] = frozenset()
    when_false: frozenset[Node] = frozenset()


@dataclass(frozen=True, slots=True)
class Node:
    """A node or leaf of the configuration; `copy` names the place where the code copied it, if it did."""

    path: Key
    copy: str = ""

    def child(self, name: str) -> Node:
        """The node below."""
        return Node((*self.path, name), self.copy)


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration node in a variable; `optional` where the code asked for it with a default."""

    node: Node
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Const:
    """A constant of the code."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the tree."""

    module: str
    definition: ast.ClassDef


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the tree, with the class that owns it and the frame that it closes over."""

    module: str
    definition: Definition
    owner: Class | None = None
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the tree; objects built from different parts of the configuration differ.

    A remote one lives in processes of its own (Ray workers): what it writes, no other process reads.
    """

    made_from: Class
    parts: tuple[Node, ...]
    remote: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """A named member of an enumeration, as `SupportedModel.OPENPI`."""

    made_from: Class
    value: Scalar


@dataclass(frozen=True, slots=True)
class Bound:
    """A method with its receiver."""

    function: Function
    receiver: Instance | Class


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` inside a method of `owner`."""

    owner: Class
    receiver: Instance | Class


@dataclass(frozen=True, slots=True)
class WorkerGroup:
    """`Worker.create_group(...)`: a class and what its objects will be made from once launched."""

    instance: Instance


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the tree."""

    name: str


@dataclass(frozen=True, slots=True)
class External:
    """A name of a package outside the tree, or a builtin (`builtins.getattr`)."""

    name: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list, tuple or set that is written out in the code."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A dictionary that the code fills, known by where it is made; its items live in the world's tables."""

    made_at: ast.AST


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial(function, ...)`."""

    function: Atom
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value that is no object of the tree, as `cfg.get`."""

    receiver: Config | Sequence | Table | Const | WorkerGroup
    name: str


Atom: TypeAlias = (
    "Unknown | Derived | Config | Const | Class | Function | Instance | Member | Bound | Super | WorkerGroup"
    " | ModuleRef | External | Sequence | Table | Partial | Method"
)
Value: TypeAlias = "frozenset[Atom]"

UNKNOWN: Value = frozenset({Unknown()})
DERIVED: Value = frozenset({Derived()})
NONE: Value = frozenset({Const(None)})
MOST_ATOMS = 24  # a set that grows beyond this is no knowledge any more


def one(atom: Atom) -> Value:
    """The value that holds just this atom."""
    return frozenset({atom})


def join(values: Iterable[Value]) -> Value:
    """What holds any of these; unknown where that is too much to follow."""
    joined: Value = frozenset().union(*values)
    return joined if len(joined) <= MOST_ATOMS else UNKNOWN


def configs(value: Value) -> list[Config]:
    """The configuration nodes in a value, in a fixed order."""
    found = [atom for atom in value if isinstance(atom, Config)]
    return sorted(found, key=lambda atom: (atom.node.path, atom.node.copy, atom.optional))


def texts(value: Value) -> list[str]:
    """The constant strings in a value, in a fixed order."""
    return sorted(atom.value for atom in value if isinstance(atom, Const) and isinstance(atom.value, str))


def depends_on_config(value: Value) -> bool:
    """Whether the configuration decides what this is."""
    return any(isinstance(atom, (Config, Derived)) for atom in value)


def nodes_within(value: Value) -> set[Node]:
    """The configuration nodes in a value and in the sequences it holds."""
    found = {atom.node for atom in value if isinstance(atom, Config)}
    for atom in value:
        if isinstance(atom, Sequence):
            found.update(node for item in atom.items for node in nodes_within(item))
    return found


def ordered(value: Value) -> list[Atom]:
    """The atoms in an order that does not hang on hashes: following one may matter for the next."""
    return list(value) if len(value) == 1 else sorted(value, key=_rank)


def _rank(atom: Atom) -> str:
    match atom:
        case Class() | Function():
            return (
                f"{type(atom).__name__} {atom.module} {atom.definition.lineno} {atom.definition.col_offset}"
            )
        case Instance():
            return f"Instance {_rank(atom.made_from)} {atom.parts} {atom.remote}"
        case Bound():
            return f"Bound {_rank(atom.function)} {_rank(atom.receiver)}"
        case Super():
            return f"Super {_rank(atom.owner)} {_rank(atom.receiver)}"
        case WorkerGroup():
            return f"WorkerGroup {_rank(atom.instance)}"
        case Member():
            return f"Member {_rank(atom.made_from)} {atom.value}"
        case Partial():
            return f"Partial {_rank(atom.function)} {len(atom.arguments)}"
        case Table():
            return f"Table {getattr(atom.made_at, 'lineno', 0)} {getattr(atom.made_at, 'col_offset', 0)}"
        case Sequence():
            return f"Sequence {len(atom.items)} {[[_rank(inner) for inner in ordered(i)] for i in atom.items[:4]]}"
        case Method():
            return f"Method {atom.name} {_rank(atom.receiver)}"
    return repr(atom)  # no definition in it, so no address
