"""Check the data: how many sets the family reads, and which options the data config has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.models.mixes import MIX_CONFIG_KEYS
from vlac.plan.origins import Layer, Origin
from vlac.plan.problems import error, nearest

if TYPE_CHECKING:
    from vlac.models import DataConfig
    from vlac.plan.ir import RunPlan


def data(plan: RunPlan) -> RunPlan:
    """Check `data.path` and `data.options`; a demo without a path trains on the set that its start writes."""
    plan = plan.with_diagnostics(*_first_only(plan), *_options(plan), *_mix(plan))
    if plan.get("data.path") is None and not plan.family.needs_data and plan.base is None:
        reason = "the demo data set, written into the run folder at the start"
        return plan.with_setting("data.path", "${oc.env:VLAC_RUN_DIR}/data", Origin(Layer.FAMILY, reason))
    return plan


def _first_only(plan: RunPlan) -> list[Diagnostic]:
    sets = plan.get("data.path")
    if not isinstance(sets, (list, tuple)) or len(sets) < 2 or plan.family.reads_all_data_paths:
        return []
    message = f"{len(sets)} data sets, but family {plan.family.name} reads the first only"
    return [
        error(plan.loaded, "data.path", "data-first-only", message, "merge them into one LeRobot data set")
    ]


def _mix(plan: RunPlan) -> list[Diagnostic]:
    """Which models mix data sets: those whose base, or whose table row, has a list of them."""
    if not plan.is_written("data.mix"):
        return []
    composed = plan.base.values.get(("data", "train_data_paths")) if plan.base else None
    if not isinstance(composed, list) and plan.family.model_type not in MIX_CONFIG_KEYS:
        message = f"{plan.family.name or 'this model'} trains on one data set"
        hint = "write data.path, and merge the sets into one"
        return [error(plan.loaded, "data.mix", "data-mix", message, hint)]
    sets = plan.get("data.mix")
    named = isinstance(sets, (list, tuple)) and any(
        isinstance(one, Mapping) and "config" in one for one in sets
    )
    if named and plan.family.model_type not in MIX_CONFIG_KEYS:
        message = f"{plan.family.name or 'this model'} has one config for all data sets of a mix"
        return [error(plan.loaded, "data.mix", "data-mix", message, "leave config out")]
    return []


def _options(plan: RunPlan) -> list[Diagnostic]:
    options, config = plan.get("data.options"), plan.data_config
    if not isinstance(options, Mapping) or config is None:
        return []
    known = (*config.options, *(config.main_options if plan.version.has_main_options else ()))
    return [_unknown_option(plan, config, name, known) for name in options if name not in known]


def _unknown_option(plan: RunPlan, config: DataConfig, name: str, known: tuple[str, ...]) -> Diagnostic:
    written = plan.loaded.entries["data.options", name]
    message = f"config {config.name} has no option {name!r} in RLinf {plan.version.name}"
    hint = nearest(name, known)
    return Diagnostic("data-unknown-option", message, "error", written.position, hint, written.excerpt)
