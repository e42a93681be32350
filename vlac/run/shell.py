"""What the shell brings into a run that the backend objects to; the values in run.env win over the shell's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.objections import shell_objections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.run.launch import Launch


def to_unset(launch: Launch) -> Iterator[str]:
    """What would break or hang the run, each with the variable to unset."""
    for objection in shell_objections(launch.plan, launch.shell):
        if objection.severity == "error":
            yield f"{objection.message}: unset {objection.about[0]} in this shell"


def shell_warnings(launch: Launch) -> Iterator[Diagnostic]:
    """What does nothing or slows the run down."""
    for objection in shell_objections(launch.plan, launch.shell):
        if objection.severity == "warning":
            hint = f"unset {objection.about[0]} in this shell"
            yield Diagnostic("env-shell", objection.message, "warning", None, hint)
