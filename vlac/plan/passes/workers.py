"""Decide which code of ours runs inside the training processes, and the variables that bring it there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.plan.ir import PlannedVariable
from vlac.plan.origins import Layer, Origin

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan

_DEMO_HOOK = "vlac_demo"
_EXTENSION = "rlinf/scheduler/worker/worker.py, v0.3"


def workers(plan: RunPlan) -> RunPlan:
    """Fill `worker_files` and `worker_hooks`, and name the hooks to RLinf's extension point."""
    demo = (_DEMO_HOOK,) if plan.family.name == "demo" else ()
    hooks = (*plan.adapter.worker_hooks, *demo)
    plan = replace(plan, worker_files=plan.adapter.worker_files, worker_hooks=hooks)
    if not hooks:
        return plan
    return replace(plan, environment=(*plan.environment, *_variables(hooks)))


def _variables(hooks: tuple[str, ...]) -> tuple[PlannedVariable, ...]:
    why_module = "RLinf calls register() of this module in every worker"
    why_hooks = "the modules that vlac_worker registers, in order"
    return (
        _variable("RLINF_EXT_MODULE", "vlac_worker", why_module),
        _variable("VLAC_WORKER_HOOKS", ",".join(hooks), why_hooks),
    )


def _variable(name: str, value: str, why: str) -> PlannedVariable:
    return PlannedVariable(name, value, "driver", why, _EXTENSION, Origin(Layer.DERIVED, why))
