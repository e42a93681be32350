"""run.env: the environment of a run, for bash to source.

Each variable stands below its reason and source; those of a node come first, because on several nodes they have to be
there before `ray start`. Names of secrets, and names that the spec leaves to the shell, appear in comments only.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.plan.ir import PlannedVariable, RunPlan


_SCOPES = {
    "node": "for `ray start` on each node; launch.sh keeps these from RLinf's driver",
    "driver": "for RLinf's driver, which hands them to all workers",
    "worker": "for the workers",
}


def emit(plan: RunPlan) -> bytes:
    """The text of run.env as UTF-8; sourcing it sets the plan's variables and nothing else."""
    left_to_shell = [variable.name for variable in plan.environment if variable.value is None]
    lines = [
        f"# The environment of the run {_one_line(plan.name)}, compiled by vlac; launch.sh sources this file.",
        *_names("Secrets, which the shell has to bring", plan.secrets),
        *_names("Left to the shell by the spec", left_to_shell),
    ]
    for scope, title in _SCOPES.items():
        group = [
            line for variable in plan.environment if variable.scope == scope for line in _export(variable)
        ]
        lines += ["", f"# --- {title}", *group] if group else []
    return ("\n".join(lines) + "\n").encode()


def read(content: bytes) -> dict[str, str]:
    """The variables that sourcing `content` sets, by name; for files that `emit` wrote."""
    words = shlex.split(content.decode(), comments=True)
    pairs = (word.split("=", 1) for word in words if word != "export")
    return dict(pairs)


def _names(title: str, names: tuple[str, ...] | list[str]) -> list[str]:
    return [f"# {title}: {' '.join(names)}"] if names else []


def _export(variable: PlannedVariable) -> list[str]:
    if variable.value is None:
        return []
    why = _one_line(f"{variable.why} ({variable.source})")
    return ["", f"# {why}", f"export {variable.name}={shlex.quote(variable.value)}"]


def _one_line(text: str) -> str:
    return " ".join(text.split())
