"""The exceptions of vlac and the exit code of each.

VlacError                 1
├── SpecError             1   the spec is wrong; carries every diagnostic
├── RefusedError          1   a folder or tree was refused, nothing was written
├── UsageError            2   wrong use of the command line
└── MachineError          3   this machine cannot run it (preflight, a missing secret)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnostics import Diagnostic


class VlacError(Exception):
    """A problem to tell a person about; `hint` says what to do next."""

    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "vlac"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SpecError(VlacError):
    """The spec is wrong. `diagnostics` holds every problem found, warnings included, in source order."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(_line(d) for d in self.diagnostics))


class RefusedError(VlacError):
    """A folder, file or tree was refused; nothing was changed."""

    code = "refused"


class UsageError(VlacError):
    """The command line was used wrongly."""

    exit_code = 2
    code = "usage"


class MachineError(VlacError):
    """This machine cannot run the bundle."""

    exit_code = 3
    code = "machine"


def _line(diagnostic: Diagnostic) -> str:
    place = f"{diagnostic.position}: " if diagnostic.position else ""
    return f"{place}{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
