"""The result of reading a spec: the model, and who wrote each value where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vlac.diagnostics import Diagnostic, Position
    from vlac.plan.origins import Value
    from vlac.spec.model import RunSpec

WrittenLayer = Literal["extends", "spec", "--backend", "--set"]


@dataclass(frozen=True, slots=True)
class Written:
    """One writing of one field: its value, the place of the value, and the source line there."""

    value: Value
    position: Position
    layer: WrittenLayer
    excerpt: str | None = None


@dataclass(frozen=True, slots=True)
class LoadedSpec:
    """A spec that was read; valid unless `diagnostics` holds an error, with which `spec` is an empty model.

    `written` maps a dotted field path (`train.lr`, `overrides`) to every writing of it, lowest precedence
    first; a field that nobody wrote is absent. Of a mapping that merges by key (`env`) the last writing holds the
    whole. Its entries are addressed as `("overrides", key)`, `("env", key)` and `("data.options", key)` in
    `entries`, because their keys contain dots.
    `broken` names fields that were written wrongly and are therefore not in `written`: their problems are in
    `diagnostics`, and the passes say nothing more about them.
    `file` is the spec as messages name it, `folder` where it lies.
    `digest` is the sha256 of the merged spec's canonical JSON: comments and layout do not change it.
    """

    spec: RunSpec
    written: Mapping[str, tuple[Written, ...]]
    entries: Mapping[tuple[str, str], Written]
    digest: str
    file: str
    folder: Path
    diagnostics: tuple[Diagnostic, ...] = ()
    broken: frozenset[str] = frozenset()

    def is_broken(self, path: str) -> bool:
        """Whether a field was written but refused, so that its absence is no second problem."""
        return path in self.broken

    def last(self, path: str) -> Written | None:
        """The writing that holds for a field, or None where nobody wrote it."""
        writings = self.written.get(path)
        return writings[-1] if writings else None

    def writings(self) -> Iterator[Written]:
        """Every writing of every field and entry."""
        for written in self.written.values():
            yield from written
        yield from self.entries.values()
