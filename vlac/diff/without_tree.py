"""An RLinf config that a person edited, beside a bundle, by the data of the bundle's version alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diff.compute import judged
from vlac.diff.image import between
from vlac.diff.inputs import text_of
from vlac.diff.judge import equal
from vlac.diff.target import target_of
from vlac.patches.changes import ABSENT, ConfigChange
from vlac.patches.config_changes import config_changes
from vlac.rlinf.stock_configs import LIBERO_SFT_OPENPI
from vlac.rlinf.templates import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.diff.comparison import Comparison
    from vlac.patches.changes import Held, Key

_MODEL: Key = ("actor", "model")
_FSDP: Key = ("actor", "fsdp_config")
_KNOWN = {
    "model/pi0@actor.model": ("model/pi0", _MODEL),
    "model/pi0_5@actor.model": ("model/pi0_5", _MODEL),
    "training_backend/fsdp@actor.fsdp_config": ("model/pi0", _FSDP),
    "hybrid_engines/fsdp@actor.fsdp_config": ("model/pi0", _FSDP),
}
"""Entries of `defaults` that vlac's tables hold: the table, and the section that they fill."""


def compare_config(path: Path, bundle: Bundle) -> Comparison:
    """What a config sets, with the groups that vlac knows, beside a bundle.

    One that is called like RLinf's own is held against that, so that only what was edited counts. Raises PatchError
    where it cannot be read or is not YAML.
    """
    stock = LIBERO_SFT_OPENPI
    own = path.name == stock.path.rpartition("/")[2]
    written = {
        change.key: change
        for change in config_changes(str(path), between(str(path), None, text_of(path)).widened())
    }
    groups, unknown = _groups(written)
    composed = groups | {key: change.new for key, change in written.items() if key[0] not in _NOT_OF_THE_RUN}
    found = tuple(_changes(stock.path if own else str(path), composed, stock.leaves if own else {}, written))
    compared = judged(str(path), found, target_of(bundle))
    return replace(compared, undecided=tuple(f"{name}: {_UNKNOWN}" for name in unknown))


_NOT_OF_THE_RUN = ("defaults", "hydra")
_UNKNOWN = "vlac's data does not say which keys it brings in; a tree does (--rlinf PATH)"


def _groups(written: Mapping[Key, ConfigChange]) -> tuple[dict[Key, Held], list[str]]:
    """The leaves that the config's `defaults` bring in, and the entries that are not known."""
    leaves: dict[Key, Held] = {}
    unknown: list[str] = []
    for entry in _entries(written):
        if entry not in _KNOWN:
            unknown.append(entry)
            continue
        table, section = _KNOWN[entry]
        leaves |= {key: value for key, value in TEMPLATES[table].items() if key[: len(section)] == section}
    return leaves, unknown


def _entries(written: Mapping[Key, ConfigChange]) -> Iterator[str]:
    """The entries of `defaults` as they are written, Hydra's own and `_self_` left out."""
    for key, change in written.items():
        if key[0] != "defaults" or key[1].startswith(("override hydra", "hydra")) or not key[1]:
            continue
        group, at, package = key[1].partition("@")
        yield f"{group}/{change.new}{at}{package}"


def _changes(
    place: str,
    composed: Mapping[Key, Held],
    beside: Mapping[Key, Held],
    written: Mapping[Key, ConfigChange],
) -> Iterator[ConfigChange]:
    defaults = next((change.line for key, change in written.items() if key[0] == "defaults"), 1)
    for key in {**beside, **composed}:
        old, new = beside.get(key, ABSENT), composed.get(key, ABSENT)
        if not equal(old, new):
            line = written[key].line if key in written else defaults
            yield ConfigChange(place, key, old, new, line)
