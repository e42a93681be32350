"""Lower a plan into the leaves of an RLinf configuration, each with the chain of its origins.

A leaf starts as what RLinf composes (`templates.py`, or the plan's base), then takes the plan's value. Keys that
RLinf's composition does not have are written only where somebody decided on them; the two of `_ALWAYS` are written in
any case, unless there is a base, which only the user, the adapter and what follows from them change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vlac.models.mixes import MIX_CONFIG_KEYS
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.adapt import adapted
from vlac.rlinf.leaves import fill_section
from vlac.rlinf.over_base import composed, decided_fields, put_over
from vlac.rlinf.placements import span
from vlac.rlinf.templates import PLACEMENT, TEMPLATES
from vlac.spec.fields import BY_PATH, FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Value
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.templates import Key
    from vlac.spec.fields import Field

_OPTIM: Key = ("actor", "optim")
_FSDP: Key = ("actor", "fsdp_config")
_MODEL: Key = ("actor", "model")
_ALWAYS = frozenset({(*_OPTIM, "lr_scheduler"), (*_OPTIM, "total_training_steps")})
_DECIDED = {
    (*_MODEL, "openpi", "detach_critic_input"): (
        "SFT trains no critic; RLinf's pi0 SFT and a published run of pi0.5 on one card say True"
    ),
    (*_MODEL, "is_lora"): "RLinf reads it strictly in two places, so it is always written",
    (*_MODEL, "lora_rank"): "read strictly as soon as is_lora is True, so it is always written",
}


def can_lower(plan: RunPlan) -> bool:
    """Whether the plan is complete enough to be lowered; a plan with errors may be, which finds more of them."""
    if plan.loaded.last("base"):
        return plan.base is not None
    return plan.family.template in TEMPLATES and "world_size" in plan.derived


def lower(plan: RunPlan) -> Leaves:
    """The configuration of a plan without its overrides, in the order of RLinf's own files."""
    if plan.base is not None:
        return put_over(composed(plan.base), _decided(plan))
    leaves = _template(plan)
    for key, setting in (*_of_data_config(plan), *_of_fields(plan, FIELDS), *_of_rules(plan)):
        _put(leaves, key, setting)
    return leaves


def field_of(key: Key) -> str | None:
    """The spec field that an RLinf key, or a section above it, belongs to; None for a key that no field sets."""
    return next((_FIELD_OF[key[:size]] for size in range(len(key), 0, -1) if key[:size] in _FIELD_OF), None)


def keys_of(path: str) -> tuple[Key, ...]:
    """The RLinf keys, or the sections, that a spec field may set."""
    return _SPECIAL_KEYS.get(path) or tuple(_key(name) for name in BY_PATH[path].keys)


def _template(plan: RunPlan) -> Leaves:
    name = plan.family.template
    rlinf = Origin(Layer.RLINF, f"RLinf {plan.version.name}, libero_sft_openpi with {name}")
    if plan.family.name == "demo":
        rlinf = Origin(Layer.RLINF, f"RLinf {plan.version.name}, libero_sft_openpi with the demo model")
    leaves = {key: Setting(value, rlinf) for key, value in plan.version.template(name).items()}
    for key, reason in _DECIDED.items():
        if key in leaves:
            leaves[key] = leaves[key].over(leaves[key].value, Origin(Layer.RECIPE, reason))
    return leaves


def _put(leaves: Leaves, key: Key, setting: Setting) -> None:
    present = leaves.get(key)
    if present is not None:
        leaves[key] = Setting(setting.value, setting.origin, (*present.chain, *setting.replaced))
    elif setting.origin.layer is not Layer.DEFAULT or key in _ALWAYS:
        fill_section(leaves, key)  # it may have been empty in a tree's own template
        leaves[key] = setting


def _of_data_config(plan: RunPlan) -> Iterator[tuple[Key, Setting]]:
    config = plan.data_config
    if config is None:
        return
    origin = Origin(Layer.FAMILY, f"data config {config.name}")
    yield (*_MODEL, "action_dim"), Setting(config.action_dim, origin)
    yield (*_MODEL, "openpi", "num_images_in_input"), Setting(config.images, origin)


def _decided(plan: RunPlan) -> Iterator[tuple[Key, Setting]]:
    """What changes a base."""
    yield from adapted(plan)
    fields = list(decided_fields(plan))
    yield from _of_fields(plan, fields)
    if {"model.tune", "fsdp.version"} & {field.path for field in fields}:
        yield from _of_tuning(plan)


def _of_fields(plan: RunPlan, fields: Iterable[Field]) -> Iterator[tuple[Key, Setting]]:
    for field in fields:
        setting = plan.settings.get(field.path)
        if setting is None:
            continue
        special = _SPECIAL.get(field.path)
        if special is not None:
            yield from special(plan, setting)
        else:
            yield from ((_key(name), setting) for name in field.keys)


def _of_rules(plan: RunPlan) -> Iterator[tuple[Key, Setting]]:
    for path, name in (("train.steps", "max_steps"), ("train.epochs", "max_epochs")):
        if path not in plan.settings:
            yield ("runner", name), Setting(-1, Origin(Layer.DERIVED, f"no {path}: no such limit"))
    placed = f"one rank for each: {plan.derived['world_size'].origin.reason}"
    yield PLACEMENT, Setting(_ranks(plan), Origin(Layer.DERIVED, placed))
    yield from _of_tuning(plan)


def _of_tuning(plan: RunPlan) -> Iterator[tuple[Key, Setting]]:
    if plan.get("model.tune") != "full" and plan.get("fsdp.version") == 1:
        reason = "FSDP version 1 flattens frozen and trained parameters together only with use_orig_params"
        yield (*_FSDP, "use_orig_params"), Setting(True, Origin(Layer.DERIVED, reason))


def _ranks(plan: RunPlan) -> str:
    return span(plan.integer("world_size"), processes=plan.adapter.placement == "processes")


def _key(dotted: str) -> Key:
    return tuple(dotted.split("."))


def _mapped(setting: Setting, convert: Callable[[Value], Value]) -> Setting:
    """The same chain of decisions with every value in RLinf's words."""
    replaced = tuple((convert(value), origin) for value, origin in setting.replaced)
    return Setting(convert(setting.value), setting.origin, replaced)


def _one(
    key: Key, convert: Callable[[Value], Value]
) -> Callable[[RunPlan, Setting], Iterator[tuple[Key, Setting]]]:
    def lowering(_plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
        yield key, _mapped(setting, convert)

    return lowering


def _tune(plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    if plan.family.model_type == "openpi":
        yield (*_MODEL, "openpi", "train_expert_only"), _mapped(setting, lambda value: value == "expert")
    yield (*_MODEL, "is_lora"), _mapped(setting, lambda value: value == "lora")


def _betas(_plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    def item(index: int) -> Callable[[Value], Value]:
        return lambda value: value[index] if isinstance(value, (list, tuple)) else value

    yield (*_OPTIM, "adam_beta1"), _mapped(setting, item(0))
    yield (*_OPTIM, "adam_beta2"), _mapped(setting, item(1))


def _warmup_ratio(_plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    yield (*_OPTIM, "lr_warmup_steps"), _mapped(setting, lambda _value: -1)
    yield (*_OPTIM, "lr_warmup_steps_ratio"), setting


def _sharding(plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    if plan.get("fsdp.version") == 1:
        yield (*_FSDP, "sharding_strategy"), setting
    else:
        yield (*_FSDP, "reshard_after_forward"), _mapped(setting, lambda value: value == "full_shard")


def _cpu_offload(_plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    yield (*_FSDP, "cpu_offload"), setting
    yield ("actor", "enable_offload"), setting


def _data_options(plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    if not isinstance(setting.value, Mapping):
        return
    for section in plan.version.data_option_sections:
        for name, value in setting.value.items():
            yield (*section, name), Setting(value, setting.origin)


def _placement(_plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    if isinstance(setting.value, Mapping):
        for components, ranks in setting.value.items():
            yield (*PLACEMENT[:-1], components), Setting(ranks, setting.origin)


def _mix(plan: RunPlan, setting: Setting) -> Iterator[tuple[Key, Setting]]:
    tag = MIX_CONFIG_KEYS.get(plan.family.model_type, "")

    def rlinf_words(sets: Value) -> Value:
        words = {"path": "dataset_path", "weight": "weight", "config": tag}
        assert isinstance(sets, (list, tuple))
        return [{words[name]: value for name, value in one.items()} for one in sets]

    yield ("data", "train_data_paths"), _mapped(setting, rlinf_words)


def _nothing(_plan: RunPlan, _setting: Setting) -> Iterator[tuple[Key, Setting]]:
    yield from ()


_SPECIAL: dict[str, Callable[[RunPlan, Setting], Iterator[tuple[Key, Setting]]]] = {
    "model.family": _nothing,
    "model.tune": _tune,
    "model.dtype": _one((*_MODEL, "precision"), lambda value: None if value == "auto" else value),
    "data.options": _data_options,
    "hardware.cards": _nothing,
    "hardware.placement": _placement,
    "data.mix": _mix,
    "train.betas": _betas,
    "train.warmup_ratio": _warmup_ratio,
    "fsdp.version": _one((*_FSDP, "strategy"), lambda value: "fsdp2" if value == 2 else "fsdp"),
    "fsdp.sharding": _sharding,
    "fsdp.cpu_offload": _cpu_offload,
    "checkpoints.every": _one(("runner", "save_interval"), lambda value: -1 if value == "never" else value),
}

# The keys that each of them may set, to find the field of a key without a plan.
_SPECIAL_KEYS: dict[str, tuple[Key, ...]] = {
    "model.family": ((*_MODEL, "model_type"),),
    "model.tune": ((*_MODEL, "openpi", "train_expert_only"), (*_MODEL, "is_lora")),
    "model.dtype": ((*_MODEL, "precision"),),
    "data.options": ((*_MODEL, "openpi_data"), ("actor", "openpi_data")),
    "hardware.cards": (PLACEMENT[:-1],),
    "data.mix": (),
    "train.betas": ((*_OPTIM, "adam_beta1"), (*_OPTIM, "adam_beta2")),
    "train.warmup_ratio": ((*_OPTIM, "lr_warmup_steps_ratio"),),
    "fsdp.version": ((*_FSDP, "strategy"),),
    "fsdp.sharding": ((*_FSDP, "sharding_strategy"), (*_FSDP, "reshard_after_forward")),
    "fsdp.cpu_offload": ((*_FSDP, "cpu_offload"), ("actor", "enable_offload")),
    "checkpoints.every": (("runner", "save_interval"),),
}


def _fields_by_key() -> dict[Key, str]:
    table = {_key(name): field.path for field in FIELDS for name in field.keys}
    return table | {key: path for path, keys in _SPECIAL_KEYS.items() for key in keys}


_FIELD_OF = _fields_by_key()
