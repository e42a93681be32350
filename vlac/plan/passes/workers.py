"""Decide which code of ours runs inside the training processes, and the variables that bring it there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.ir import PlannedVariable
from vlac.plan.origins import Layer, Origin
from vlac.plan.passes.stack import injection
from vlac.plan.problems import error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.plan.ir import RunPlan

_DEMO_HOOK = "vlac_demo"
_EXTENSION = "rlinf/scheduler/worker/worker.py, v0.3"


def workers(plan: RunPlan) -> RunPlan:
    """Fill `worker_files` and `worker_hooks`, and name the hooks to RLinf's extension point."""
    demo = (_DEMO_HOOK,) if plan.family.name == "demo" else ()
    hooks = (*plan.adapter.worker_hooks, *demo)
    chosen = injection(plan)
    without = chosen.without if chosen else ()
    files = tuple(file for file in plan.adapter.worker_files if file.path not in without)
    plan = replace(plan, worker_files=files, worker_hooks=hooks)
    if not hooks:
        return plan
    ours = _variables(hooks)
    names = {variable.name for variable in ours}
    others = tuple(variable for variable in plan.environment if variable.name not in names)
    return replace(plan, environment=(*others, *ours)).with_diagnostics(*_taken(plan, ours))


def _taken(plan: RunPlan, ours: tuple[PlannedVariable, ...]) -> Iterator[Diagnostic]:
    """A variable that brings the hooks cannot be the user's too."""
    for variable in ours:
        written = plan.loaded.entries.get(("env", variable.name))
        message = f"vlac sets {variable.name}={variable.value}: {variable.why}"
        hint = "leave it out: this run needs code of its own in the workers"
        if written is not None:
            place, excerpt = written.position, written.excerpt
            yield Diagnostic("spec-variable-reserved", message, "error", place, hint, excerpt)
        elif variable.name in plan.secrets:
            yield error(plan.loaded, "secrets", "spec-variable-reserved", message, hint)


def _variables(hooks: tuple[str, ...]) -> tuple[PlannedVariable, ...]:
    why_module = "RLinf calls register() of this module in every worker"
    why_hooks = "the modules that vlac_worker registers, in order"
    return (
        _variable("RLINF_EXT_MODULE", "vlac_worker", why_module),
        _variable("VLAC_WORKER_HOOKS", ",".join(hooks), why_hooks),
    )


def _variable(name: str, value: str, why: str) -> PlannedVariable:
    return PlannedVariable(name, value, "driver", why, _EXTENSION, Origin(Layer.DERIVED, why))
