"""Diagnostics about spec fields: the position and the source line come from where the field was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnostics import Severity
    from vlac.spec.loaded import LoadedSpec


def error(loaded: LoadedSpec, path: str, code: str, message: str, hint: str | None = None) -> Diagnostic:
    """An error at the place where a field was written."""
    return _diagnostic(loaded, path, code, "error", message, hint)


def warning(loaded: LoadedSpec, path: str, code: str, message: str, hint: str | None = None) -> Diagnostic:
    """A warning at the place where a field was written."""
    return _diagnostic(loaded, path, code, "warning", message, hint)


def nearest(word: str, known: Sequence[str]) -> str:
    """What to write instead of an unknown word: the nearest one, and all that are known."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1, cutoff=0.6)
    meant = f"did you mean {close[0]}? " if close else ""
    return f"{meant}known: {', '.join(known)}"


def _diagnostic(
    loaded: LoadedSpec, path: str, code: str, severity: Severity, message: str, hint: str | None
) -> Diagnostic:
    written = loaded.last(path)
    if written is None:
        return Diagnostic(code, message, severity, None, hint)
    return Diagnostic(code, message, severity, written.position, hint, written.excerpt)
