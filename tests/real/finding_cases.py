"""One case for each kind of finding: a shipped config, what is changed in it, and what RLinf's own code does then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def nothing(_config: dict[str, Any]) -> None:
    """The config as RLinf ships it."""


def without(*path: str) -> Callable[[dict[str, Any]], None]:
    """The config without a key."""

    def change(config: dict[str, Any]) -> None:
        for name in path[:-1]:
            config = config[name]
        del config[path[-1]]

    return change


def with_value(value: object, *path: str) -> Callable[[dict[str, Any]], None]:
    """The config with a key set."""

    def change(config: dict[str, Any]) -> None:
        for name in path[:-1]:
            config = config.setdefault(name, {})
        config[path[-1]] = value

    return change


def with_old_name(config: dict[str, Any]) -> None:
    """The rollout epochs under the name that RLinf had for them before."""
    config["env"]["train"].pop("rollout_epoch", None)
    config["algorithm"]["rollout_epoch"] = 3


def with_addresses(config: dict[str, Any]) -> None:
    """The placeholders of a robot's addresses filled in, which RLinf looks at first."""
    for robot in config["cluster"]["node_groups"][1]["hardware"]["configs"]:
        robot |= {"left_robot_ip": "10.0.0.1", "right_robot_ip": "10.0.0.2"}


@dataclass(frozen=True)
class Case:
    """`code` is what vlac finds in the changed config, `confirm` the function of confirm_findings.py that runs RLinf on
    it, `outcome` what that has to print; `described` says the change in words. `is_shipped`: what is found is in the
    config as RLinf ships it, although something else is changed.
    """

    code: str
    version: str
    config: str
    described: str
    confirm: str
    outcome: str
    change: Callable[[dict[str, Any]], None] = nothing
    is_shipped: bool = False

    @property
    def id(self) -> str:
        """A name for the test."""
        return f"{self.code}-{self.version}-{self.config.rpartition('/')[2]}"


_SFT = "examples/sft/config/libero_sft_openpi"
_AGENT = "examples/agent/wideseek_r1/config"
_MATH = "examples/reasoning/config/math"
_EMBODIED = "examples/embodiment/config"
_NOT_IN_STRUCT = "ConfigAttributeError: Key '{}' is not in struct"

CASES = (
    Case(
        "check-key-missing",
        "v0.3",
        _SFT,
        "without actor.model.is_lora",
        "missing",
        _NOT_IN_STRUCT.format("is_lora"),
        without("actor", "model", "is_lora"),
    ),
    Case(
        "check-key-missing",
        "v0.3",
        f"{_EMBODIED}/realworld_eval_dual_franka",
        "as shipped",
        "missing_evaluation",
        _NOT_IN_STRUCT.format("model_type"),
    ),
    Case(
        "check-key-missing",
        "main",
        f"{_EMBODIED}/realworld_eval_dual_franka",
        "as shipped",
        "missing_evaluation",
        _NOT_IN_STRUCT.format("model_type"),
    ),
    Case(
        "check-key-missing",
        "v0.3",
        f"{_AGENT}/base_eval",
        "as shipped: a base of others",
        "missing_rollout",
        "ConfigAttributeError: Missing key model_path",
    ),
    Case(
        "check-key-missing",
        "main",
        f"{_AGENT}/base_eval",
        "as shipped: a base of others",
        "missing_rollout",
        "ConfigAttributeError: Missing key model_path",
    ),
    *(
        Case(
            "check-key-missing",
            "main",
            f"{_AGENT}/{name}",
            "as shipped",
            "missing_judge",
            _NOT_IN_STRUCT.format("trust_remote_code"),
        )
        for name in (
            "train_qwen3_hybrid_local_judge",
            "eval_qwen3_widesearch_local_judge",
            "eval_qwen3_qa_2eng",
        )
    ),
    *(
        Case(
            "check-key-missing",
            version,
            f"{_MATH}/qwen2.5-32b-grpo-megatron",
            "as shipped",
            "missing_group",
            _NOT_IN_STRUCT.format("group_name"),
        )
        for version in ("v0.3", "main")
    ),
    *(
        Case(
            "check-key-missing",
            version,
            f"{_MATH}/qwen2.5-1.5b-is-megatron",
            "as shipped",
            "missing_engine",
            _NOT_IN_STRUCT.format("precision"),
        )
        for version in ("v0.3", "main")
    ),
    *(
        Case(
            "check-interpolation",
            version,
            f"{_MATH}/qwen2.5-1.5b-is-megatron",
            "as shipped",
            "interpolation",
            "InterpolationKeyError: Interpolation key 'rollout.path' not found",
        )
        for version in ("v0.3", "main")
    ),
    *(
        Case(
            "check-assertion",
            version,
            f"{_MATH}/qwen2.5-1.5b-grpo-fsdp",
            "as shipped",
            "assertion_fsdp",
            "AssertionError: amp_autocast should not be enabled when fsdp mixed_precision is enabled",
        )
        for version in ("v0.3", "main")
    ),
    *(
        Case(
            "check-assertion",
            version,
            f"{_MATH}/qwen2.5-1.5b-grpo-fsdp-pipeline",
            "as shipped",
            "assertion_batch",
            "AssertionError: actor.global_batch_size (2048) must be divisible by (actor.micro_batch_size (1) *",
        )
        for version in ("v0.3", "main")
    ),
    Case(
        "check-key-maybe-missing",
        "v0.3",
        _SFT,
        "without actor.optim.lr",
        "missing_optimizer",
        _NOT_IN_STRUCT.format("lr"),
        without("actor", "optim", "lr"),
    ),
    Case(
        "check-key-dead",
        "v0.3",
        _SFT,
        "as shipped, with warmup_style: cosine",
        "dead",
        "1000 learning rates are the same without it",
    ),
    Case(
        "check-key-dead",
        "main",
        _SFT,
        "as shipped, with warmup_style: cosine",
        "dead",
        "1000 learning rates are the same without it",
    ),
    Case(
        "check-key-moved",
        "main",
        _SFT,
        "with actor.openpi_data, where 0.3 reads it",
        "moved",
        "actor.openpi_data is {'repo_id': '/data'}, and the loader gets data_kwargs=None",
        with_value("/data", "actor", "openpi_data", "repo_id"),
    ),
    Case(
        "check-key-moved",
        "v0.3",
        f"{_EMBODIED}/libero_10_ppo_openpi_pi05",
        "with algorithm.rollout_epoch: 3, the old name",
        "moved_taken_over",
        "algorithm.rollout_epoch is deprecated; use env.train.rollout_epoch instead. env.train.rollout_epoch is 3",
        with_old_name,
    ),
    Case(
        "check-word-unknown",
        "v0.3",
        _SFT,
        "with model_type: openpii",
        "word",
        "NotImplementedError: Model Type: openpii not supported",
        with_value("openpii", "actor", "model", "model_type"),
    ),
    Case(
        "check-interpolation",
        "v0.3",
        _SFT,
        "with seed: ${actor.sed}",
        "interpolation",
        "InterpolationKeyError: Interpolation key 'actor.sed' not found",
        with_value("${actor.sed}", "actor", "seed"),
    ),
    Case(
        "check-value-mandatory",
        "v0.3",
        _SFT,
        "with precision: ???",
        "mandatory",
        "MissingMandatoryValue: Missing mandatory value: actor.model.precision",
        with_value("???", "actor", "model", "precision"),
    ),
    Case(
        "check-placeholder",
        "v0.3",
        _SFT,
        "as shipped, with model_path: /path/to/pi0-model",
        "placeholder",
        "OSError: Can't load the configuration of '/path/to/pi0-model'",
    ),
    *(
        Case(
            "check-placement",
            version,
            f"{_AGENT}/{name}",
            "as shipped",
            "placement",
            "AssertionError: Component actor has multiple placements defined",
        )
        for version in ("v0.3", "main")
        for name in ("eval_qwen3_qa", "eval_qwen3_qa_2eng")
    ),
    Case(
        "check-placement",
        "v0.3",
        _SFT,
        "with ranks that do not rise: 0-3,2-5",
        "placement",
        "AssertionError: Duplicate resource ranks found in placement string",
        with_value({"actor,env,rollout": "0-3,2-5"}, "cluster", "component_placement"),
    ),
    Case(
        "check-assertion",
        "v0.3",
        _SFT,
        "with train_data_paths: null",
        "assertion",
        "AssertionError: the data.train_data_paths is None, so data.val_data_paths is required",
        with_value(None, "data", "train_data_paths"),
    ),
    Case(
        "check-assertion",
        "main",
        f"{_EMBODIED}/realworld_dual_franka_dagger_openpi",
        "as shipped, with addresses for LEFT_ROBOT_IP and RIGHT_ROBOT_IP",
        "assertion_cluster",
        "AssertionError: node_rank 0 in hardware config must be within node_ranks [1, 2]",
        with_addresses,
        is_shipped=True,
    ),
)

UNCOMPOSED = ("main", "examples/embodiment/config/libero_spatial_dagger_openpi_lerobot")
"""The shipped config that Hydra does not compose; it has no composition to run anything on."""


def by_config(cases: tuple[Case, ...] = CASES) -> Mapping[tuple[str, str, str], Case]:
    """The cases of configs as they are shipped, by code, version and config."""
    shipped = (case for case in cases if case.is_shipped or case.change is nothing)
    return {(case.code, case.version, case.config): case for case in shipped}
