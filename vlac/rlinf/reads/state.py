"""Where the interpreter stands: the values of names, and what is sure about the configuration at this point."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from vlac.rlinf.reads.values import Node, Value, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vlac.rlinf.reads.tree import Module
    from vlac.rlinf.reads.values import Class as ClassAtom
    from vlac.rlinf.reads.values import Function, Instance


@dataclass
class State:
    """One point of the code.

    `written` are keys that were set on every way here, with what they were set to, `touched` those that were set
    on some way; `present` are keys whose presence was tested; `required` are keys that every way here has read
    strictly. `caught` says that a failing read would be caught, `alive` that the code goes on here, `by_chance`
    that the way here hangs on something that is not the configuration.
    """

    names: dict[str, Value] = field(default_factory=dict)
    written: Mapping[Node, Value] = field(default_factory=dict)
    touched: frozenset[Node] = frozenset()
    present: frozenset[Node] = frozenset()
    required: set[Node] = field(default_factory=set)
    caught: bool = False
    alive: bool = True
    by_chance: bool = False

    def branch(self, present: Iterable[Node] = ()) -> State:
        """A copy for one way on, where these keys are known to be there."""
        return State(
            dict(self.names),
            self.written,
            self.touched,
            self.present.union(present),
            set(self.required),
            self.caught,
            self.alive,
            self.by_chance,
        )

    def become(self, other: State) -> None:
        """Stand where `other` stands."""
        self.names, self.written, self.touched = other.names, other.written, other.touched
        self.present, self.required, self.alive = other.present, other.required, other.alive

    def write(self, node: Node, value: Value) -> None:
        """Set a key."""
        self.written = {**self.written, node: value}  # branches share it until one of them writes
        self.touched |= {node}

    def is_written(self, node: Node) -> bool:
        """Whether the key, or a section that holds it, was set before."""
        return any(prefix in self.written for prefix in _with_parents(node))

    def is_touched(self, node: Node) -> bool:
        """Whether some way here set the key, or a section that holds it."""
        return any(prefix in self.touched for prefix in _with_parents(node))

    def is_present(self, node: Node) -> bool:
        """Whether the key, or a section that holds it, was tested to be there."""
        return any(prefix in self.present for prefix in _with_parents(node))


def _with_parents(node: Node) -> list[Node]:
    """The node and its parents; of a copy, also those of the original."""
    paths = [node.path[:length] for length in range(1, len(node.path) + 1)]
    copies = {"", node.copy}
    return [Node(path, copy) for path in paths for copy in copies]


def merged(states: Iterable[State], *, either: bool = False) -> State:
    """Where these ways meet. `either`: chance decides between them, so count what any of them requires."""
    every = list(states)
    alive = [state for state in every if state.alive] or every
    first, *others = alive
    if not others:
        return first.branch()
    together = first.branch()
    for other in others:
        together.names = _joined_names(together.names, other.names)
        together.written = _joined_writes(together.written, other.written)
        together.touched |= other.touched
        together.present &= other.present
        together.required = (
            together.required | other.required if either else together.required & other.required
        )
    return together


def _joined_names(left: Mapping[str, Value], right: Mapping[str, Value]) -> dict[str, Value]:
    joined = dict(left)
    for name, value in right.items():
        before = left.get(name, value)
        joined[name] = value if before is value else join((before, value))
    return joined


def _joined_writes(left: Mapping[Node, Value], right: Mapping[Node, Value]) -> Mapping[Node, Value]:
    if left is right:
        return left
    both = ((node, value, right[node]) for node, value in left.items() if node in right)
    return {node: value if value is other else join((value, other)) for node, value, other in both}


@dataclass(eq=False)
class Frame:
    """A call that is being followed: its module, where it stands, and the ways by which it has returned."""

    module: Module
    state: State
    function: Function | None = None
    receiver: Instance | ClassAtom | None = None
    outer: Frame | None = None
    returns: list[tuple[State, Value]] = field(default_factory=list)
    loops: list[list[State]] = field(default_factory=list)
    number: int = field(default_factory=count().__next__)
