"""Diagnostics as text for a person, as JSON, and as annotations of a pull request."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnostics import Diagnostic, Position

_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
_BOLD, _CARET, _RESET = "\x1b[1m", "\x1b[1;32m", "\x1b[0m"
_DIRECTIONS = frozenset("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")  # would reorder the rest of the line
_WIDEST = 140  # cells of a source line; a longer one is cut around the caret
_BEFORE = 60  # characters kept before the caret then


def render_text(diagnostics: Sequence[Diagnostic], *, prefix: str, color: bool) -> str:
    """All diagnostics as lines: the message, the source line with a caret, and what to write instead.

    `prefix` is the folder of the spec as the user typed it; it goes before file names, not before `--set[1]`.
    """
    return "".join(_text(diagnostic, prefix, color=color) for diagnostic in diagnostics)


def to_json(diagnostics: Sequence[Diagnostic], prefix: str) -> list[dict[str, object]]:
    """All diagnostics as objects with the keys code, severity, file, line, column, message and hint."""
    return [
        {
            "code": diagnostic.code,
            "severity": diagnostic.severity,
            "file": _file(diagnostic.position, prefix),
            "line": diagnostic.position.line if diagnostic.position else None,
            "column": diagnostic.position.column if diagnostic.position else None,
            "message": _printable(diagnostic.message),
            "hint": _printable(diagnostic.hint) if diagnostic.hint else None,
        }
        for diagnostic in diagnostics
    ]


def render_github(diagnostics: Sequence[Diagnostic], *, prefix: str) -> str:
    """All diagnostics as workflow commands of GitHub Actions.

    Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    return "".join(_annotation(diagnostic, prefix) for diagnostic in diagnostics)


def _text(diagnostic: Diagnostic, prefix: str, *, color: bool) -> str:
    paint = _COLORS[diagnostic.severity] if color else ""
    bold, reset = (_BOLD, _RESET) if color else ("", "")
    place = f"{bold}{_place(diagnostic.position, prefix)}{reset}: " if diagnostic.position else ""
    kind = f"{paint}{diagnostic.severity}[{diagnostic.code}]{reset}"
    lines = [f"{place}{kind}: {_printable(diagnostic.message)}"]
    if diagnostic.position and diagnostic.excerpt and diagnostic.excerpt.strip():
        lines += _excerpt(diagnostic.excerpt, diagnostic.position.column - 1, color=color)
    if diagnostic.hint:
        lines.append(f"    hint: {_printable(diagnostic.hint)}")
    return "\n".join(lines) + "\n"


def _excerpt(line: str, column: int, *, color: bool) -> list[str]:
    """The source line and below it a caret at a column counted from 0."""
    if _width(line) > _WIDEST:
        line, column = _cut(line, column)
    caret, reset = (_CARET, _RESET) if color else ("", "")
    shown = _printable(line.replace("\t", " "))
    return [f"    {shown}".rstrip(), f"    {' ' * _width(line[:column])}{caret}^{reset}"]


def _cut(line: str, column: int) -> tuple[str, int]:
    start = max(0, column - _BEFORE)
    head = "..." if start else ""
    part = line[start : start + _WIDEST // 2 + _BEFORE // 2]
    tail = "..." if start + len(part) < len(line) else ""
    return head + part + tail, column - start + len(head)


def _width(text: str) -> int:
    """Cells that a terminal gives the text (https://www.unicode.org/reports/tr11/); a tab is shown as one blank."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if character < "\x7f":
        return 1
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _printable(text: str) -> str:
    """The text without characters that would break a line or drive the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or _is_harmless(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_harmless(character: str) -> bool:
    """Blanks of other scripts and joiners are not printable for Python, but are part of a text."""
    return unicodedata.category(character) in ("Zs", "Cf") and character not in _DIRECTIONS


def _place(position: Position, prefix: str) -> str:
    return f"{_file(position, prefix)}:{position.line}:{position.column}"


def _file(position: Position | None, prefix: str) -> str | None:
    if position is None:
        return None
    if not prefix or position.file.startswith("--"):
        return position.file
    return f"{prefix.rstrip('/') or ''}/{position.file}"


def _annotation(diagnostic: Diagnostic, prefix: str) -> str:
    level = "notice" if diagnostic.severity == "note" else diagnostic.severity
    properties = {"title": diagnostic.code}
    if diagnostic.position and not diagnostic.position.file.startswith("--"):
        position = diagnostic.position
        file = _file(position, prefix) or ""
        properties = {"file": file, "line": str(position.line), "col": str(position.column), **properties}
    told = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    message = diagnostic.message + (f"\n{diagnostic.hint}" if diagnostic.hint else "")
    return f"::{level} {told}::{_escape(message)}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
