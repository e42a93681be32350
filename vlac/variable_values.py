"""What an environment variable takes: the types that adapters describe their variables with."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Integer:
    """A decimal number from `minimum` to `maximum`, both inclusive. `unit` is for people ("seconds, 0: never")."""

    minimum: int
    maximum: int | None = None
    unit: str = ""

    @property
    def words(self) -> str:
        """As in "takes ..."."""
        limits = (
            f"of at least {self.minimum}" if self.maximum is None else f"{self.minimum} to {self.maximum}"
        )
        return f"a whole number {limits}{f' ({self.unit})' if self.unit else ''}"

    def holds(self, text: str) -> bool:
        """Whether the variable takes this text."""
        if not re.fullmatch(r"[0-9]{1,18}", text, re.ASCII):
            return False
        return self.minimum <= int(text) and (self.maximum is None or int(text) <= self.maximum)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words, spelled exactly so. `meanings` explain them to people."""

    options: tuple[str, ...]
    meanings: str = ""

    @property
    def words(self) -> str:
        """As in "takes ..."."""
        return " or ".join(self.options) + (f" ({self.meanings})" if self.meanings else "")

    def holds(self, text: str) -> bool:
        """Whether the variable takes this text."""
        return text in self.options


@dataclass(frozen=True, slots=True)
class Form:
    """A text of a certain form. `pattern` is a regular expression for the whole text, `words` say it to people."""

    pattern: str
    words: str

    def holds(self, text: str) -> bool:
        """Whether the variable takes this text."""
        return re.fullmatch(self.pattern, text, re.ASCII) is not None


Values = Integer | Choice | Form
"""What a variable takes."""
