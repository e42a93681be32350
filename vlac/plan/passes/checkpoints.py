"""Check when checkpoints are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.problems import warning

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan


def checkpoints(plan: RunPlan) -> RunPlan:
    """Warn where a run ends without a checkpoint that the user may expect."""
    if plan.get("checkpoints.every") != "never":
        return plan
    message = "checkpoints.every: never keeps nothing of the training, not even at its end"
    hint = "write a number of optimizer steps; the last step is saved too"
    return plan.with_diagnostics(
        warning(plan.loaded, "checkpoints.every", "checkpoints-never", message, hint)
    )
