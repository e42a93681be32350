"""Decide the folders that follow from others: where results go, and where the demo's data set is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.origins import Layer, Origin

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan


def paths(plan: RunPlan) -> RunPlan:
    """Fill `output` where nobody wrote it."""
    if plan.get("output") is not None:
        return plan
    checkout = plan.get("rlinf.path")
    if isinstance(checkout, str):
        reason = "results/ of the RLinf checkout"
        return plan.with_setting("output", f"{checkout.rstrip('/')}/results", Origin(Layer.DEFAULT, reason))
    reason = "results/ beside the spec, as there is no rlinf.path"
    return plan.with_setting("output", "${oc.env:VLAC_SPEC_DIR}/results", Origin(Layer.DEFAULT, reason))
