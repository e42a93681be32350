"""The checks at the end of a run: what was trained is what was compiled."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vlac.rlinf.schedule import schedule_of
from vlac.run.events import scalars
from vlac.run.launch import first_step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from vlac.bundle import Bundle

Verdict = Literal["ok", "failed", "not checked"]

LEARNING_STEPS = 30
"""Optimizer steps from which on the demo's loss must have fallen; a few steps do not show it."""
LEARNING_RATIO = 0.7
_RATE_TOLERANCE = 1e-5
"""Relative; RLinf logs 32-bit means over the ranks, and one step of a long schedule differs by more."""
_SHARD = re.compile(rb"__(\d+)_\d+\.distcp")


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, how it ended, and why in a sentence."""

    name: str
    verdict: Verdict
    detail: str


@dataclass(frozen=True, slots=True)
class Run:
    """A finished training: its bundle, its folder, and the number of optimizer steps that it was to make.

    `steps` is None where the data decide (epochs). `metrics` maps a tag to optimizer step (the first is 1) to value.
    """

    bundle: Bundle
    folder: Path
    steps: int | None
    metrics: Mapping[str, Mapping[int, float]]

    @property
    def logged_steps(self) -> list[int]:
        """The optimizer steps whose learning rate was logged."""
        return sorted(self.metrics.get("train/learning_rate", ()))


def read_run(bundle: Bundle, folder: Path, steps: int | None) -> Run:
    """Read the metrics of a run from its event files."""
    logged = scalars(folder / "tensorboard")
    # RLinf's runner logs the first optimizer step as step 0 (SFTRunner.run, v0.3).
    metrics = {tag: {step + 1: value for step, value in values.items()} for tag, values in logged.items()}
    return Run(bundle, folder, steps, metrics)


def all_checks(run: Run) -> list[Check]:
    """Every check of a run, in the order in which they are printed."""
    return [
        steps_trained(run),
        learning_rate(run),
        micro_batches(run),
        checkpoint(run),
        loss_falls(run),
    ]


def steps_trained(run: Run) -> Check:
    """Every optimizer step that was to be made was logged."""
    name = "optimizer steps"
    if not run.metrics:
        return Check(name, "not checked", "the run left no tensorboard events")
    steps = run.logged_steps
    if not steps:
        return Check(name, "failed", "no step was logged")
    last = run.steps or steps[-1]
    first = first_step(run.bundle.plan)
    missing = sorted(set(range(first, last + 1)) - set(steps))
    if missing:
        return Check(
            name, "failed", f"{len(missing)} of the steps {first} to {last} were not logged: {_some(missing)}"
        )
    return Check(name, "ok", f"steps {first} to {last} were logged")


def learning_rate(run: Run) -> Check:
    """The logged learning rate equals the compiled schedule at every step."""
    name = "learning rate"
    schedule = schedule_of(run.bundle.config)
    if schedule is None:
        return Check(name, "not checked", "vlac has no formula for this schedule")
    logged = run.metrics.get("train/learning_rate")
    if not logged:
        return Check(name, "not checked", "the run left no tensorboard events with train/learning_rate")
    tiny = schedule.peak * 1e-7  # 32-bit rounding where the schedule reaches zero
    for step, value in sorted(logged.items()):
        expected = schedule.logged_rate(step)
        if not math.isclose(value, expected, rel_tol=_RATE_TOLERANCE, abs_tol=tiny):
            return Check(name, "failed", f"step {step} logged {value:.6g}, the schedule says {expected:.6g}")
    last = max(logged)
    return Check(
        name, "ok", f"{len(logged)} logged rates are those of the schedule; step {last}: {logged[last]:.3g}"
    )


def micro_batches(run: Run) -> Check:
    """The micro batches that the workers counted equal the plan's accumulation at every step."""
    name = "micro batches"
    expected = run.bundle.plan.integer("gradient_accumulation")
    counted = run.metrics.get("train/micro_batches")
    if not counted:
        return Check(name, "not checked", "the workers of this family do not count them")
    for step, value in sorted(counted.items()):
        if value != expected:
            return Check(
                name, "failed", f"step {step} took {value:g} micro batches a rank, the plan says {expected}"
            )
    return Check(name, "ok", f"{expected} a rank at each of {len(counted)} steps, counted in the workers")


def checkpoint(run: Run) -> Check:
    """The checkpoint of the last step is there, with the shards of all ranks."""
    name = "checkpoint"
    if run.bundle.plan.get("checkpoints.every") == "never":
        return Check(name, "not checked", "checkpoints.every is never")
    steps = run.logged_steps
    last = run.steps or (steps[-1] if steps else None)
    if last is None:
        return Check(name, "not checked", "the number of steps is not known")
    folder = run.folder / run.bundle.plan.name / f"checkpoints/global_step_{last}/actor"
    problem = _checkpoint_problem(run, folder)
    if problem:
        return Check(name, "failed", problem)
    ranks = run.bundle.plan.integer("world_size")
    return Check(name, "ok", f"global_step_{last} is complete: the shards of {_ranks(ranks)}")


def loss_falls(run: Run) -> Check:
    """The demo learns: the mean loss of the last third is at most 0.7 of that of the first."""
    name = "loss"
    if run.bundle.plan.family.name != "demo":
        return Check(name, "not checked", "only the demo's data are known to be learnt quickly")
    if first_step(run.bundle.plan) > 1:
        return Check(name, "not checked", "the run went on from a checkpoint, where most was learnt before")
    losses = [value for _, value in sorted(run.metrics.get("train/loss", {}).items())]
    if len(losses) < LEARNING_STEPS:
        return Check(name, "not checked", f"{len(losses)} steps do not show it; {LEARNING_STEPS} would")
    third = len(losses) // 3
    first, last = _mean(losses[:third]), _mean(losses[-third:])
    detail = f"mean of the last third {last:.4g}, of the first {first:.4g}"
    if not last <= LEARNING_RATIO * first:
        return Check(name, "failed", f"{detail}: more than {LEARNING_RATIO} of it")
    return Check(name, "ok", f"{detail}: {last / first:.2f} of it")


def _checkpoint_problem(run: Run, folder: Path) -> str | None:
    """What is missing. DCP's metadata name each shard (torch/distributed/checkpoint/filesystem.py, 2.13)."""
    shards = folder / "dcp_checkpoint"
    metadata = shards / ".metadata"
    if not metadata.is_file():
        return f"there is no complete checkpoint in {folder}"
    named = {match.group().decode(): int(match.group(1)) for match in _SHARD.finditer(metadata.read_bytes())}
    lost = [shard for shard in sorted(named) if not _has_content(shards / shard)]
    if lost:
        return f"shards are missing or empty: {', '.join(lost)}"
    absent = sorted(set(range(run.bundle.plan.integer("world_size"))) - set(named.values()))
    if absent and run.bundle.plan.get("fsdp.sharding") != "no_shard":
        return f"no shard of rank {_some(absent)}"
    if run.bundle.plan.get("checkpoints.full_weights") and not _has_content(
        folder / "model_state_dict/full_weights.pt"
    ):
        return "model_state_dict/full_weights.pt is missing or empty"
    return None


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _some(numbers: Sequence[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:5])
    return f"{shown}, ..." if len(numbers) > 5 else shown


def _ranks(count: int) -> str:
    return "its one rank" if count == 1 else f"all {count} ranks"
