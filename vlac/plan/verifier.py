"""What must hold between passes: a violation is vlac's own fault, never the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.origins import Layer
from vlac.spec.fields import BY_PATH

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan

_WRITTEN_LAYERS = frozenset({Layer.EXTENDS, Layer.SPEC, Layer.BACKEND, Layer.SET})


class PlanFaultError(AssertionError):
    """A pass left a plan that breaks the rules of this level."""


def verify_plan(plan: RunPlan, after: str) -> None:
    """Raise PlanFaultError where a setting is no field of the spec, or a written one has no position."""
    for path, setting in plan.settings.items():
        if path not in BY_PATH:
            raise PlanFaultError(f"after {after}: {path} is no field of the spec")
        if setting.origin.layer in _WRITTEN_LAYERS and setting.origin.position is None:
            raise PlanFaultError(f"after {after}: {path} was written by the user, but nobody knows where")
    for name, figure in plan.derived.items():
        if figure.origin.layer is not Layer.DERIVED:
            raise PlanFaultError(f"after {after}: the figure {name} is not derived")
