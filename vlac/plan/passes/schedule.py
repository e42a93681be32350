"""Decide how long training and its learning-rate schedule are, and check that they fit each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.origins import Layer, Origin
from vlac.plan.problems import error, warning

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan

_MANY_WARMUP_STEPS = 5  # a warm-up of more than a fifth of the schedule is unusual


def schedule(plan: RunPlan) -> RunPlan:
    """Fill `train.decay_steps` and check warm-up, decay and the lowest rate."""
    steps = plan.get("train.steps")
    if plan.get("train.decay_steps") is None and isinstance(steps, int) and plan.base is None:
        plan = plan.with_setting("train.decay_steps", steps, Origin(Layer.DERIVED, "train.steps"))
    checks = (
        _kind(plan),
        _decay(plan),
        _length(plan),
        _warmup(plan),
        _ratio(plan),
        _lowest(plan),
        _longer(plan),
    )
    return plan.with_diagnostics(*(found for found in checks if found))


def _kind(plan: RunPlan) -> Diagnostic | None:
    kind = plan.get("train.schedule")
    if kind is None or kind in plan.version.schedules:
        return None
    known = ", ".join(plan.version.schedules)
    message = f"RLinf {plan.version.name} has no schedule {kind}"
    return error(plan.loaded, "train.schedule", "train-schedule", message, f"write one of: {known}")


def _decay(plan: RunPlan) -> Diagnostic | None:
    if plan.get("train.decay_steps") is not None or plan.loaded.is_broken("train.decay_steps"):
        return None
    if not plan.is_written("train.epochs") or plan.base is not None:
        return None
    wants_ratio = plan.is_written("train.warmup_ratio")
    if plan.get("train.schedule") == "constant" and not wants_ratio:
        return None
    needs = "train.warmup_ratio" if wants_ratio else f"the {plan.get('train.schedule')} schedule"
    message = f"train.decay_steps is missing: with epochs alone, {needs} has no length"
    return error(
        plan.loaded, "train.epochs", "train-decay-missing", message, "add decay_steps (optimizer steps)"
    )


def _length(plan: RunPlan) -> Diagnostic | None:
    if plan.get("train.schedule") != "constant" or plan.is_written("train.warmup_ratio"):
        return None
    if not plan.is_written("train.decay_steps"):
        return None
    message = "train.decay_steps has no effect: a constant schedule never decays"
    return warning(plan.loaded, "train.decay_steps", "spec-field-ignored", message, "leave it out")


def _warmup(plan: RunPlan) -> Diagnostic | None:
    warmup, decay = plan.get("train.warmup_steps"), plan.get("train.decay_steps")
    if not isinstance(warmup, int) or not isinstance(decay, int) or not plan.is_written("train.warmup_steps"):
        return None
    if warmup >= decay:
        message = f"a warm-up of {warmup} steps does not end within a schedule of {decay} steps"
        return error(
            plan.loaded, "train.warmup_steps", "train-warmup-long", message, f"write less than {decay}"
        )
    if warmup * _MANY_WARMUP_STEPS > decay:
        message = f"a warm-up of {warmup} steps is more than a fifth of the schedule of {decay} steps"
        hint = f"a tenth would be {decay // 10}"
        return warning(plan.loaded, "train.warmup_steps", "train-warmup-share", message, hint)
    return None


def _ratio(plan: RunPlan) -> Diagnostic | None:
    if (
        not plan.is_written("train.warmup_ratio")
        or plan.number("train.warmup_ratio") * _MANY_WARMUP_STEPS <= 1
    ):
        return None
    message = f"a warm-up of {plan.number('train.warmup_ratio'):g} is more than a fifth of the schedule"
    return warning(plan.loaded, "train.warmup_ratio", "train-warmup-share", message, "a tenth would be 0.1")


def _lowest(plan: RunPlan) -> Diagnostic | None:
    if not plan.is_written("train.min_lr"):
        return None
    if plan.get("train.schedule") == "constant":
        message = "train.min_lr has no effect: a constant schedule never decays"
        return warning(plan.loaded, "train.min_lr", "spec-field-ignored", message, "leave it out")
    lowest, peak = plan.number("train.min_lr"), plan.get("train.lr")
    if not isinstance(peak, (int, float)) or lowest <= peak:
        return None
    message = f"min_lr {lowest:g} is above lr {peak:g}"
    return error(plan.loaded, "train.min_lr", "train-min-lr", message, f"write at most {peak:g}")


def _longer(plan: RunPlan) -> Diagnostic | None:
    steps, decay = plan.get("train.steps"), plan.get("train.decay_steps")
    if plan.get("train.schedule") != "cosine" or not isinstance(steps, int) or not isinstance(decay, int):
        return None
    if not plan.is_ours("train.steps", "train.decay_steps", "train.schedule"):
        return None
    if decay >= steps:
        return None
    message = (
        f"the cosine schedule ends at step {decay}, but training goes on to {steps}: the rate rises again"
    )
    hint = f"write decay_steps: {steps}, or leave it out"
    return warning(plan.loaded, "train.decay_steps", "train-decay-short", message, hint)
