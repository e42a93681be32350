"""Values that somebody was meant to fill in: OmegaConf's `???`, and the placeholders of RLinf's own configs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vlac.check.subject import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.diagnostics import Severity

MANDATORY = "???"
# As the configs of v0.3 and main write them: `/path/to/model`, `path/to/model`, `path_to_your_model`, `<repo_id>`,
# `/dev/serial/by-id/your-gello-serial-port`, `${oc.env:NAME,/path/to/model}`, `MODEL_PATH`, `LEFT_ROBOT_IP`, `SERIAL1`.
_PLACEHOLDER = re.compile(
    r"(?:^|[/,\s])/?path[/_]to[/_]|<[A-Za-z][\w ]*>(?!\|)|(?:^|[/_-])your[_-][a-z]|(?:^|/)/?PATH/TO/",
    re.ASCII,
)
_CAPITALS = re.compile(
    r"(?:[A-Z0-9]+_)*(?:PATH|IP|PORT|SERIAL|POSE|CONNECTION|ID|DESCRIPTION|ENTITY)\d*(?:_[A-Z0-9]+)*",
    re.ASCII,
)
_LONGEST = 300  # characters; what is longer is a text, as a chat template


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


def is_placeholder(text: str) -> bool:
    """Whether a text is one that RLinf's configs leave for the user to replace."""
    if len(text) > _LONGEST or "\n" in text or text.startswith(("<|", "</")):
        return False
    return _PLACEHOLDER.search(text) is not None or _CAPITALS.fullmatch(text) is not None
