"""Lift the leaves of an RLinf configuration into the spec fields that say the same: the inverse of `lower.py`.

Only what a field can hold is lifted. A null, an interpolation, a value of another type or out of range, keys of one
field that contradict each other: the field is absent, and the leaf speaks for itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vlac.models.families import FAMILIES
from vlac.models.mixes import MIX_CONFIG_KEYS
from vlac.rlinf.fit import fit
from vlac.spec.fields import BY_PATH, FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key
    from vlac.rlinf.versions import Version

    Configuration: TypeAlias = Mapping[Key, Value]

_OPTIM: Key = ("actor", "optim")
_FSDP: Key = ("actor", "fsdp_config")
_MODEL: Key = ("actor", "model")
_PLACEMENT: Key = ("cluster", "component_placement")
_RANKS = re.compile(r"(?:0:)?0(?:-(0|[1-9][0-9]*))?")


def lift(leaves: Configuration, version: Version, *, ranks_per_card: int = 1) -> dict[str, Value]:
    """The spec fields, by dotted path in the order of the table, that the configuration of a version expresses.

    `leaves` maps paths of mapping keys to values, as composed: interpolations are text. `hardware.cards` is what its
    ranks take at `ranks_per_card`. Lowering a field again gives its keys the values that they had, save that a whole
    number becomes a float where the field is one.
    """
    lifted: dict[str, Value] = {}
    for field in FIELDS:
        if field.later:
            continue
        special = _SPECIAL.get(field.path)
        value = special(leaves, version) if special else _copied(field.path, leaves)
        if value is not None:
            lifted[field.path] = value
    return _in_cards(lifted, ranks_per_card)


def _copied(path: str, leaves: Configuration) -> Value:
    """The value of a field whose keys take it as it is."""
    field = BY_PATH[path]
    if not field.keys:
        return None
    values = [leaves.get(tuple(name.split("."))) for name in field.keys]
    return fit(field, values[0]) if all(_is_same(values[0], other) for other in values) else None


def _is_same(one: Value, other: Value) -> bool:
    return type(one) is type(other) and one == other


def _family(leaves: Configuration, version: Version) -> Value:
    model_type = leaves.get((*_MODEL, "model_type"))
    config = version.data_configs.get(str(leaves.get((*_MODEL, "openpi", "config_name"))))
    families = [family for family in FAMILIES.values() if family.model_type == model_type]
    if any(family.has_data_configs for family in families):
        return config.family if config else None
    return families[0].name if families else None


def _tune(leaves: Configuration, _version: Version) -> Value:
    adapter = leaves.get((*_MODEL, "is_lora"))
    expert = leaves.get((*_MODEL, "openpi", "train_expert_only"))
    if leaves.get((*_MODEL, "model_type")) != "openpi":
        expert = False
    if not isinstance(adapter, bool) or not isinstance(expert, bool) or (adapter and expert):
        return None
    return "lora" if adapter else "expert" if expert else "full"


def _adapter_rank(leaves: Configuration, _version: Version) -> Value:
    """RLinf's files hold a rank whether or not it is used; the field is for adapters alone."""
    return _copied("model.lora.rank", leaves) if leaves.get((*_MODEL, "is_lora")) is True else None


def _dtype(leaves: Configuration, _version: Version) -> Value:
    key = (*_MODEL, "precision")
    if key in leaves and leaves[key] is None:
        return "auto"
    return None if leaves.get(key) == "auto" else fit(BY_PATH["model.dtype"], leaves.get(key))


def _data_options(leaves: Configuration, version: Version) -> Value:
    """The options, where every section that the version reads holds the same ones."""
    if not version.data_option_sections:
        return None
    first, *others = (_below(leaves, section) for section in version.data_option_sections)
    if any(_typed(section) != _typed(first) for section in others):
        return None
    return fit(BY_PATH["data.options"], _nested(first))


def _below(leaves: Configuration, above: Key) -> dict[Key, Value]:
    size = len(above)
    return {key[size:]: value for key, value in leaves.items() if key[:size] == above and len(key) > size}


def _typed(section: Configuration) -> dict[Key, str]:
    return {key: repr(value) for key, value in section.items()}


def _nested(section: Configuration) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for (*above, last), value in section.items():
        inner = found
        for name in above:
            inner = inner.setdefault(name, {})  # type: ignore[assignment]  # sections hold mappings only
        inner[last] = value
    return found


def _cards(leaves: Configuration, _version: Version) -> Value:
    """Ranks a node, where all components share ranks that begin at 0."""
    ranks = {str(value) for key, value in leaves.items() if key[:2] == _PLACEMENT}
    match = _RANKS.fullmatch(ranks.pop()) if len(ranks) == 1 else None
    nodes = fit(BY_PATH["hardware.nodes"], leaves.get(("cluster", "num_nodes")))
    if match is None or not isinstance(nodes, int):
        return None
    count = int(match[1] or 0) + 1
    return None if count % nodes else count // nodes


def _placed(leaves: Configuration, _version: Version) -> Value:
    """Every component with its ranks; none where one is on a group of nodes, or its ranks are a number."""
    components = _below(leaves, _PLACEMENT)
    if any(len(key) > 1 for key in components):
        return None
    return fit(BY_PATH["hardware.placement"], {name: ranks for (name,), ranks in components.items()})


def _mix(leaves: Configuration, _version: Version) -> Value:
    """A list of data sets with weights, in the words of the spec."""
    sets = leaves.get(("data", "train_data_paths"))
    words = {"dataset_path": "path", "weight": "weight"}
    if tag := MIX_CONFIG_KEYS.get(str(leaves.get((*_MODEL, "model_type")))):
        words[tag] = "config"
    if not isinstance(sets, (list, tuple)):
        return None
    known = [one for one in sets if isinstance(one, Mapping) and one.keys() <= words.keys()]
    mix = [{words[name]: value for name, value in one.items()} for one in known]
    return fit(BY_PATH["data.mix"], mix) if len(known) == len(sets) else None


def _in_cards(lifted: dict[str, Value], ranks_per_card: int) -> dict[str, Value]:
    ranks = lifted.get("hardware.cards")
    if not isinstance(ranks, int) or ranks_per_card == 1:
        return lifted
    if ranks % ranks_per_card:
        return {path: value for path, value in lifted.items() if path != "hardware.cards"}
    return lifted | {"hardware.cards": ranks // ranks_per_card}


def _schedule(leaves: Configuration, version: Version) -> Value:
    kind = leaves.get((*_OPTIM, "lr_scheduler"))
    return kind if kind in version.schedules else None


def _warmup_ratio(leaves: Configuration, _version: Version) -> Value:
    """RLinf reads the ratio where the number of steps is negative (`build_lr_scheduler`)."""
    key = (*_OPTIM, "lr_warmup_steps_ratio")
    field = BY_PATH["train.warmup_ratio"]
    return fit(field, leaves.get(key)) if leaves.get((*_OPTIM, "lr_warmup_steps")) == -1 else None


def _betas(leaves: Configuration, _version: Version) -> Value:
    pair = [leaves.get((*_OPTIM, f"adam_beta{number}")) for number in (1, 2)]
    return fit(BY_PATH["train.betas"], pair)


def _fsdp_version(leaves: Configuration, _version: Version) -> Value:
    strategy = leaves.get((*_FSDP, "strategy"))
    return {"fsdp": 1, "fsdp2": 2}.get(strategy) if isinstance(strategy, str) else None


def _sharding(leaves: Configuration, version: Version) -> Value:
    fsdp = _fsdp_version(leaves, version)
    if fsdp == 1:
        return fit(BY_PATH["fsdp.sharding"], leaves.get((*_FSDP, "sharding_strategy")))
    resharded = leaves.get((*_FSDP, "reshard_after_forward"))
    if fsdp is None or not isinstance(resharded, bool):
        return None
    return "full_shard" if resharded else "shard_grad_op"


def _cpu_offload(leaves: Configuration, _version: Version) -> Value:
    """RLinf's SFT configs leave `enable_offload` out, which means the same as false."""
    parameters, worker = leaves.get((*_FSDP, "cpu_offload")), leaves.get(("actor", "enable_offload"), False)
    return parameters if isinstance(parameters, bool) and parameters is worker else None


def _checkpoints(leaves: Configuration, _version: Version) -> Value:
    every = leaves.get(("runner", "save_interval"))
    if type(every) is int and every == -1:
        return "never"
    return fit(BY_PATH["checkpoints.every"], every)


_SPECIAL: dict[str, Callable[[Configuration, Version], Value]] = {
    "model.family": _family,
    "model.tune": _tune,
    "model.lora.rank": _adapter_rank,
    "model.dtype": _dtype,
    "data.options": _data_options,
    "data.mix": _mix,
    "hardware.cards": _cards,
    "hardware.placement": _placed,
    "train.schedule": _schedule,
    "train.warmup_ratio": _warmup_ratio,
    "train.betas": _betas,
    "fsdp.version": _fsdp_version,
    "fsdp.sharding": _sharding,
    "fsdp.cpu_offload": _cpu_offload,
    "checkpoints.every": _checkpoints,
}
