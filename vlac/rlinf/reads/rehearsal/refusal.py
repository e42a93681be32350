"""What a rehearsal finds: the lines of the tree that end the run, and how each test for that was decided."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.rlinf.reads.log import Place
    from vlac.rlinf.reads.values import Key


@dataclass(frozen=True)
class Refusal:
    """A line of the tree that refuses a configuration.

    `kind` is `assert`, `raise`, or `error` where an operation fails by itself (a missing key, `None > 0`). `condition`
    is the source of the test that decides it, empty where there is none; in `message`, parts that only the run knows
    stand as `{source}`. `keys` are the keys that the decision comes from. `certain`: the run dies here, or before;
    otherwise it does on one way of a branch that could not be decided.
    """

    file: str
    line: int
    kind: str
    error: str
    condition: str
    message: str
    keys: tuple[Key, ...]
    certain: bool


@dataclass(frozen=True)
class Rehearsal:
    """What the code of a tree makes of one configuration.

    `refusals` stand in the order in which the run comes by; one whose keys were all blamed before is left out.
    `entries` are the scripts that were followed, `complete` is false where the code went on for too long.
    """

    refusals: tuple[Refusal, ...]
    entries: tuple[str, ...]
    complete: bool = True
    survey: Survey = field(default_factory=lambda: Survey())

    @property
    def fatal(self) -> tuple[Refusal, ...]:
        """Those that end the run for sure."""
        return tuple(refusal for refusal in self.refusals if refusal.certain)


@dataclass
class Survey:
    """How often each `assert`, and each `if` around a `raise`, held, failed, or could not be decided."""

    held: Counter[Place] = field(default_factory=Counter)
    failed: Counter[Place] = field(default_factory=Counter)
    open: Counter[Place] = field(default_factory=Counter)

    def note(self, place: Place, truth: bool | None) -> None:
        """Count a test."""
        counter = self.open if truth is None else self.held if truth else self.failed
        counter[place] += 1

    def decided(self) -> set[Place]:
        """The places that were decided every time that the rehearsal came by."""
        return (set(self.held) | set(self.failed)) - set(self.open)


def to_json(rehearsal: Rehearsal) -> dict[str, Any]:  # JSON: values of several types
    """The result as JSON, without the survey."""
    return {
        "refusals": [
            {**asdict(refusal), "keys": [list(key) for key in refusal.keys]} for refusal in rehearsal.refusals
        ],
        "entries": list(rehearsal.entries),
        "complete": rehearsal.complete,
    }


def from_json(document: Mapping[str, Any]) -> Rehearsal:  # JSON: values of several types
    """The result that `to_json` wrote. KeyError or TypeError where it is not of that form."""
    refusals = (
        Refusal(**{**row, "keys": tuple(tuple(key) for key in row["keys"])}) for row in document["refusals"]
    )
    return Rehearsal(tuple(refusals), tuple(document["entries"]), document["complete"])
