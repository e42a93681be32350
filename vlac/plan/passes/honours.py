"""Refuse what the family or the backend cannot honour: a written field always does something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.problems import error, warning

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan


def honours(plan: RunPlan) -> RunPlan:
    """Check written fields against the family's refusals and the adapter's requirements."""
    found = (
        *_refused(plan),
        *_ignored(plan),
        *_required_values(plan),
        *_unlogged(plan),
        *_not_sharded(plan),
    )
    return plan.with_diagnostics(*found)


def _refused(plan: RunPlan) -> list[Diagnostic]:
    return [
        error(
            plan.loaded,
            refusal.field,
            "spec-field-refused",
            f"{refusal.field} has no effect for family {plan.family.name}: {refusal.reason}",
            refusal.instead,
        )
        for refusal in plan.family.refused
        if plan.is_written(refusal.field)
    ]


def _ignored(plan: RunPlan) -> list[Diagnostic]:
    return [
        warning(
            plan.loaded,
            ignored.field,
            "spec-field-ignored",
            f"{ignored.field} has no effect for family {plan.family.name}: {ignored.reason}",
            ignored.instead,
        )
        for ignored in plan.family.ignored
        if plan.is_written(ignored.field)
    ]


def _not_sharded(plan: RunPlan) -> list[Diagnostic]:
    """A base may train with Megatron, or evaluate and train nothing."""
    engine = plan.base.values.get(("actor", "training_backend")) if plan.base else "fsdp"
    if engine == "fsdp":
        return []
    message = f"the base trains with {engine}, not with FSDP" if engine else "the base trains nothing"
    written = [path for path in plan.loaded.written if path.startswith("fsdp.")]
    return [
        error(plan.loaded, path, "spec-field-refused", f"{path} has no effect: {message}", "leave it out")
        for path in written
    ]


_READ_BY = {"logging.project": ("wandb", "swanlab"), "logging.entity": ("wandb",)}
"""Which loggers read a field (rlinf/utils/metric_logger.py, v0.3 and main)."""


def _unlogged(plan: RunPlan) -> list[Diagnostic]:
    backends = plan.get("logging.backends")
    if not isinstance(backends, (list, tuple)):
        return []
    return [
        warning(
            plan.loaded,
            path,
            "spec-field-ignored",
            f"{path} has no effect: only {' and '.join(readers)} read{'s' if len(readers) == 1 else ''} it",
            f"add {readers[0]} to logging.backends, or leave it out",
        )
        for path, readers in _READ_BY.items()
        if plan.is_written(path) and not set(readers) & set(backends)
    ]


def _required_values(plan: RunPlan) -> list[Diagnostic]:
    found = []
    for requirement in plan.adapter.requirements:
        value = plan.get(requirement.field)
        if value is None or value in requirement.allowed:
            continue
        allowed = " or ".join(str(item) for item in requirement.allowed)
        message = (
            f"{requirement.field}: {value} does not work on backend {plan.adapter.name}: {requirement.why}"
        )
        found.append(
            error(
                plan.loaded,
                requirement.field,
                "backend-requires",
                message,
                f"write {allowed}, or leave it out",
            )
        )
    return found
