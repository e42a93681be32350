"""Every kind of finding, in one list; each is a function from a configuration and its target to problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.check.dead import dead
from vlac.check.interpolations import interpolations
from vlac.check.missing import missing
from vlac.check.moved import moved
from vlac.check.placement import placement
from vlac.check.refusals import refusals
from vlac.check.unset import unset
from vlac.check.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.diagnostics import Diagnostic

FINDINGS: tuple[Callable[[Subject, Target], Iterator[Finding]], ...] = (
    missing,
    dead,
    moved,
    words,
    interpolations,
    unset,
    placement,
)


def find(subject: Subject, target: Target) -> tuple[Diagnostic, ...]:
    """Everything that is found, in the order of the file; what could not be looked at comes last, as notes.

    RLinf's own refusals come last: what a finding told of before is not told in RLinf's words again.
    """
    from vlac.compiler import in_source_order
    from vlac.diagnostics import Diagnostic

    found = [finding for one in FINDINGS for finding in one(subject, target)]
    refused, open_matters = refusals(subject, target, [one.key for one in found if one.diagnostic.is_error])
    undecided = (*target.undecided, *open_matters)
    notes = [Diagnostic("check-undecided", f"not looked at: {text}", "note") for text in undecided]
    return (*in_source_order([one.diagnostic for one in (*found, *refused)]), *notes)
