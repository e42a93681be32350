"""Gather the environment variables: the adapter's, then the user's; names in `secrets` belong to the shell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.ir import PlannedVariable
from vlac.plan.origins import Layer, Origin
from vlac.plan.problems import error

if TYPE_CHECKING:
    from vlac.adapters import Variable
    from vlac.plan.ir import RunPlan
    from vlac.spec.loaded import Written

_USER = "the spec's env"


def environment(plan: RunPlan) -> RunPlan:
    """Fill `environment` and `secrets`; refuse what contradicts a variable that the backend requires."""
    variables = {variable.name: variable for variable in _of_adapter(plan)}
    found = []
    for name, written in _of_user(plan):
        base = variables.get(name)
        found += _contradiction(plan, name, written)
        found += _taken(plan, name, written)
        variables[name] = _user_variable(name, written, base)
    secrets = _secrets(plan)
    found += _required_secrets(plan, secrets)
    kept = tuple(variable for variable in variables.values() if variable.name not in secrets)
    return replace(plan, environment=kept, secrets=secrets).with_diagnostics(*found)


def _of_adapter(plan: RunPlan) -> list[PlannedVariable]:
    many_nodes = plan.get("hardware.nodes") != 1
    return [
        _planned(plan, variable)
        for variable in plan.adapter.variables
        if many_nodes or not variable.multi_node_only
    ]


def _planned(plan: RunPlan, variable: Variable) -> PlannedVariable:
    origin = Origin(Layer.ADAPTER, f"{plan.adapter.name}: {variable.why} ({variable.source})")
    return PlannedVariable(
        variable.name, variable.value, variable.scope, variable.why, variable.source, origin
    )


def _of_user(plan: RunPlan) -> list[tuple[str, Written]]:
    return [(name, written) for (section, name), written in plan.loaded.entries.items() if section == "env"]


def _user_variable(name: str, written: Written, base: PlannedVariable | None) -> PlannedVariable:
    value = None if written.value is None else str(written.value)
    scope = base.scope if base else "driver"
    why = f"written by the user at {written.position}"
    origin = Origin(Layer(written.layer), why, written.position)
    replaced = ((base.value, base.origin),) if base else ()
    return PlannedVariable(name, value, scope, why, _USER, origin, replaced)


def _contradiction(plan: RunPlan, name: str, written: Written) -> list[Diagnostic]:
    required = next((v for v in plan.adapter.variables if v.name == name and v.required), None)
    if required is None or written.value == required.value:
        return []
    message = f"backend {plan.adapter.name} needs {name}={required.value}: {required.why}"
    hint = f"write {name}: {required.value}, or leave it out"
    return [Diagnostic("backend-requires", message, "error", written.position, hint, written.excerpt)]


def _required_secrets(plan: RunPlan, secrets: tuple[str, ...]) -> list[Diagnostic]:
    return [
        error(
            plan.loaded,
            "secrets",
            "backend-requires",
            f"backend {plan.adapter.name} needs {variable.name}={variable.value}: {variable.why}",
            f"take {variable.name} out of secrets",
        )
        for variable in plan.adapter.variables
        if variable.required and variable.name in secrets
    ]


def _taken(plan: RunPlan, name: str, written: Written) -> list[Diagnostic]:
    if name != "REPO_PATH" or plan.get("rlinf.path") is None:
        return []
    message = "launch.sh sets REPO_PATH to the checkout of rlinf.path"
    hint = "leave it out, or change rlinf.path"
    return [Diagnostic("spec-variable-reserved", message, "error", written.position, hint, written.excerpt)]


def _secrets(plan: RunPlan) -> tuple[str, ...]:
    names = plan.get("secrets")
    if not isinstance(names, (list, tuple)):
        return ()
    return tuple(sorted({str(name) for name in names}))
