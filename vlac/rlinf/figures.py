"""Figures that only the finished configuration decides: the learning rates that RLinf will log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.schedule import schedule_of

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan
    from vlac.rlinf.leaves import Leaves


def with_learning_rates(plan: RunPlan, config: Leaves) -> RunPlan:
    """Add `lr_step_1` and, where the number of steps is known, `lr_last_step`: the rates logged after these."""
    schedule = schedule_of(config) if plan.task == "sft" else None
    if schedule is None:
        return plan
    plan = plan.with_derived("lr_step_1", _digits(schedule.logged_rate(1)), "logged after step 1")
    steps = plan.get("train.steps")
    if not isinstance(steps, int):
        return plan
    return plan.with_derived(
        "lr_last_step", _digits(schedule.logged_rate(steps)), f"logged after step {steps}"
    )


def _digits(rate: float) -> float:
    """A rate without the noise of binary arithmetic: RLinf logs 32-bit floats, of about 7 digits."""
    return float(f"{rate:.9g}")
