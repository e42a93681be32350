"""Place one rank on each accelerator, or as many processes as cards were asked for where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.passes.components import place_components
from vlac.plan.problems import error

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan


def placement(plan: RunPlan) -> RunPlan:
    """Derive `ranks_per_node` and `world_size` from cards and nodes; place the components of a base on them."""
    cards, nodes = plan.get("hardware.cards"), plan.get("hardware.nodes")
    if not isinstance(cards, int) or not isinstance(nodes, int):
        return plan
    if not plan.is_ours("hardware.cards", "hardware.nodes", "hardware.placement"):
        return plan.with_derived("world_size", cards * nodes, "as the base places its components")
    ranks_per_card = plan.device.ranks_per_card if plan.device else 1
    ranks_per_node = cards * ranks_per_card
    per_node = f"{_count(cards, 'card')} x {_count(ranks_per_card, 'rank')} a card"
    plan = plan.with_derived("ranks_per_node", ranks_per_node, per_node)
    plan = plan.with_derived("world_size", ranks_per_node * nodes, f"{per_node} x {_count(nodes, 'node')}")
    plan = plan.with_diagnostics(*(_too_many_cards(plan, cards) or _more_ranks(plan, cards)))
    return place_components(plan) if plan.base else plan


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _more_ranks(plan: RunPlan, cards: int) -> list[Diagnostic]:
    device = plan.device
    if device is None or device.ranks_per_card == 1:
        return []
    ranks = _count(cards * device.ranks_per_card, "rank")
    message = f"{_count(cards, 'card')} of {device.name}: {ranks} a node, each card is {device.ranks_per_card} devices"
    written = plan.loaded.last("hardware.cards")
    place, excerpt = (written.position, written.excerpt) if written else (None, None)
    return [Diagnostic("hardware-ranks", message, "note", place, None, excerpt)]


def _too_many_cards(plan: RunPlan, cards: int) -> list[Diagnostic]:
    device = plan.device
    if device is None or device.cards_per_node is None or cards <= device.cards_per_node:
        return []
    message = f"{cards} cards, but a node holds {device.cards_per_node} {device.name}"
    if device.ranks_per_card > 1:
        message += f", each of {_count(device.ranks_per_card, 'rank')}: `cards` counts whole cards"
    nodes = -(-cards // device.cards_per_node)
    hint = f"write cards: {device.cards_per_node}"
    if cards == device.cards_per_node * device.ranks_per_card:
        hint += f" for {_count(cards, 'rank')}"
    elif cards % device.cards_per_node == 0:
        hint += f" and nodes: {nodes}"
    return [error(plan.loaded, "hardware.cards", "hardware-too-many-cards", message, hint)]
