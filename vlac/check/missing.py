"""Keys that the run reads strictly and the configuration does not have: RLinf dies there, in struct mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.check.subject import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.reads import Read

_MOST_PLACES = 4


def missing(subject: Subject, target: Target) -> Iterator[Finding]:
    """Missing keys: an error where every way of the run reads them, a warning where some do without asking first."""
    for read in target.missing(subject):
        message = f"`{dotted(read.key)}` is missing, and RLinf reads it without a default: {_places(read)}"
        yield subject.finding("check-key-missing", message, read.key, hint=_hint(read))
    for read in target.missing(subject, kind="guarded") if target.is_measured else ():
        if read.conditional and target.is_set_by_all(read.key, subject):
            message = (
                f"`{dotted(read.key)}` is missing; some runs read it without a default, and every config of this task"
                f" beside the script sets it: {_places(read)}"
            )
            yield subject.finding(
                "check-key-maybe-missing", message, read.key, severity="warning", hint=_hint(read)
            )


def _places(read: Read) -> str:
    shown = [f"{place.file}:{place.line}" for place in read.places[:_MOST_PLACES]]
    more = len(read.places) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _hint(read: Read) -> str:
    above = dotted(read.key[:-1])
    return (
        f"write `{read.key[-1]}:` in the section {above}" if above else f"write the section `{read.key[-1]}:`"
    )
