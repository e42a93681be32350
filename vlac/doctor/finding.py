"""One thing that the doctor found, good or bad."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

State = Literal["ok", "warning", "fail", "not checked"]
Group = Literal["data", "normalisation", "weights", "software", "machine"]

GROUPS: tuple[Group, ...] = get_args(Group)
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at and how it is. `code` is one of `vlac explain`, empty where nothing is wrong.

    A fail ends the run or makes it worthless; a warning may. `fix` is what to do, a command where there is one.
    """

    group: Group
    state: State
    what: str
    fix: str = ""
    code: str = ""


def ok(group: Group, what: str) -> Finding:
    """It is as it should be."""
    return Finding(group, "ok", what)


def warning(group: Group, code: str, what: str, fix: str) -> Finding:
    """It may be wrong."""
    return Finding(group, "warning", what, fix, code)


def fail(group: Group, code: str, what: str, fix: str) -> Finding:
    """The run would end by it, or train something else than what is meant."""
    return Finding(group, "fail", what, fix, code)


def unchecked(group: Group, what: str, fix: str = "") -> Finding:
    """It was not looked at: `what` says why, `fix` how it can be."""
    return Finding(group, "not checked", what, fix)


def some(names: list[str], most: int = 4) -> str:
    """The first of many, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
