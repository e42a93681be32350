"""Model families: what is true of a model whatever the hardware and the RLinf version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tune = Literal["full", "expert", "lora"]


@dataclass(frozen=True, slots=True)
class DataConfig:
    """An openpi data config that RLinf registers (`actor.model.openpi.config_name`).

    `action_horizon` is the length of the action sequence that the model is trained on, `action_chunk` the default of
    `num_action_chunks`, `action_dim` the size of one action, `images` the number of camera images.
    `options` are the fields of its data-config class that `data.options` may set, `main_options` those that only
    RLinf main reads.
    `versions` are the RLinf versions that know the name.
    """

    name: str
    family: str
    action_horizon: int
    action_chunk: int
    action_dim: int
    images: int
    options: tuple[str, ...]
    main_options: tuple[str, ...]
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A spec field that the family cannot honour: the reason, what to do instead, and the source of the fact."""

    field: str
    reason: str
    instead: str
    source: str


@dataclass(frozen=True, slots=True)
class Family:
    """One model family.

    `template` names the RLinf model template its configuration starts from, `model_type` RLinf's name of the builder.
    `parameters` is the number of parameters, `bytes_per_parameter` the mean over its dtypes, weights alone.
    `refused` fields are errors when written, `ignored` ones warnings.
    """

    name: str
    template: str
    model_type: str
    tunes: tuple[Tune, ...]
    needs_weights: bool
    needs_data: bool
    has_data_configs: bool
    action_horizon: int
    parameters: int
    bytes_per_parameter: float
    dtypes: tuple[str, ...] = ("auto",)
    reads_all_data_paths: bool = False
    seeded: bool = False
    evaluates: bool = False
    refused: tuple[Refusal, ...] = ()
    ignored: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()


# Stands in for a family that the spec names wrongly, so that the other problems of the file are found too.
UNKNOWN_FAMILY = Family(
    name="",
    template="",
    model_type="",
    tunes=("full", "expert", "lora"),
    needs_weights=False,
    needs_data=False,
    has_data_configs=False,
    action_horizon=1_000_000,
    parameters=0,
    bytes_per_parameter=0.0,
    dtypes=("auto", "fp32", "bf16", "fp16"),
    reads_all_data_paths=True,
    seeded=True,
    evaluates=True,
)
