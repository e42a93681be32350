"""A source text and the nodes that were read from it, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic, Position
from vlac.spec.secrecy import hidden_lines

if TYPE_CHECKING:
    from vlac.diagnostics import Severity
    from vlac.plan.origins import Value
    from vlac.spec.loaded import WrittenLayer

LINE_BREAK = "\r\n|[\r\n\x85\u2028\u2029]"
"""The line breaks that the YAML scanner counts."""


class Source:
    """One text that a person wrote: a spec file, or one argument of the command line.

    `file` names it in positions. `folder` is its folder relative to the spec's, in POSIX form. `prefix` is
    what stands before `text` in its first line without being read (the `path=` of a `--set`).
    """

    def __init__(
        self, file: str, text: str, layer: WrittenLayer, *, folder: str = ".", prefix: str = ""
    ) -> None:
        self.file = file
        self.text = text
        self.layer = layer
        self.folder = folder
        self.offset = len(prefix)
        self.lines = _lines(prefix + text)
        self.hidden = hidden_lines(self.lines)

    def position(self, line: int, column: int) -> Position:
        """The position of a place counted from 0 in `text`."""
        return Position(self.file, line + 1, column + 1 + (self.offset if line == 0 else 0))

    def excerpt(self, line: int) -> str | None:
        """The source line, counted from 0; None where it could show a secret."""
        return None if line in self.hidden or line >= len(self.lines) else self.lines[line]

    def hide(self, first: int, last: int) -> None:
        """Never show the lines from `first` to `last`, counted from 0."""
        self.hidden.update(range(first, last + 1))

    def diagnostic(
        self, code: str, message: str, line: int = 0, column: int = 0, *, hint: str | None = None
    ) -> Diagnostic:
        """An error at a place counted from 0 in `text`."""
        return Diagnostic(code, message, "error", self.position(line, column), hint, self.excerpt(line))


def _lines(text: str) -> list[str]:
    # splitlines() also breaks at characters that no spec may hold; it spares a slow pattern the usual text.
    return text.splitlines() or [""] if text.isascii() else re.split(LINE_BREAK, text)


@dataclass(slots=True, eq=False)
class Node:
    """Something that was read. `line`, `last_line` and `column` count from 0.

    `size` is the number of nodes in it and `height` the number of levels, with aliases expanded; `flow` tells
    `{a: 1}` from the indented form.
    """

    source: Source
    line: int
    column: int
    last_line: int
    size: int = 1
    height: int = 1
    flow: bool = False

    @property
    def position(self) -> Position:
        """Where it starts."""
        return self.source.position(self.line, self.column)

    @property
    def excerpt(self) -> str | None:
        """The source line it starts in; None where it could show a secret."""
        return self.source.excerpt(self.line)

    def diagnostic(
        self, code: str, message: str, *, hint: str | None = None, severity: Severity = "error"
    ) -> Diagnostic:
        """A diagnostic at this node."""
        return Diagnostic(code, message, severity, self.position, hint, self.excerpt)


@dataclass(slots=True, eq=False)
class ScalarNode(Node):
    """`text` is what the source says, without quotes; `value` what YAML makes of it."""

    text: str = ""
    value: bool | int | float | str | None = None
    quoted: bool = False


@dataclass(slots=True, eq=False)
class ListNode(Node):
    """A sequence."""

    items: list[AnyNode] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class MappingNode(Node):
    """A mapping; its keys are the source text of scalars, each there once."""

    entries: dict[str, tuple[ScalarNode, AnyNode]] = field(default_factory=dict)


AnyNode = ScalarNode | ListNode | MappingNode


def is_null(node: AnyNode) -> bool:
    """Whether the node is YAML's null."""
    return isinstance(node, ScalarNode) and node.value is None


def plain_value(node: AnyNode) -> Value:
    """The value of a node as YAML reads it; lists become tuples. Depth is limited by the parser."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, ListNode):
        return tuple(plain_value(item) for item in node.items)
    return {key: plain_value(value) for key, (_, value) in node.entries.items()}
