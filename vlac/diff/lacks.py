"""What a patch alone does not give: the difference between a patched stock checkout and the bundle, in words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.diff.effects import place
from vlac.diff.judge import equal
from vlac.models.data_configs import DATA_CONFIGS
from vlac.patches.changes import ABSENT, CodeChange, ConfigChange
from vlac.rlinf.stock_configs import CONFIG_NAME, PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vlac.diff.target import Target
    from vlac.patches.changes import Change, Held, Key

_UNCOMPARED = frozenset({"hydra", "defaults"})


def patched_stock(changes: Sequence[Change], target: Target) -> dict[Key, Held]:
    """What the stock configuration composes to once it is patched."""
    reference = target.evaluation.reference if target.evaluation else None
    if reference and reference.after:
        return dict(reference.after.values)
    leaves: dict[Key, Held] = dict(target.stock.leaves)
    for change in changes:
        if isinstance(change, ConfigChange) and target.is_stock(change.file):
            leaves[change.key] = change.new
    return leaves


def lacks(changes: Sequence[Change], target: Target) -> Iterator[str]:
    """What the bundle gives and the patch does not, a sentence each."""
    patched = patched_stock(changes, target)
    yield from _other_model(patched, target)
    yield from _missing_imports(changes, target)
    yield from _placeholders(patched, target)


def only_in_bundle(changes: Sequence[Change], target: Target) -> dict[Key, Held]:
    """Configuration keys that the bundle sets to something else than a stock checkout, and the patch leaves alone."""
    touched = {change.key for change in changes if isinstance(change, ConfigChange)}
    return {
        key: value
        for key, value in target.config.items()
        if key not in touched and key[0] not in _UNCOMPARED and not equal(value, target.stock_value(key))
    }


def _other_model(patched: dict[Key, Held], target: Target) -> Iterator[str]:
    alone, wanted = patched.get(CONFIG_NAME, ABSENT), target.held(CONFIG_NAME)
    if alone == wanted:
        return
    trained, family = _family(alone), target.plan.family.name
    goal = family if wanted is ABSENT else f"{family} ({wanted})"
    where = "in this tree" if target.evaluation else "on a stock checkout"
    keeps = f"{_said_by(target)} has config_name {alone}"
    if trained == family:
        yield f"{where} the patch alone would train {trained} on another data config: {keeps}"
    else:
        yield f"{where} the patch alone would train {trained}: {keeps}, while this spec trains {goal}"


def _said_by(target: Target) -> str:
    """Where the patched config says which model it trains."""
    reference = target.evaluation.reference if target.evaluation else None
    return (place(reference.after, CONFIG_NAME) if reference else "") or target.stock.path


def _family(config_name: Held) -> str:
    known = DATA_CONFIGS.get(str(config_name))
    return known.family if known else str(config_name)


def _missing_imports(changes: Sequence[Change], target: Target) -> Iterator[str]:
    patched = {change.name.partition(".")[0] for change in changes if isinstance(change, CodeChange)}
    own = {file.path.partition(".")[0] for file in target.plan.worker_files}
    present = target.reads.imports | sys.stdlib_module_names | patched | own
    missing: dict[str, str] = {}
    for module, file in target.imports.items():
        missing.setdefault(module.partition(".")[0], file)
    for root, file in missing.items():
        if root not in present:
            owner = "this tree" if target.evaluation else "a stock checkout"
            yield f"nothing on {owner}'s SFT path imports {root}; the bundle's bootstrap/{file} does"


def _placeholders(patched: dict[Key, Held], target: Target) -> Iterator[str]:
    keys = [key for key, value in patched.items() if isinstance(value, str) and PLACEHOLDER in value]
    names = [".".join(key) for key in keys if target.held(key) is not ABSENT]
    if names:
        yield f"it leaves placeholders in {', '.join(names)}"
