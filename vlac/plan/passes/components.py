"""Place the components of a base: all on the same cards, or as the user says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.origins import Layer, Origin
from vlac.plan.problems import error, warning
from vlac.rlinf import placements

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Value
    from vlac.rlinf.placements import Placed

_SECTION = ("cluster", "component_placement")


def place_components(plan: RunPlan) -> RunPlan:
    """Fill `hardware.placement` for a base whose cards the user decides, and count the ranks that train.

    A base that puts its components on different cards is left alone where it fills the cards, and refused otherwise.
    """
    composed = _composed(plan)
    if plan.is_written("hardware.placement"):
        return _counted(_checked(plan, composed), plan.get("hardware.placement"))
    if not composed:
        return plan
    placed = {name: placements.parse(value) for name, value in composed.items()}
    known = {name: place for name, place in placed.items() if place is not None}
    if len(known) < len(placed):
        return plan.with_diagnostics(_groups_of_nodes(plan, sorted(placed.keys() - known.keys())))
    if len(set(known.values())) == 1:
        return _shared(plan, composed)
    return _apart(plan, composed, known)


def _composed(plan: RunPlan) -> dict[str, Value]:
    """What the base says, by components; None for one that is on a group of nodes."""
    assert plan.base is not None
    found: dict[str, Value] = {}
    for key, value in plan.base.values.items():
        if key[:2] == _SECTION and len(key) > 2:
            found[key[2]] = value if len(key) == 3 else None
    return found


def _shared(plan: RunPlan, composed: Mapping[str, Value]) -> RunPlan:
    ranks = _span(plan)
    reason = f"one rank for each: {plan.derived['world_size'].origin.reason}"
    everywhere = dict.fromkeys(composed, ranks)
    return plan.with_setting("hardware.placement", everywhere, Origin(Layer.DERIVED, reason))


def _span(plan: RunPlan) -> str:
    return placements.span(plan.integer("world_size"), processes=plan.adapter.placement == "processes")


def _apart(plan: RunPlan, composed: Mapping[str, Value], placed: Mapping[str, Placed]) -> RunPlan:
    named = [place.resources for place in placed.values() if place.resources is not None]
    size = max(max(resources) for resources in named) + 1
    world = plan.integer("world_size")
    if size == world and plan.adapter.placement == "devices":
        whole = {name: _span(plan) if value == "all" else value for name, value in composed.items()}
        reason = f"the base fills these {world} accelerators"
        plan = plan.with_setting("hardware.placement", whole, Origin(Layer.DERIVED, reason))
        return _counted(plan, whole)
    example = ", ".join(f'"{name}": {value}' for name, value in composed.items())
    message = (
        f"the base puts its components on different accelerators, {size} in all, and this run has {world}"
    )
    hint = f"add to hardware: placement: {{{example}}} with ranks from 0 to {world - 1}"
    return plan.with_diagnostics(error(plan.loaded, "hardware.cards", "placement-unclear", message, hint))


def _groups_of_nodes(plan: RunPlan, names: list[str]) -> Diagnostic:
    message = f"the base puts {', '.join(names)} on groups of nodes; its placement stays as composed"
    hint = "write hardware.placement, or change cluster under overrides"
    return warning(plan.loaded, "hardware.cards", "placement-groups", message, hint)


def _checked(plan: RunPlan, composed: Mapping[str, Value]) -> RunPlan:
    """Every component of the base once, each on accelerators that the run has."""
    written = plan.get("hardware.placement")
    assert isinstance(written, Mapping)
    wanted = {part.strip() for name in composed for part in name.split(",")}
    given = [part.strip() for name in written for part in name.split(",")]
    found = []
    if missing := sorted(wanted - set(given)):
        message = f"hardware.placement says nothing about {', '.join(missing)}, which the base runs"
        found.append(error(plan.loaded, "hardware.placement", "placement-components", message))
    for name, text in written.items():
        found += _wrong_entry(plan, name, str(text), wanted if composed else set(given), given)
    return plan.with_diagnostics(*found)


def _wrong_entry(plan: RunPlan, name: str, text: str, wanted: set[str], given: list[str]) -> list[Diagnostic]:
    parts = [part.strip() for part in name.split(",")]
    complaints = [
        f"the base runs no {part}; it runs {', '.join(sorted(wanted))}"
        for part in parts
        if part not in wanted
    ]
    complaints += [f"{part} is placed more than once" for part in parts if given.count(part) > 1]
    place, world = placements.parse(text), plan.integer("world_size")
    if place is None:
        complaints.append(f"{text} are no ranks: the first number is above the last")
    elif place.resources and max(place.resources) >= world:
        complaints.append(f"{text} leaves the {world} accelerators of this run, 0 to {world - 1}")
    written = plan.loaded.entries["hardware.placement", name]
    return [
        Diagnostic("placement-components", complaint, "error", written.position, None, written.excerpt)
        for complaint in complaints
    ]


def _counted(plan: RunPlan, placed: object) -> RunPlan:
    """`world_size` is what the batch is shared by: the ranks that train."""
    assert isinstance(placed, Mapping)
    world = plan.integer("world_size")
    for name, value in placed.items():
        place = placements.parse(value)
        if place is not None and "actor" in [part.strip() for part in name.split(",")]:
            return plan.with_derived("world_size", place.ranks(world), f"actor on {value}")
    return plan
