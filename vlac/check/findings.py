"""Every kind of finding, in one list; each is a function from a configuration and its target to diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.check.dead import dead
from vlac.check.interpolations import interpolations
from vlac.check.missing import missing
from vlac.check.moved import moved
from vlac.check.placement import placement
from vlac.check.unset import unset
from vlac.check.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vlac.check.subject import Subject
    from vlac.check.target import Target
    from vlac.diagnostics import Diagnostic

FINDINGS: tuple[Callable[[Subject, Target], Iterator[Diagnostic]], ...] = (
    missing,
    dead,
    moved,
    words,
    interpolations,
    unset,
    placement,
)


def find(subject: Subject, target: Target) -> tuple[Diagnostic, ...]:
    """Everything that is found, in the order of the file; what could not be looked at comes last, as notes."""
    from vlac.compiler import in_source_order
    from vlac.diagnostics import Diagnostic

    found = [diagnostic for one in FINDINGS for diagnostic in one(subject, target)]
    notes = [Diagnostic("check-undecided", f"not looked at: {text}", "note") for text in target.undecided]
    return (*in_source_order(found), *notes)
