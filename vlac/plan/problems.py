"""Diagnostics about spec fields: the position and the source line come from where the field was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnostics import Severity
    from vlac.spec.loaded import LoadedSpec

_MOST_MEANT = 4
_LIKENESS = 0.7  # of 1; `npu` and `gpu` are as like `cpu` as 0.67, and mean another backend


def error(loaded: LoadedSpec, path: str, code: str, message: str, hint: str | None = None) -> Diagnostic:
    """An error at the place where a field was written."""
    return _diagnostic(loaded, path, code, "error", message, hint)


def warning(loaded: LoadedSpec, path: str, code: str, message: str, hint: str | None = None) -> Diagnostic:
    """A warning at the place where a field was written."""
    return _diagnostic(loaded, path, code, "warning", message, hint)


def nearest(word: str, known: Sequence[str]) -> str:
    """What to write instead of an unknown word: those that it begins, or else the nearest; and all that are known."""
    begun = [name for name in known if name.lower().startswith(word.lower())]  # `910B`: 910B1 to 910B4
    close = begun or _like(word, known)
    meant = f"did you mean {' or '.join(close)}? " if close and len(close) <= _MOST_MEANT else ""
    return f"{meant}known: {', '.join(known)}"


def _like(word: str, known: Sequence[str]) -> list[str]:
    from difflib import get_close_matches

    folded = {name.lower(): name for name in known}
    return [folded[name] for name in get_close_matches(word.lower(), folded, n=1, cutoff=_LIKENESS)]


def _diagnostic(
    loaded: LoadedSpec, path: str, code: str, severity: Severity, message: str, hint: str | None
) -> Diagnostic:
    written = loaded.last(path)
    if written is None:
        return Diagnostic(code, message, severity, None, hint)
    return Diagnostic(code, message, severity, written.position, hint, written.excerpt)
