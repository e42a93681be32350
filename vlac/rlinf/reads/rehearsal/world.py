"""What a rehearsal shares: the tree, the changes, the handlers that are open, the refusals found so far."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from vlac.rlinf.reads.log import Place
from vlac.rlinf.reads.rehearsal.errors import Error, Handlers, OutOfSteps, RaisedError, lineage
from vlac.rlinf.reads.rehearsal.records import Heap
from vlac.rlinf.reads.rehearsal.refusal import Refusal, Survey
from vlac.rlinf.reads.rehearsal.values import NO_KEYS, Value, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vlac.rlinf.reads.rehearsal.classes import Classes
    from vlac.rlinf.reads.rehearsal.devices import Devices
    from vlac.rlinf.reads.rehearsal.flows import Early
    from vlac.rlinf.reads.rehearsal.names import Names
    from vlac.rlinf.reads.rehearsal.records import Changes, Frame
    from vlac.rlinf.reads.rehearsal.sections import Section
    from vlac.rlinf.reads.rehearsal.values import Keys
    from vlac.rlinf.reads.tree import Tree
    from vlac.rlinf.reads.values import Key

_T = TypeVar("_T")
MOST_STEPS = 400_000  # statements and calls, some seconds


@dataclass(frozen=True)
class Reason:
    """The test that led here: its source, and the keys that decided it; nothing where nothing did."""

    condition: str = ""
    keys: Keys = NO_KEYS


@dataclass
class World:
    """Everything shared by the calls that are followed.

    `undecided` counts the open branches around this point; `surprises` what only the run knows so far: any of it may
    have raised.
    """

    tree: Tree
    devices: Devices
    registered: frozenset[str] = frozenset()  # what the run itself adds to the tree's registries
    names: Names = field(init=False)
    classes: Classes = field(init=False)
    heap: Heap = field(default_factory=Heap)
    survey: Survey = field(default_factory=Survey)
    refusals: dict[Place, Refusal] = field(default_factory=dict)
    blamed: set[Key] = field(default_factory=set)
    handlers: list[Handlers] = field(default_factory=list)
    handled: list[Error | None] = field(
        default_factory=list
    )  # what the `except` clauses around this point caught
    reason: Reason = Reason()
    undecided: int = 0
    surprises: int = 0
    steps: int = 0
    active: list[ast.AST] = field(default_factory=list)  # the functions that are being followed
    early: list[Early] = field(
        default_factory=list
    )  # of the function that is being followed, as are its loops
    loops: list[object] = field(default_factory=list)
    config: Section | None = None  # the driver's
    generators: dict[int, bool] = field(
        default_factory=dict
    )  # which functions yield, by the id of their definition
    exhausted: bool = False
    silent: bool = False  # top-level code of modules refuses no configuration

    def step(self) -> None:
        """Count a step; raises OutOfSteps at the end of patience."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise OutOfSteps

    def place(self, frame: Frame, node: ast.AST) -> Place:
        """Where a node stands."""
        return Place(frame.module.file, getattr(node, "lineno", 1))

    def surprise(self, *parts: Value) -> Value:
        """Something that only the run knows, which may also fail."""
        self.surprises += 1
        return unknown(*parts)

    # Refusals

    def fail(self, frame: Frame, node: ast.AST, name: str, message: str, keys: Keys) -> Value:
        """An operation that fails by itself. Where nothing catches it, the run is taken to go on as if mended."""
        error = Error(lineage(name), name, "error", self.place(frame, node), message, ast.unparse(node), keys)
        if self.undecided or self.catches(error):
            raise RaisedError(error)
        self.refuse(error)
        return Value(unknown().data, keys)

    def catches(self, error: Error) -> bool:
        """Whether the rehearsed code catches it somewhere above."""
        return any(handlers.catch(error) for handlers in self.handlers)

    def refuse(self, error: Error) -> None:
        """Note what ends the run, or ends it on a way that cannot be decided."""
        certain = not self.undecided
        if self.silent or not error.keys or (error.kind == "error" and not certain):
            return
        before = self.refusals.get(error.place)
        if before is not None:
            if certain and not before.certain:
                self.refusals[error.place] = replace(before, certain=True)
            return
        if error.keys <= self.blamed:
            return
        if certain:
            self.blamed |= error.keys
        self.refusals[error.place] = Refusal(
            error.place.file,
            error.place.line,
            error.kind,
            error.name,
            error.condition,
            error.message,
            tuple(sorted(error.keys)),
            certain,
        )

    def _dies(self, error: Error) -> None:
        """A way that cannot be decided ends in an exception."""
        for handlers in self.handlers:
            if handlers.catch(error):
                handlers.hit = True
                self.surprises += 1
                return
        self.refuse(error)

    # Ways

    @contextmanager
    def because(self, reason: Reason) -> Iterator[None]:
        """Follow what a test has led to."""
        before, self.reason = self.reason, reason
        try:
            yield
        finally:
            self.reason = before

    def either_way(self, ways: Sequence[Callable[[], _T]]) -> list[tuple[_T, Changes]]:
        """Follow each way from this point, which is left as it was; the ways that do not raise.

        Where all of them raise, the first exception goes on.
        """
        mark, found, errors = self.heap.mark(), [], []
        before, ended = self.undecided, len(self.early)
        for way in ways:
            self.undecided = before + 1
            try:
                with self.because(Reason()):
                    result = way()
            except RaisedError as raised:
                errors.append(raised)
                self._dies(raised.error)
                self._undo(mark)
            else:
                found.append((result, self._undo(mark)))
        if len(self.early) > ended:  # until the function or the loop ends
            self.undecided, self.reason = before + 1, Reason()
        else:
            self.undecided = before
        if not found:
            raise errors[0]
        return found

    def _undo(self, mark: int) -> Changes:
        """Go back; ways that ended earlier on the way that is left count from this point now."""
        for early in self.early:
            if early.mark > mark:
                early.changes = {**self.heap.since(mark, early.mark), **early.changes}
                early.mark = mark
        return self.heap.undo(mark)

    def evaluate_either(self, ways: Sequence[Callable[[], Value]]) -> Value:
        """Follow each way and meet behind them; what any of them gives."""
        from vlac.rlinf.reads.rehearsal.records import either

        found = self.either_way(ways)
        self.heap.meet([changes for _, changes in found])
        return either([value for value, _ in found]) or unknown()

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Follow top-level code, which depends on no configuration and is not taken back."""
        heap, undecided, silent = self.heap, self.undecided, self.silent
        handlers, reason, early, loops = self.handlers, self.reason, self.early, self.loops
        self.heap, self.undecided, self.silent = Heap(), 0, True
        self.handlers, self.reason, self.early, self.loops = [], Reason(), [], []
        try:
            yield
        finally:
            self.heap, self.undecided, self.silent = heap, undecided, silent
            self.handlers, self.reason, self.early, self.loops = handlers, reason, early, loops
