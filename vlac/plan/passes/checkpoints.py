"""Check when checkpoints are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.problems import error, warning

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan


def checkpoints(plan: RunPlan) -> RunPlan:
    """Warn where a run keeps nothing, and refuse to go on from where it ends."""
    checks = (_never(plan), _nothing_left(plan), _evaluations(plan))
    return plan.with_diagnostics(*(found for found in checks if found))


def _never(plan: RunPlan) -> Diagnostic | None:
    if plan.get("checkpoints.every") != "never" or not plan.is_ours("checkpoints.every"):
        return None
    message = "checkpoints.every: never keeps nothing of the training, not even at its end"
    hint = "write a number of optimizer steps; the last step is saved too"
    return warning(plan.loaded, "checkpoints.every", "checkpoints-never", message, hint)


def _evaluations(plan: RunPlan) -> Diagnostic | None:
    """RLinf asserts it at the first step (rlinf/utils/runner_utils.py, check_progress, v0.3 and main)."""
    every, evaluated = plan.get("checkpoints.every"), plan.get("eval.every")
    if not isinstance(every, int) or not isinstance(evaluated, int) or every % evaluated == 0:
        return None
    if not plan.is_ours("eval.every", "checkpoints.every"):
        return None
    message = f"checkpoints are written every {every} steps, and eval.every: {evaluated} does not divide that"
    below, above = every - every % evaluated, every - every % evaluated + evaluated
    legal = f"{below} or {above}" if below else str(above)
    place = "eval.every" if plan.is_written("eval.every") else "checkpoints.every"
    return error(plan.loaded, place, "eval-every", message, f"write checkpoints.every: {legal}")


def _nothing_left(plan: RunPlan) -> Diagnostic | None:
    """RLinf counts on from the number in the folder's name (rlinf/runners/sft_runner.py, v0.3)."""
    resume, steps = plan.get("checkpoints.resume"), plan.get("train.steps")
    if not isinstance(resume, str) or not isinstance(steps, int):
        return None
    done = resume.rpartition("global_step_")[2]
    if not done.isdecimal() or int(done) < steps:
        return None
    message = f"nothing is left to train: the checkpoint is at step {done}, train.steps is {steps}"
    hint = f"train.steps counts from the very first step: write more than {done}"
    return error(plan.loaded, "checkpoints.resume", "checkpoints-resume-done", message, hint)
