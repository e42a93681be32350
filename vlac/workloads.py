"""What a backend can run: words for a kind of run, and rows of what is known about it.

The words are those of models, simulators and algorithms themselves (openpi, libero, ppo), never RLinf's keys;
`vlac/rlinf/port.py` finds them in a configuration. What no row speaks of is unknown: silence is not permission.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vlac.adapters import Variable

Verdict = Literal["works", "warning", "refused", "unknown"]
"""`works` and `warning` were seen running, the latter with something to know; of `unknown` no source speaks."""

Word = bool | str


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of run: for each trait the words that it has. In a row, no words mean any.

    `physics` is where a simulator computes, `training` and `rollout` are the engines.
    """

    models: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    algorithm: tuple[str, ...] = ()
    simulator: tuple[str, ...] = ()
    physics: tuple[str, ...] = ()
    training: tuple[str, ...] = ()
    rollout: tuple[str, ...] = ()

    def covers(self, run: Workload) -> bool:
        """Whether a run has words for each trait that this row names, and no others."""
        return all(not mine or (theirs and set(theirs) <= set(mine)) for mine, theirs in self._beside(run))

    def touches(self, run: Workload) -> bool:
        """Whether a run has, for each trait that this row names, one of its words."""
        return all(not mine or set(theirs) & set(mine) for mine, theirs in self._beside(run))

    def _beside(self, run: Workload) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        for trait in fields(self):
            yield getattr(self, trait.name), getattr(run, trait.name)

    def __str__(self) -> str:
        words = (" and ".join(getattr(self, trait.name)) for trait in fields(self))
        return ", ".join(filter(None, words)) or "a run without a model"


@dataclass(frozen=True, slots=True)
class Support:
    """What is known about a kind of run on this backend, and who says so.

    A row that permits (`works`, `warning`) has to cover the whole run; one that forbids, or says that something is
    not known, holds as soon as it touches it. `versions` are the RLinf versions it is true of, none: any.
    `variables` are what such a run needs beside the adapter's own; `instead` is what to do about a refusal.
    """

    title: str
    verdict: Verdict
    about: Workload
    why: str
    source: str
    instead: str | None = None
    versions: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()

    def holds(self, run: Workload, version: str) -> bool:
        """Whether this row speaks of a run on an RLinf version."""
        if self.versions and version not in self.versions:
            return False
        permits = self.verdict in ("works", "warning")
        return self.about.covers(run) if permits else self.about.touches(run)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word of a run that this backend cannot honour, and the one that the run takes instead.

    `feature` is what it is about: attention, compile, device_graphs ...
    """

    feature: str
    refused: tuple[Word, ...]
    instead: Word
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a backend says of a run: the verdict, and the rows behind it. Unknown without a row: nobody has said."""

    verdict: Verdict
    rows: tuple[Support, ...] = ()
    variables: tuple[Variable, ...] = ()


def judge(rows: Sequence[Support], run: Workload, version: str) -> Judgement:
    """The word of a backend's rows on a run: one that refuses wins, then unknown, then a warning."""
    holding = tuple(row for row in rows if row.holds(run, version))
    variables = tuple(variable for row in holding for variable in row.variables)
    verdicts: tuple[Verdict, ...] = ("refused", "unknown", "warning", "works")
    for verdict in verdicts:
        found = tuple(row for row in holding if row.verdict == verdict)
        if found:
            return Judgement(verdict, found, variables)
    return Judgement("unknown", (), variables)
