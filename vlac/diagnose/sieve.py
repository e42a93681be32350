"""Which lines of a log can matter at all: a cheap answer, remembered by the shape of a line.

Logs repeat a few shapes with other numbers in them, so a line without its digits is looked up first. A text that a
signature looks for is compared without its digits too: a line is let through rather than lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.diagnose.reports import LOST_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnose.catalogue import Pattern

BAR = b"Global Step:"
_DIGITS = b"0123456789"
_MOST_SHAPES = 20_000
_LONGEST_SHAPE = 1000
_GENERAL = tuple(
    mark.encode() for mark in ("Traceback", "Error", "ERROR", "Exception", "FATAL", "CRITICAL", *LOST_MARKS)
)
"""One of them stands in each line that can begin a report which no signature fits."""


@dataclass
class Sieve:
    """Remembers for each shape of a line which patterns may fit it."""

    patterns: Sequence[Pattern]
    _shapes: dict[bytes, tuple[Pattern, ...] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.near = frozenset(pattern.signature.near for pattern in self.patterns if pattern.signature.near)
        self._marks = [(pattern.mark.encode().translate(None, _DIGITS), pattern) for pattern in self.patterns]

    def likely(self, line: bytes) -> tuple[Pattern, ...] | None:
        """The patterns that may fit a line; None for a line that holds nothing of interest."""
        shape = line.translate(None, _DIGITS)
        try:
            return self._shapes[shape]
        except KeyError:
            return self._remember(shape)

    def _remember(self, shape: bytes) -> tuple[Pattern, ...] | None:
        found = self._look(shape)
        if len(shape) <= _LONGEST_SHAPE:
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes.clear()
            self._shapes[shape] = found
        return found

    def _look(self, shape: bytes) -> tuple[Pattern, ...] | None:
        fitting = tuple(pattern for mark, pattern in self._marks if mark in shape)
        if fitting or BAR in shape or any(mark in shape for mark in _GENERAL):
            return fitting
        return None
