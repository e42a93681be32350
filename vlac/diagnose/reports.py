"""Error reports of one speaker: a traceback with what chains to it, what Ray repeats of a worker's, or a line alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.adapters import Signature
    from vlac.diagnose.catalogue import Pattern

TRACEBACK = "Traceback (most recent call last)"
HOOK = "worker hook"
"""Said by vlac_worker.py in the driver or a worker, behind the traceback of the hook that failed."""
# Each of these is printed only for a worker that is lost.
LOST = re.compile(
    r"Exception occurred while running \S+ function \S+: exception is"  # WorkerGroupFuncResult, worker_group.py v0.3
    r"|Exception raised in creation task: The actor died"  # Ray's core worker: a constructor raised
    r"|Exiting main process due to a failure upon worker execution"  # Cluster, cluster.py v0.3
    r"|A worker died or was killed while executing a task"  # raylet, to the driver
    rf"|{HOOK} .* failed; this process ends"
    r"|Received signal \d+ \(.*\) in worker "  # Worker._register_signal_handlers, worker.py v0.3
    r"|Fatal Python error:"
    r"|Workers \(tasks / actors\) killed due to memory pressure"
)
LOST_MARKS = (
    "Exception occurred while running",
    "Exception raised in creation task",
    "Exiting main process due to",
    "A worker died or was killed",
    HOOK,
    "Received signal ",
    "Fatal Python error:",
    "killed due to memory pressure",
)
JOB_FAILED = "Error executing job with overrides"
"""Hydra's last words before the traceback that ended the driver."""

_EXCEPTION = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Exit|Interrupt)\b(?!\w)|(?:[a-z_]\w*\.)+[A-Z]\w+: "
)
_CHAINED = (
    "During handling of the above exception",
    "The above exception was the direct cause",
    "Original Traceback (most recent call last)",
)
_ERROR = re.compile(r"\b(?:ERROR|FATAL|CRITICAL)\b")
_WEIGHTS = {"cause": 0, "consequence": 1, "warning": 3, "noise": 4}
_GENERAL = 2  # says less than a consequence that names itself
_LONGEST = 60  # lines of a report that are kept; of a longer one its head and its end
_HEAD = 20
_GIVEN_UP = 400  # lines after which the end of a report is not looked for any more


def is_exception(text: str) -> bool:
    """Whether a line is the last one of a traceback: `ValueError: ...`."""
    return _EXCEPTION.match(text[:200]) is not None


def says_error(text: str) -> bool:
    """Whether a line calls itself an error, at its beginning, as log records do."""
    return _ERROR.search(text[:60]) is not None


def _weight(signature: Signature) -> int:
    return max(_WEIGHTS[signature.kind], _GENERAL if signature.is_general else 0)


@dataclass
class Report:
    """What one speaker printed of one error. `begin` and the numbers of `lines` count the file's lines from 1.

    `watched` are the texts that signatures want to see near; `near` those that were seen.
    """

    speaker: str
    begin: int
    state: Literal["frames", "after"] = "frames"
    is_fatal: bool = False
    lines: list[tuple[int, str]] = field(default_factory=list)
    exceptions: list[tuple[int, str]] = field(default_factory=list)
    found: list[tuple[int, Pattern, str]] = field(default_factory=list)
    watched: frozenset[str] = frozenset()
    near: set[str] = field(default_factory=set)
    repeated: int = 0
    _length: int = 0
    _chains: bool = False

    def takes(self, text: str) -> bool:
        """Whether a line of the same speaker still belongs to it."""
        if self._length >= _GIVEN_UP or LOST.search(text):
            return False
        if self.state == "frames" or not text.strip() or text.startswith((" ", "\t", "Current thread")):
            return True
        return text.startswith(_CHAINED) or (TRACEBACK in text and self._chains)

    def joins(self, text: str, patterns: Sequence[Pattern]) -> bool:
        """Whether a line that follows at once tells of the same: the record of an error, or one with a known text."""
        if self._length >= _GIVEN_UP or TRACEBACK in text or LOST.search(text) or is_exception(text):
            return False
        return says_error(text) or any(pattern.fits(text) for pattern in patterns)

    def add(self, number: int, text: str, patterns: Sequence[Pattern]) -> None:
        """Take in a line; `patterns` are those that may fit."""
        self._length += 1
        self.lines.append((number, text))
        if len(self.lines) > _LONGEST:
            self.lines[_HEAD : _HEAD + 2] = [(self.lines[_HEAD][0], "...")]
        if self._is_header(text):
            self.state = "frames"
        elif self.state == "frames" and text.strip() and not text.startswith((" ", "\t")):
            self.state = "after"
            self.exceptions.append((number, text))
        elif self.state == "frames" and self._length > 1:
            self._note(number, text, patterns, is_code=True)
            return
        self._chains = text.startswith(_CHAINED) or (self._chains and not text.strip())
        self._note(number, text, patterns)

    def _is_header(self, text: str) -> bool:
        return TRACEBACK in text or LOST.search(text) is not None or text.startswith(_CHAINED)

    def _note(self, number: int, text: str, patterns: Sequence[Pattern], *, is_code: bool = False) -> None:
        """Code of a frame may quote any text; it only counts as what stands near."""
        self.near.update(near for near in self.watched if near in text)
        if not is_code:
            self.found += [(number, pattern, text) for pattern in patterns if pattern.fits(text)]

    def signature(self) -> tuple[int, Signature, str] | None:
        """The signature that tells the most, with its line: a cause before a consequence, then the first line.

        What is general comes after both.
        """
        fits = [
            (_weight(pattern.signature), place, number, pattern.signature, text)
            for place, (number, pattern, text) in enumerate(self.found)
            if not pattern.signature.near or pattern.signature.near in self.near
        ]
        if not fits:
            return None
        return min(fits, key=lambda fit: fit[:2])[2:]

    def title(self) -> tuple[int, str]:
        """The first exception of a chain, else the first line."""
        return self.exceptions[0] if self.exceptions else self.lines[0]
