"""The difference of two runs: target, configuration, variables and the code that workers get."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vlac.diff.judge import equal
from vlac.patches.changes import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from vlac.diff.sides import Side
    from vlac.patches.changes import Held

Kind = Literal["target", "config", "variable", "code"]
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Apart:
    """A thing that two runs set otherwise, and where each says it; absent where one does not set it."""

    kind: Kind
    name: str
    first: Held
    second: Held
    first_place: str = ""
    second_place: str = ""

    @property
    def verdict(self) -> str:
        """In words."""
        if self.first is ABSENT:
            return "only in second"
        return "only in first" if self.second is ABSENT else "differs"


@dataclass(frozen=True)
class Runs:
    """Two runs, with all that differs. `undecided` says what could not be compared."""

    first: str
    second: str
    differences: tuple[Apart, ...]
    same: int
    undecided: tuple[str, ...] = ()

    @property
    def has_differences(self) -> bool:
        """Whether they are not the same run."""
        return bool(self.differences)


def compare_runs(first: Side, second: Side) -> Runs:
    """Everything that differs, in the order target, configuration, variables, code."""
    config = {_dotted(key): value for key, value in first.config.items()}
    other = {_dotted(key): value for key, value in second.config.items()}
    found = [*_apart("config", config, other, first, second)]
    undecided = []
    if first.has_environment and second.has_environment:
        found = [*_apart("target", first.target, second.target, first, second), *found]
        found += _apart("variable", first.variables, second.variables, first, second)
        found += _apart("code", first.code, second.code, first, second)
    else:
        undecided.append("variables, backend and the code of the workers: a config alone does not tell them")
    count = sum(name in other and equal(value, other[name]) for name, value in config.items())
    return Runs(first.name, second.name, tuple(found), count, tuple(undecided))


def _dotted(key: tuple[str, ...]) -> str:
    from vlac.bundle.lock import dotted

    return dotted(key)


def _apart(
    kind: Kind, one: Mapping[str, Any], other: Mapping[str, Any], first: Side, second: Side
) -> Iterator[Apart]:  # values of all types
    for name in {**one, **other}:
        left, right = one.get(name, ABSENT), other.get(name, ABSENT)
        if equal(left, right):
            continue
        if kind == "variable" and (name in first.secrets | second.secrets or _SECRET.search(name)):
            left, right = (value if value is ABSENT else "(hidden)" for value in (left, right))
        if kind == "code":
            left, right = (value if value is ABSENT else value[:12] for value in (left, right))
        yield Apart(kind, name, left, right, first.places.get(name, ""), second.places.get(name, ""))
