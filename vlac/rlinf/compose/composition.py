"""The result of a composition, as data, and the error that ends one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vlac.plan.origins import Value
    from vlac.rlinf.compose.layout import Layout
    from vlac.rlinf.templates import Key


class ComposeError(RefusedError):
    """A config that Hydra cannot compose.

    `file` and `line` are the place that is at fault, where one is known, `missing` the name of a file or group option
    that is not there.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        file: Path | None = None,
        line: int | None = None,
        missing: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.file = file
        self.line = line
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Composed:
    """A leaf: its value, interpolations left as text, and where it was written.

    `file` is relative to the tree (absolute where it lies outside), `line` counts from 1; None where nobody knows.
    """

    value: Value
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Composition:
    """A composed config. `files` are those that were read, in the order in which they take precedence, lowest first."""

    layout: Layout
    leaves: Mapping[Key, Composed]
    files: tuple[Path, ...]

    @property
    def values(self) -> dict[Key, Value]:
        """The leaves without their places."""
        return {key: leaf.value for key, leaf in self.leaves.items()}

    def nested(self) -> dict[str, Value]:
        """The configuration as mappings in mappings."""
        result: dict[str, Value] = {}
        for key, leaf in self.leaves.items():
            inner = result
            for part in key[:-1]:
                inner = inner.setdefault(part, {})  # type: ignore[assignment]  # sections hold mappings only
            inner[key[-1]] = leaf.value
        return result


def flatten(section: Mapping[str, Value], above: Key = ()) -> Iterator[tuple[Key, Value]]:
    """The leaves of nested mappings; an empty mapping is a leaf, as a list is."""
    for name, value in section.items():
        if isinstance(value, dict) and value:
            yield from flatten(value, (*above, name))
        else:
            yield (*above, name), value
