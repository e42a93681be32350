"""Check how FSDP shards the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.problems import error, warning

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan


def sharding(plan: RunPlan) -> RunPlan:
    """Refuse the combinations of `fsdp.version` and `fsdp.sharding` that RLinf does not build."""
    checks = (_refused(plan), _buffers(plan), _offload(plan))
    return plan.with_diagnostics(*(found for found in checks if found))


def _buffers(plan: RunPlan) -> Diagnostic | None:
    """FSDP 2 has no such number format (rlinf/hybrid_engines/fsdp/strategy/fsdp2.py, v0.3 and main)."""
    if plan.get("fsdp.version") != 2 or not plan.is_written("fsdp.buffer_dtype"):
        return None
    message = "fsdp.buffer_dtype has no effect: FSDP version 2 leaves buffers as they are"
    return warning(plan.loaded, "fsdp.buffer_dtype", "spec-field-ignored", message, "leave it out")


def _offload(plan: RunPlan) -> Diagnostic | None:
    """RLinf's SFT worker moves the model to host memory once and never back (fsdp_sft_worker.py, v0.3 and main)."""
    if plan.get("fsdp.cpu_offload") is not True or plan.task != "sft" or not plan.is_ours("fsdp.cpu_offload"):
        return None
    message = "RLinf's SFT worker moves the model to host memory and never back: not known to train"
    hint = "try it with vlac run --smoke, or lower train.micro_batch instead"
    return warning(plan.loaded, "fsdp.cpu_offload", "fsdp-offload", message, hint)


def _refused(plan: RunPlan) -> Diagnostic | None:
    kind = plan.get("fsdp.sharding") if plan.is_ours("fsdp.sharding", "fsdp.version") else None
    if kind == "hybrid_shard":
        message = "hybrid_shard does not work: RLinf builds a one-dimensional device mesh"
        return error(
            plan.loaded, "fsdp.sharding", "fsdp-sharding", message, "write full_shard or shard_grad_op"
        )
    if kind == "no_shard" and plan.get("fsdp.version") == 2:
        message = "FSDP version 2 always shards; no_shard needs version 1"
        hint = "write sharding: full_shard or shard_grad_op"
        place = "fsdp.sharding" if plan.is_written("fsdp.sharding") else "fsdp.version"
        return error(plan.loaded, place, "fsdp-sharding", message, hint)
    return None
