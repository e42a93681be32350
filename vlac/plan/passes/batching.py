"""Derive gradient accumulation: micro batch x world size x accumulation = global batch, with nothing left over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.problems import error

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan

# Where an indivisible batch is told: the first of these that was written; the cards always are.
_PLACES = ("train.global_batch", "train.micro_batch", "hardware.cards")


def batching(plan: RunPlan) -> RunPlan:
    """Derive `gradient_accumulation` and `samples_per_step`, or say which global batches are legal."""
    micro, total = plan.get("train.micro_batch"), plan.get("train.global_batch")
    if not isinstance(micro, int) or not isinstance(total, int) or "world_size" not in plan.derived:
        return plan
    ranks = plan.integer("world_size")
    if total % (micro * ranks):
        return _indivisible(plan, micro, ranks, total) if plan.is_ours(*_PLACES) else plan
    sum_in_words = f"{total} / ({micro} x {ranks})"
    plan = plan.with_derived("gradient_accumulation", total // (micro * ranks), sum_in_words)
    return plan.with_derived("samples_per_step", total, f"{micro} samples x {ranks} ranks x accumulation")


def _indivisible(plan: RunPlan, micro: int, ranks: int, total: int) -> RunPlan:
    unit = micro * ranks
    below, above = total - total % unit, total - total % unit + unit
    legal = f"{below} or {above}" if below else f"{above}"
    message = (
        f"a global batch of {total} does not divide: micro batch {micro} x {ranks} ranks = {unit}, "
        f"and {total} = {total // unit} x {unit} + {total % unit}"
    )
    fitting = _smaller(micro, ranks, total)
    smaller = f"; or micro_batch: {fitting}" if fitting else ""
    place = next(path for path in _PLACES if plan.is_written(path))
    return plan.with_diagnostics(
        error(plan.loaded, place, "batch-indivisible", message, f"write global_batch: {legal}{smaller}")
    )


def _smaller(micro: int, ranks: int, total: int) -> int | None:
    """The largest micro batch below that divides what each rank gets; None where the ranks do not divide the batch."""
    share, rest = divmod(total, ranks)
    return (
        None
        if rest or not share
        else max(size for size in range(1, min(micro, share) + 1) if share % size == 0)
    )
