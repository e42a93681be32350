"""Check how the model is trained: what of it, in which dtype, and how long its action chunks are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.problems import error

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan


def model(plan: RunPlan) -> RunPlan:
    """Check `model.tune`, `model.lora`, `model.dtype` and `model.action_chunk` against the family."""
    checks = (_tune(plan), _adapter(plan), _dtype(plan), _action_chunk(plan))
    return plan.with_diagnostics(*(found for found in checks if found))


def _tune(plan: RunPlan) -> Diagnostic | None:
    tune = plan.get("model.tune")
    if tune in plan.family.tunes or not plan.is_ours("model.tune"):
        return None
    allowed = ", ".join(plan.family.tunes)
    message = f"family {plan.family.name} cannot be trained with tune: {tune}"
    return error(plan.loaded, "model.tune", "model-tune", message, f"write one of: {allowed}")


def _adapter(plan: RunPlan) -> Diagnostic | None:
    refused = any(refusal.field == "model.lora.from" for refusal in plan.family.refused)
    if refused or not plan.is_written("model.lora.from") or plan.get("model.tune") == "lora":
        return None
    message = "model.lora.from has no effect unless model.tune is lora"
    return error(
        plan.loaded, "model.lora.from", "spec-unused", message, "write tune: lora, or leave lora out"
    )


def _dtype(plan: RunPlan) -> Diagnostic | None:
    dtype = plan.get("model.dtype")
    if dtype in plan.family.dtypes or not plan.is_ours("model.dtype"):
        return None
    allowed = ", ".join(plan.family.dtypes)
    message = f"family {plan.family.name} does not take dtype: {dtype}"
    if plan.family.dtypes == ("auto",):
        message += "; openpi keeps its own mix of bf16 and fp32 parameters"
    return error(
        plan.loaded, "model.dtype", "model-dtype", message, f"write one of: {allowed}, or leave it out"
    )


def _action_chunk(plan: RunPlan) -> Diagnostic | None:
    chunk = plan.get("model.action_chunk")
    horizon = plan.data_config.action_horizon if plan.data_config else plan.family.action_horizon
    if (
        not isinstance(chunk, int)
        or chunk <= horizon
        or not plan.is_ours("model.action_chunk", "data.config")
    ):
        return None
    message = f"an action chunk of {chunk} is longer than the action horizon of {horizon}"
    if plan.data_config:
        message += f" of config {plan.data_config.name}"
    return error(plan.loaded, "model.action_chunk", "model-action-chunk", message, f"write at most {horizon}")
