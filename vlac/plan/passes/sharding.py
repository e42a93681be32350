"""Check how FSDP shards the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.problems import error

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan


def sharding(plan: RunPlan) -> RunPlan:
    """Refuse the combinations of `fsdp.version` and `fsdp.sharding` that RLinf does not build."""
    found = _refused(plan)
    return plan.with_diagnostics(found) if found else plan


def _refused(plan: RunPlan) -> Diagnostic | None:
    kind = plan.get("fsdp.sharding")
    if kind == "hybrid_shard":
        message = "hybrid_shard does not work: RLinf builds a one-dimensional device mesh"
        return error(
            plan.loaded, "fsdp.sharding", "fsdp-sharding", message, "write full_shard or shard_grad_op"
        )
    if kind == "no_shard" and plan.get("fsdp.version") == 2:
        message = "FSDP version 2 always shards; no_shard needs version 1"
        hint = "write full_shard or shard_grad_op"
        return error(plan.loaded, "fsdp.sharding", "fsdp-sharding", message, hint)
    return None
