"""Values that somebody was meant to fill in: OmegaConf's `???`, and the placeholders of RLinf's own configs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.check.subject import dotted
from vlac.rlinf.placeholders import is_placeholder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.diagnostics import Severity

MANDATORY = "???"


def unset(subject: Subject, target: Target) -> Iterator[Finding]:
    """Mandatory values that are missing, an error where the run reads them, and placeholders, a warning."""
    for key, value in dict.fromkeys(subject.scalars()):
        if value == MANDATORY:
            is_read = target.reads is None or target.is_read(key)
            message = f"`{dotted(key)}` is `???`: a value that must be given"
            severity: Severity = "error" if is_read else "warning"
            yield subject.finding("check-value-mandatory", message, key, severity=severity)
        elif isinstance(value, str) and is_placeholder(value):
            message = f"`{dotted(key)}` is still a placeholder: {value}"
            hint = "write the path or name that your run uses"
            yield subject.finding("check-placeholder", message, key, severity="warning", hint=hint)
