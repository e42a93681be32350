"""Decide every field: base, or spec version default < family < adapter preference < what the user wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.origins import Layer, Origin
from vlac.rlinf.lower import keys_of
from vlac.spec.fields import FIELDS

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan

_DEMO_ACTION_CHUNK = 8  # a quarter of a second at the data set's 30 frames a second


def settings(plan: RunPlan) -> RunPlan:
    """Fill `settings` with the chain of decisions of each field."""
    plan = _of_base(plan) if plan.base else _family(_defaults(plan))
    plan = _preferences(plan)
    return _written(plan)


def _defaults(plan: RunPlan) -> RunPlan:
    origin = Origin(Layer.DEFAULT, "default of spec version 1")
    for field in FIELDS:
        if field.default is not None:
            plan = plan.with_setting(field.path, field.default, origin)
    return plan


def _family(plan: RunPlan) -> RunPlan:
    config = plan.data_config
    if config is not None:
        origin = Origin(Layer.FAMILY, f"data config {config.name}")
        return plan.with_setting("model.action_chunk", config.action_chunk, origin)
    if not plan.family.has_data_configs:
        origin = Origin(Layer.FAMILY, f"family {plan.family.name}")
        return plan.with_setting("model.action_chunk", _DEMO_ACTION_CHUNK, origin)
    return plan


def _of_base(plan: RunPlan) -> RunPlan:
    assert plan.base is not None
    for path, value in plan.base.fields.items():
        place = plan.base.place_of(keys_of(path))
        plan = plan.with_setting(path, value, Origin(Layer.BASE, place))
    return plan


def _preferences(plan: RunPlan) -> RunPlan:
    for preference in plan.adapter.preferences:
        if plan.base and preference.field not in plan.base.fields:
            continue  # the base trains with something that has no such field
        origin = Origin(Layer.ADAPTER, f"{plan.adapter.name}: {preference.why} ({preference.source})")
        plan = plan.with_setting(preference.field, preference.value, origin)
    return plan


def _written(plan: RunPlan) -> RunPlan:
    for path, writings in plan.loaded.written.items():
        for written in writings:
            origin = Origin(Layer(written.layer), str(written.position), written.position)
            plan = plan.with_setting(path, written.value, origin)
    return plan
