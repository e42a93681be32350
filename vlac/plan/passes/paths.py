"""Decide the folders that follow from others: where results go, and where the demo's data set is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.origins import Layer, Origin
from vlac.plan.problems import error
from vlac.spec.paths import after_variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan


_ON_PYTHONPATH = ("rlinf.path", "output")  # the checkout, and the run folder with its bootstrap/


def _colons(plan: RunPlan) -> Iterator[Diagnostic]:
    for field in _ON_PYTHONPATH:
        value = plan.get(field)
        if isinstance(value, str) and ":" in after_variable(value):
            message = (
                f"{field} holds a `:`, and PYTHONPATH, which the folder goes on, separates folders with it"
            )
            yield error(plan.loaded, field, "spec-path", message, "choose a folder without one")


def paths(plan: RunPlan) -> RunPlan:
    """Fill `output` where nobody wrote it, and refuse a colon where PYTHONPATH cannot hold it."""
    plan = plan.with_diagnostics(*_colons(plan))
    if plan.get("output") is not None:
        return plan
    checkout = plan.get("rlinf.path")
    if isinstance(checkout, str):
        reason = "results/ of the RLinf checkout"
        return plan.with_setting("output", f"{checkout.rstrip('/')}/results", Origin(Layer.DEFAULT, reason))
    reason = "results/ beside the spec, as there is no rlinf.path"
    return plan.with_setting("output", "${oc.env:VLAC_SPEC_DIR}/results", Origin(Layer.DEFAULT, reason))
