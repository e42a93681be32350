"""Add the variables that the backend needs for the kind of run that a base is, beside its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.plan.ir import PlannedVariable
from vlac.plan.origins import Layer, Origin

if TYPE_CHECKING:
    from vlac.adapters import Variable
    from vlac.plan.ir import RunPlan


def porting(plan: RunPlan) -> RunPlan:
    """Extend `environment`; a name that the user or the shell owns stays theirs."""
    if plan.base is None or not plan.adapter.support:
        return plan
    from vlac.rlinf.port import port

    wanted = port(plan.base.values, plan.adapter, plan.version.name).judgement.variables
    taken = {variable.name for variable in plan.environment} | set(plan.secrets)
    added = tuple(_planned(plan, variable) for variable in wanted if variable.name not in taken)
    return replace(plan, environment=(*plan.environment, *added))


def _planned(plan: RunPlan, variable: Variable) -> PlannedVariable:
    origin = Origin(Layer.ADAPTER, f"{plan.adapter.name}: {variable.why} ({variable.source})")
    return PlannedVariable(
        variable.name, variable.value, variable.scope, variable.why, variable.source, origin
    )
