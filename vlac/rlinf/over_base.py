"""Lower a plan over its base: the composition, changed only where the user, the adapter or a rule decided otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.leaves import fill_section
from vlac.spec.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vlac.plan.base import Base
    from vlac.plan.ir import RunPlan
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.templates import Key
    from vlac.spec.fields import Field

_DECIDING = frozenset({Layer.ADAPTER, Layer.EXTENDS, Layer.SPEC, Layer.BACKEND, Layer.SET})
_OF_THE_BUNDLE = frozenset({"vlac", "name", "base", "model.family", "hardware.cards"})
"""Fields that name the bundle, that the base has decided, or that others follow from."""
WEIGHTS, ROLLOUT_WEIGHTS = ("actor", "model", "model_path"), ("rollout", "model", "model_path")
"""`model.weights` sets both where they hold the same."""
_PLACEMENT = ("cluster", "component_placement")


def composed(base: Base) -> Leaves:
    """The leaves of the base, each with the file and the line that decided it."""
    leaves: Leaves = {}
    for key, leaf in base.composition.leaves.items():
        place = f"{leaf.file}:{leaf.line}" if leaf.file else base.name
        leaves[key] = Setting(leaf.value, Origin(Layer.BASE, place))
    return leaves


def decided_fields(plan: RunPlan) -> Iterator[Field]:
    """The fields that change something of the base, in the order of the table."""
    for field in FIELDS:
        setting = plan.settings.get(field.path)
        if setting is not None and field.path not in _OF_THE_BUNDLE and _changes(field.path, setting):
            yield field


def _changes(path: str, setting: Setting) -> bool:
    follows = path == "hardware.placement" and setting.origin.layer is Layer.DERIVED
    return follows or setting.origin.layer in _DECIDING


def put_over(leaves: Leaves, lowered: Iterable[tuple[Key, Setting]]) -> Leaves:
    """The leaves with lowered fields over them; a placement replaces the whole section."""
    over = list(lowered)
    if any(key[: len(_PLACEMENT)] == _PLACEMENT for key, _ in over):
        placed = {key for key, _ in over}
        leaves = {key: leaf for key, leaf in leaves.items() if key[:2] != _PLACEMENT or key in placed}
    weights = leaves.get(WEIGHTS)
    for key, setting in over:
        fill_section(leaves, key)
        leaves[key] = _over(leaves.get(key), setting)
        if key == WEIGHTS and weights and ROLLOUT_WEIGHTS in leaves:
            leaves |= _with_rollout(leaves[ROLLOUT_WEIGHTS], weights, setting)
    return leaves


def _over(present: Setting | None, setting: Setting) -> Setting:
    below = tuple(decision for decision in setting.replaced if decision[1].layer is not Layer.BASE)
    return Setting(setting.value, setting.origin, (*(present.chain if present else ()), *below))


def _with_rollout(rollout: Setting, weights: Setting, setting: Setting) -> Leaves:
    """Where the rollout loads the same weights by the same words, it goes on doing so."""
    return {ROLLOUT_WEIGHTS: _over(rollout, setting)} if rollout.value == weights.value else {}
