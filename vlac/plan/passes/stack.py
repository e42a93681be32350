"""Judge the software that the spec names, and choose by it how the backend gets into every process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.objections import stack_objections, written_stack
from vlac.plan.problems import error, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.adapters import Adapter, Injection, Objection
    from vlac.plan.ir import RunPlan

_FIELD = "hardware.stack"


def stack(plan: RunPlan) -> RunPlan:
    """Check `hardware.stack` against the backend's table, and derive the figure `injection`."""
    plan = plan.with_diagnostics(*_problems(plan))
    chosen = injection(plan)
    if chosen is None:
        return plan
    return plan.with_derived("injection", chosen.name, f"{chosen.why} ({chosen.source})")


def injection(plan: RunPlan) -> Injection | None:
    """The way in which the backend gets into every process; None where there is one way only."""
    ways, versions = plan.adapter.injections, written_stack(plan)
    return next((way for way in ways if way.suits(versions)), ways[-1] if ways else None)


def _problems(plan: RunPlan) -> Iterator[Diagnostic]:
    versions = written_stack(plan)
    if not versions or not plan.adapter.name:
        return
    table = plan.adapter.stack
    if table is None:
        message = f"hardware.stack has no effect: backend {plan.adapter.name} has no table of versions"
        yield error(plan.loaded, _FIELD, "spec-field-refused", message, "leave it out")
        return
    unknown = set(versions) - {component.name for component in table.components}
    yield from (_unknown(plan, name, plan.adapter) for name in sorted(unknown))
    known = {name: version for name, version in versions.items() if name not in unknown}
    for objection in stack_objections(table, known):
        yield _diagnostic(plan, objection)


def _unknown(plan: RunPlan, name: str, adapter: Adapter) -> Diagnostic:
    written = plan.loaded.entries[(_FIELD, name)]
    names = tuple(component.name for component in adapter.stack.components) if adapter.stack else ()
    message = f"the stack of backend {adapter.name} has no component {name!r}"
    hint = nearest(name, names)
    return Diagnostic("stack-component", message, "error", written.position, hint, written.excerpt)


def _diagnostic(plan: RunPlan, objection: Objection) -> Diagnostic:
    """At the first component to blame that the spec names; an adapter's rule blames at least one."""
    entries = plan.loaded.entries
    written = next((entries[(_FIELD, name)] for name in objection.about if (_FIELD, name) in entries), None)
    place, excerpt = (written.position, written.excerpt) if written else (None, None)
    severity, hint = objection.severity, objection.instead
    return Diagnostic("stack-mismatch", objection.message, severity, place, hint, excerpt)
