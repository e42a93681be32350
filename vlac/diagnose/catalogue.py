"""All signatures, of vlac and of the backends, and the first of them that a line fits."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from vlac import adapter_registry
from vlac.diagnose.signatures import TABLES
from vlac.errors import VlacError

if TYPE_CHECKING:
    from vlac.adapters import Adapter, Signature

ANYTHING = "..."
"""Stands in a pattern for any text."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern of a signature: texts that stand in a line in this order. `mark` is the longest of them."""

    signature: Signature
    parts: tuple[str, ...]
    mark: str

    def fits(self, text: str) -> bool:
        """Whether the parts stand in `text`, in order."""
        place = 0
        for part in self.parts:
            place = text.find(part, place)
            if place < 0:
                return False
            place += len(part)
        return True


@lru_cache
def patterns(backend: str | None = None) -> tuple[Pattern, ...]:
    """The patterns of a backend (None: of all that are installed), then vlac's own, as they are to be asked.

    Raises `KeyError` where no backend of this name is installed.
    """
    return tuple(
        _pattern(signature, text) for signature in signatures(backend) for text in signature.patterns
    )


def signatures(backend: str | None = None) -> tuple[Signature, ...]:
    """The signatures of a backend (None: of all that are installed), then vlac's own.

    Raises `KeyError` where no backend of this name is installed.
    """
    adapters = [adapter_registry.find(backend)] if backend else _working_adapters()
    own = [signature for table in TABLES.values() for signature in table]
    return (*(signature for adapter in adapters for signature in adapter.signatures), *own)


def _working_adapters() -> list[Adapter]:
    """All backends; one whose package is broken is no reason to diagnose nothing."""
    found = []
    for name in adapter_registry.names():
        with suppress(VlacError):
            found.append(adapter_registry.find(name))
    return found


def _pattern(signature: Signature, text: str) -> Pattern:
    parts = tuple(part.strip() for part in text.split(ANYTHING) if part.strip())
    return Pattern(signature, parts, max(parts, key=len))
