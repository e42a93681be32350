"""Gather the environment variables: the adapter's, then the user's; names in `secrets` belong to the shell.

What the user writes is held against the adapter's table of variables and its rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.ir import PlannedVariable
from vlac.plan.objections import broken_rules, setup_of, wrong_values
from vlac.plan.origins import Layer, Origin
from vlac.plan.passes.stack import injection
from vlac.plan.problems import error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.adapters import Objection, Variable
    from vlac.plan.ir import RunPlan
    from vlac.spec.loaded import Written

_USER = "the spec's env"


def environment(plan: RunPlan) -> RunPlan:
    """Fill `environment` and `secrets`; refuse what contradicts the backend or cannot work on it."""
    variables = {variable.name: variable for variable in _of_adapter(plan)}
    written = _of_user(plan)
    for name, one in written.items():
        variables[name] = _user_variable(plan, name, one, variables.get(name))
    secrets = _secrets(plan)
    found = [*_contradictions(plan, written), *_taken(plan, written), *_required_secrets(plan, secrets)]
    found += _objections(
        plan, written, {**{v.name: v.value for v in variables.values()}, **dict.fromkeys(secrets)}
    )
    found += _scopes(plan, written)
    kept = tuple(variable for variable in variables.values() if variable.name not in secrets)
    return replace(plan, environment=kept, secrets=secrets).with_diagnostics(*found)


def _of_adapter(plan: RunPlan) -> list[PlannedVariable]:
    many_nodes = plan.get("hardware.nodes") != 1
    chosen = injection(plan)
    without = chosen.without if chosen else ()
    return [
        _planned(plan, variable, variable.value)
        for variable in plan.adapter.variables
        if variable.value is not None and variable.name not in without
        if many_nodes or not variable.multi_node_only
    ]


def _planned(plan: RunPlan, variable: Variable, value: str) -> PlannedVariable:
    origin = Origin(Layer.ADAPTER, f"{plan.adapter.name}: {variable.why} ({variable.source})")
    return PlannedVariable(variable.name, value, variable.scope, variable.why, variable.source, origin)


def _of_user(plan: RunPlan) -> dict[str, Written]:
    return {name: written for (section, name), written in plan.loaded.entries.items() if section == "env"}


def _known(plan: RunPlan, name: str) -> Variable | None:
    return next((variable for variable in plan.adapter.variables if variable.name == name), None)


def _user_variable(
    plan: RunPlan, name: str, written: Written, base: PlannedVariable | None
) -> PlannedVariable:
    value = None if written.value is None else str(written.value)
    known = _known(plan, name)
    why = f"written by the user at {written.position}"
    origin = Origin(Layer(written.layer), why, written.position)
    replaced = ((base.value, base.origin),) if base else ()
    return PlannedVariable(name, value, known.scope if known else "driver", why, _USER, origin, replaced)


def _contradictions(plan: RunPlan, written: Mapping[str, Written]) -> Iterator[Diagnostic]:
    for name, one in written.items():
        required = _known(plan, name)
        if required is None or not required.required or one.value == required.value:
            continue
        message = f"backend {plan.adapter.name} needs {name}={required.value}: {required.why}"
        hint = f"write {name}: {required.value}, or leave it out"
        yield _at(one, "backend-requires", message, hint)


def _objections(
    plan: RunPlan, written: Mapping[str, Written], variables: Mapping[str, str | None]
) -> Iterator[Diagnostic]:
    """What the adapter has against the whole environment, told at what the user wrote of it."""
    required = {variable.name for variable in plan.adapter.variables if variable.required}
    ours = {name: str(one.value) for name, one in written.items() if one.value is not None}
    for objection in wrong_values(plan.adapter, {n: v for n, v in ours.items() if n not in required}):
        yield _told(objection, "env-value", written)
    for objection in broken_rules(plan.adapter, setup_of(plan, variables)):
        if objection.severity == "error" or ours.keys() & set(objection.about):
            yield _told(objection, "env-rule", written)


def _told(objection: Objection, code: str, written: Mapping[str, Written]) -> Diagnostic:
    one = next((written[name] for name in objection.about if name in written), None)
    if one is None:
        return Diagnostic(code, objection.message, objection.severity, None, objection.instead)
    return Diagnostic(
        code, objection.message, objection.severity, one.position, objection.instead, one.excerpt
    )


def _scopes(plan: RunPlan, written: Mapping[str, Written]) -> Iterator[Diagnostic]:
    """One text for several nodes: every node sources run.env before `ray start`."""
    if plan.get("hardware.nodes") in (None, 1):
        return
    for name, one in written.items():
        known = _known(plan, name)
        if known is None or one.value is None or known.by_node == "same":
            continue
        hint = (
            f"leave it out; on each node, export its own {name} after sourcing run.env and before `ray start`"
        )
        if known.by_node == "differs":
            message = f"{name} is different on each node, and `env` gives all of them one value"
            yield _at(one, "env-scope", message, hint)
        else:
            message = f"{name} may differ between nodes, and `env` gives all of them one value"
            warning = _at(one, "env-scope", message, f"right if it is the same everywhere; else {hint}")
            yield replace(warning, severity="warning")


def _at(written: Written, code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, message, "error", written.position, hint, written.excerpt)


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


def _taken(plan: RunPlan, written: Mapping[str, Written]) -> Iterator[Diagnostic]:
    if "REPO_PATH" in written and plan.get("rlinf.path") is not None:
        message = "launch.sh sets REPO_PATH to the checkout of rlinf.path"
        hint = "leave it out, or change rlinf.path"
        yield _at(written["REPO_PATH"], "spec-variable-reserved", message, hint)


def _secrets(plan: RunPlan) -> tuple[str, ...]:
    names = plan.get("secrets")
    if not isinstance(names, (list, tuple)):
        return ()
    return tuple(sorted({str(name) for name in names}))
