"""Which lines of a log can matter at all: a cheap answer, remembered by the shape of a line.

Logs repeat a few shapes with other numbers in them, so a line without its digits is looked up first. For a new shape
its words are looked up: each pattern has one that must be there; for one of codes alone, as EI0006, what is left of
them without digits is searched. A line is let through rather than lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.diagnose.reports import LOST_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnose.catalogue import Pattern

BAR = b"Global Step:"
_DIGITS = b"0123456789"
_WORDS = re.compile(rb"[A-Za-z_]{4,}")
_INNER_WORDS = re.compile(rb"(?<=[^A-Za-z_\0])[A-Za-z_]{4,}(?=[^A-Za-z_\0])")
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
        self._by_word: dict[bytes | None, list[tuple[bytes, int]]] = {None: []}
        for place, pattern in enumerate(self.patterns):
            mark = pattern.mark.encode().translate(None, _DIGITS)
            self._by_word.setdefault(_word(pattern), []).append((mark, place))

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
        words = self._by_word.keys() & {None, *_WORDS.findall(shape)}
        places = [place for word in words for mark, place in self._by_word[word] if mark in shape]
        if places or BAR in shape or any(mark in shape for mark in _GENERAL):
            return tuple(self.patterns[place] for place in sorted(places))
        return None


def _word(pattern: Pattern) -> bytes | None:
    """The longest word of a pattern: of those that have something on both sides, if there are any."""
    text = "\0".join(pattern.parts).encode().translate(None, _DIGITS)
    inner = _INNER_WORDS.findall(text)
    return max(inner or _WORDS.findall(text), key=len, default=None)
