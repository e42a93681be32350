"""What vlac tells a person about their input: one record a problem, with its place in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source text.

    `file` is relative to the folder of the spec (or `--set[1]`), never absolute: positions go into the lock,
    whose bytes must not depend on the compiling machine. `line` and `column` count from 1, in characters.
    """

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem, one message.

    `code` is stable (`vlac explain CODE`), `message` says what is wrong, `hint` what to write instead.
    `excerpt` is the source line of `position`, absent where it would show a secret.
    """

    code: str
    message: str
    severity: Severity = "error"
    position: Position | None = None
    hint: str | None = None
    excerpt: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether this one stops a compile."""
        return self.severity == "error"
