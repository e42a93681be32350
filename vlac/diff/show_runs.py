"""Shows the difference of two runs: text for people, a document for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diff.comparison import Verdict
from vlac.diff.show import COLORS, PLAIN, printable, shown, wrapped
from vlac.patches.changes import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.diff.runs import Apart, Runs

_INDENT = " " * 18


def text(runs: Runs, *, color: bool = False) -> str:
    """The difference as lines of text; with `color`, verdicts in terminal colours."""
    return "\n".join(_lines(runs, color)) + "\n"


def document(runs: Runs) -> dict[str, object]:
    """The difference as plain data for JSON; a value that does not exist is null, and the verdict says so."""
    return {
        "first": runs.first,
        "second": runs.second,
        "differences": [
            {
                "kind": one.kind,
                "name": one.name,
                "verdict": one.verdict,
                "first": None if one.first is ABSENT else one.first,
                "second": None if one.second is ABSENT else one.second,
                "first_place": one.first_place or None,
                "second_place": one.second_place or None,
            }
            for one in runs.differences
        ],
        "same_config_keys": runs.same,
        "undecided": list(runs.undecided),
    }


def _lines(runs: Runs, color: bool) -> Iterator[str]:
    yield wrapped(f"{runs.first} (first) beside {runs.second} (second)", "", 2)
    yield ""
    for one in runs.differences:
        verdict = f"{one.verdict:<16}"
        yield f"  {f'{COLORS[Verdict.DIFFERS]}{verdict}{PLAIN}' if color else verdict}{printable(_what(one))}"
        places = _places(one)
        if places:
            yield wrapped(places, _INDENT)
    if runs.differences:
        yield ""
    yield f"{len(runs.differences)} different, {runs.same} configuration keys the same"
    for sentence in runs.undecided:
        yield wrapped(f"not compared: {sentence}", "", 2)


def _what(one: Apart) -> str:
    separator = "=" if one.kind == "variable" else ": "
    if one.first is ABSENT or one.second is ABSENT:
        return f"{one.name}{separator}{shown(one.second if one.first is ABSENT else one.first)}"
    return f"{one.name}{separator}{shown(one.first)} in the first, {shown(one.second)} in the second"


def _places(one: Apart) -> str:
    if one.first_place == one.second_place:
        return one.first_place
    said = {"first": one.first_place, "second": one.second_place}
    return "; ".join(f"{which}: {place}" for which, place in said.items() if place)
