"""Findings as text for a person and as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from vlac.doctor.finding import GROUPS, STATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vlac.doctor.finding import Finding

_COLORS = {"ok": "\x1b[32m", "warning": "\x1b[1;33m", "fail": "\x1b[1;31m", "not checked": "\x1b[2m"}
_RESET = "\x1b[0m"
_WIDTH = max(len(state) for state in STATES)


def to_text(findings: Sequence[Finding], *, color: bool) -> str:
    """A heading for each group, a line for each finding, its fix below it."""
    return "".join(f"{line}\n" for line in _lines(findings, color=color))


def _lines(findings: Sequence[Finding], *, color: bool) -> Iterator[str]:
    for group in GROUPS:
        those = [finding for finding in findings if finding.group == group]
        if those:
            yield group
        for finding in those:
            yield from _finding(finding, color=color)


def _finding(finding: Finding, *, color: bool) -> Iterator[str]:
    paint, reset = (_COLORS[finding.state], _RESET) if color else ("", "")
    code = f" [{finding.code}]" if finding.code else ""
    yield f"  {paint}{finding.state:{_WIDTH}}{reset}  {finding.what}{code}"
    if finding.fix:
        yield f"  {'':{_WIDTH}}  fix: {finding.fix}"


def summary(findings: Sequence[Finding]) -> str:
    """How many are in which state, as `12 ok, 1 fail, 2 not checked`."""
    counted = counts(findings)
    return ", ".join(f"{number} {state}" for state, number in counted.items() if number)


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """The number of findings by state."""
    found = Counter(finding.state for finding in findings)
    return {state: found[state] for state in STATES}


def to_json(findings: Sequence[Finding]) -> dict[str, object]:
    """All findings, and their number by state."""
    return {"findings": [asdict(finding) for finding in findings], "summary": counts(findings)}
