"""What each openpi data config needs of a data set, and where its normalisation statistics lie, as data.

Source: `rlinf/models/embodiment/openpi/dataconfig/*.py` and `policies/*.py` of RLinf v0.3, a4b6abe20 and
main@a3816b596: the repack transform names the features, the policy's inputs join and pad them, `extra_delta_transform`
makes actions relative to the state. Sizes are those that the code asserts or indexes. openpi 15a9616:
`transforms.py` (RepackTransform wants every key; DeltaActions, PadStatesAndActions), `models/pi0_config.py` (32 action
dimensions), `training/config.py` (`batch_size` 32 unless the config says otherwise).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL_ACTION_DIM = 32
"""Entries of state and action that pi0 and pi0.5 take: openpi 15a9616, models/pi0_config.py, `action_dim`."""

Prompt = Literal["tasks", "default", "option"]


@dataclass(frozen=True, slots=True)
class DataNeeds:
    """What a data config reads of a LeRobot data set.

    `images`, `state` and `actions` are features; those of state and of actions are joined in this order.
    `state_size` and `action_size` are sizes that the code asserts, None where any will do. `padded_state` and
    `padded_actions` tell that the config itself pads them to `MODEL_ACTION_DIM`, before statistics are taken;
    `cut_state` that it takes no more than so many entries of a state. `as_pi_aloha` tells that joints and grippers of
    an Aloha are turned into pi's own space first.

    `delta` marks the entries of an action from which the state is subtracted, as openpi's `make_bool_mask` counts
    them: (6, -1) is six that are and one that is not; `delta_when` is the value of `extra_delta_transform` that
    switches it on. `prompt` says where the instruction comes from: the data set's tasks, a default of the class, or an
    option that has to be given. `no_statistics` says why vlac does not compute the statistics, `broken` why RLinf
    cannot build the config at all.
    """

    images: tuple[str, ...]
    state: tuple[str, ...] = ("state",)
    actions: tuple[str, ...] = ("actions",)
    state_size: int | None = None
    action_size: int | None = None
    padded_state: bool = False
    padded_actions: bool = False
    cut_state: bool = False
    as_pi_aloha: bool = False
    delta: tuple[int, ...] = ()
    delta_when: bool = True
    prompt: Prompt = "tasks"
    no_statistics: str = ""
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Assets:
    """A registered config: its class, the repo id that names its statistics, and what it says of its class's options.

    `asset_id` is written in the config beside the repo id; the model builder reads there, the loader does not.
    `batch_size` is that of openpi's TrainConfig, with which RLinf's script computes statistics.
    """

    kind: str
    repo_id: str
    asset_id: str | None = None
    batch_size: int = 32
    delta: bool = False
    options: tuple[tuple[str, object], ...] = ()


_POLICY = "its policy rearranges states and actions in code of its own"

KINDS: dict[str, DataNeeds] = {
    "CustomDataConfig": DataNeeds(
        images=("image",),
        padded_state=True,
        padded_actions=True,
        delta=(9, -1),
        delta_when=False,
        broken="CustomDataConfig hands action_train_with_rotation_6d to FrankaEEInputs, which does not take it",
    ),
    "DualFrankaTcpRot6dDataConfig": DataNeeds(
        images=("image", "extra_view_image-0", "extra_view_image-1"),
        no_statistics="its actions become relative by rigid-body transforms",
    ),
    "LeRobotAlohaDataConfig": DataNeeds(
        images=(
            "observation.images.cam_high",
            "observation.images.cam_left_wrist",
            "observation.images.cam_right_wrist",
        ),
        state=("observation.state",),
        actions=("action",),
        state_size=14,
        action_size=14,
        delta=(6, -1, 6, -1),
    ),
    "LeRobotBehaviorDataConfig": DataNeeds(images=("image", "wrist_image"), delta=(6, -1), cut_state=True),
    "LeRobotCalvinDataConfig": DataNeeds(
        images=("video.image_base", "video.image_wrist"),
        state=("state.ee_pos", "state.ee_rot", "state.gripper"),
        actions=("action.delta_ee_pos", "action.delta_ee_rot", "action.gripper"),
        delta=(6, -1),
    ),
    "LeRobotFrankaEEDataConfig": DataNeeds(
        images=("image",), padded_state=True, padded_actions=True, delta=(9, -1)
    ),
    "LeRobotGSEnvDataConfig": DataNeeds(images=("observation.image",), state=("observation.state",)),
    "LeRobotIsaacLabStackCubeDataConfig": DataNeeds(
        images=("observation.images.front", "observation.images.wrist"),
        state=("observation.state",),
        actions=("action",),
        prompt="default",
    ),
    "LeRobotLiberoDataConfig": DataNeeds(images=("image", "wrist_image"), delta=(6, -1)),
    "LeRobotManiSkillDataConfig": DataNeeds(
        images=("observation.images.top",), state=("observation.state",), delta=(6, -1)
    ),
    "LeRobotMetaworldDataConfig": DataNeeds(
        images=("observation.image",), state=("observation.state",), actions=("action",), delta=(6, -1)
    ),
    "LeRobotPolarisDroidDataConfig": DataNeeds(
        images=(),
        state=(),
        actions=(),
        no_statistics="it renames no features, so that no LeRobot data set has the keys that its policy asks for",
    ),
    "LeRobotRLTManiSkillJointDataConfig": DataNeeds(
        images=("image", "wrist_image"), delta=(7, -1), prompt="option"
    ),
    "LeRobotRealworldDataConfig": DataNeeds(
        images=("image", "extra_view_image"),
        state_size=19,
        action_size=7,
        padded_state=True,
        padded_actions=True,
    ),
    "LeRobotRobocasaDataConfig": DataNeeds(
        images=("image_left", "image_right", "wrist_image"), no_statistics=_POLICY
    ),
}

_LIBERO = "physical-intelligence/libero"
_CALVIN = "InternRobotics/InternData-Calvin_ABC"
_METAWORLD = "lerobot/metaworld_mt50"
_ROBOTWIN = "physical-intelligence/robotwin"
_BEHAVIOR = "physical-intelligence/behavior"
_DROID = "physical-intelligence/droid"

ASSETS: dict[str, Assets] = {
    "pi0_aloha_robotwin": Assets(
        "LeRobotAlohaDataConfig", _ROBOTWIN, delta=True, options=(("adapt_to_pi", False),)
    ),
    "pi0_behavior": Assets("LeRobotBehaviorDataConfig", _BEHAVIOR, delta=True),
    "pi0_calvin": Assets("LeRobotCalvinDataConfig", _CALVIN),
    "pi0_custom": Assets("CustomDataConfig", "physical-intelligence/custom_dataset"),
    "pi0_droid_polaris": Assets("LeRobotPolarisDroidDataConfig", _DROID, "assets/droid"),
    "pi0_libero": Assets("LeRobotLiberoDataConfig", _LIBERO, delta=True),
    "pi0_libero_horizon10": Assets("LeRobotLiberoDataConfig", _LIBERO, delta=True),
    "pi0_maniskill": Assets("LeRobotManiSkillDataConfig", "physical-intelligence/maniskill"),
    "pi0_metaworld": Assets("LeRobotMetaworldDataConfig", _METAWORLD),
    "pi0_realworld": Assets("LeRobotRealworldDataConfig", "realworld_franka_bin_relocation"),
    "pi0_robocasa365_pretrain_human300": Assets(
        "LeRobotRobocasaDataConfig", "physical-intelligence/robocasa"
    ),
    "pi0_robocasa_human": Assets(
        "LeRobotRobocasaDataConfig",
        "daixianjie/robocasa_human_lerobot",
        "physical-intelligence/robocasa_all_human",
    ),
    "pi05_aloha_robotwin": Assets(
        "LeRobotAlohaDataConfig", _ROBOTWIN, delta=True, options=(("adapt_to_pi", True),)
    ),
    "pi05_behavior": Assets(
        "LeRobotBehaviorDataConfig",
        _BEHAVIOR,
        options=(("extract_state_from_proprio", True), ("use_quantile_norm", True)),
    ),
    "pi05_calvin": Assets("LeRobotCalvinDataConfig", _CALVIN),
    "pi05_droid_polaris": Assets("LeRobotPolarisDroidDataConfig", _DROID, "assets/droid"),
    "pi05_dualfranka_tcp_rot6d": Assets("DualFrankaTcpRot6dDataConfig", "", delta=True),
    "pi05_franka": Assets("LeRobotFrankaEEDataConfig", "physical-intelligence/real_rl", batch_size=16),
    "pi05_franka_pnp": Assets("LeRobotRealworldDataConfig", "RLinf/pick_red"),
    "pi05_franka_state": Assets(
        "LeRobotFrankaEEDataConfig",
        "physical-intelligence/real_rl",
        batch_size=16,
        options=(("pad_state", False),),
    ),
    "pi05_gsenv": Assets("LeRobotGSEnvDataConfig", "RLinf/GSEnv-PutCubeOnPlate-v0"),
    "pi05_isaaclab_stack_cube": Assets(
        "LeRobotIsaacLabStackCubeDataConfig", "RLinf/IsaacLab-Stack-Cube-Data"
    ),
    "pi05_libero": Assets("LeRobotLiberoDataConfig", _LIBERO, batch_size=256),
    "pi05_maniskill": Assets("LeRobotManiSkillDataConfig", "physical-intelligence/maniskill", batch_size=256),
    "pi05_maniskill_sim_real_co_training": Assets(
        "LeRobotFrankaEEDataConfig", "physical-intelligence/pick_and_place_real", batch_size=16
    ),
    "pi05_metaworld": Assets("LeRobotMetaworldDataConfig", _METAWORLD),
    "pi05_rlt_maniskill_joint": Assets(
        "LeRobotRLTManiSkillJointDataConfig", "physical-intelligence/maniskill", batch_size=256
    ),
    "pi05_robocasa365_pretrain_human300": Assets(
        "LeRobotRobocasaDataConfig", "physical-intelligence/robocasa"
    ),
}

_IMAGE_OPTIONS = ("image_key", "wrist_image_key")
_PROMPT_OPTIONS = ("prompt_key", "task_key", "default_prompt")


def data_needs(name: str, options: Mapping[str, object]) -> DataNeeds | None:
    """What the config `name` with these `data.options` needs, `delta` left empty where it is switched off.

    None for a config that the table does not have.
    """
    assets = ASSETS.get(name)
    if assets is None:
        return None
    given = {"extra_delta_transform": assets.delta, **dict(assets.options), **options}
    needs = KINDS[assets.kind]
    if given["extra_delta_transform"] is not needs.delta_when:
        needs = replace(needs, delta=())
    if given.get("pad_state") is False:
        needs = replace(needs, padded_state=False)
    if needs.prompt == "option" and any(given.get(option) for option in _PROMPT_OPTIONS):
        needs = replace(needs, prompt="default")
    return _with_keys(_with_reasons(needs, given), given)


def _with_reasons(needs: DataNeeds, given: Mapping[str, object]) -> DataNeeds:
    if given.get("adapt_to_pi") is True:
        return replace(needs, as_pi_aloha=True)
    if given.get("extract_state_from_proprio") is True:
        return replace(needs, no_statistics="extract_state_from_proprio picks entries of the state in code")
    return needs


def _with_keys(needs: DataNeeds, given: Mapping[str, object]) -> DataNeeds:
    """The features under the names that LeRobotRLTManiSkillJointDataConfig lets its user choose."""
    first = [
        str(given.get(option) or image) for option, image in zip(_IMAGE_OPTIONS, needs.images, strict=False)
    ]
    extra = [str(given["extra_view_image_key"])] if given.get("extra_view_image_key") else []
    state = (str(given["state_key"]),) if given.get("state_key") else needs.state
    actions = (str(given["action_key"]),) if given.get("action_key") else needs.actions
    return replace(needs, images=(*first, *needs.images[2:], *extra), state=state, actions=actions)


def uses_quantiles(name: str, family: str, options: Mapping[str, object]) -> bool:
    """Whether training scales by the 1st and 99th percentile instead of mean and standard deviation.

    Source: openpi 15a9616, `DataConfigFactory.create_base_config`: all but pi0; RLinf's LeRobotBehaviorDataConfig
    decides by its option `use_quantile_norm`.
    """
    assets = ASSETS.get(name)
    if assets is not None and assets.kind == "LeRobotBehaviorDataConfig":
        return bool({**dict(assets.options), **options}.get("use_quantile_norm", False))
    return family != "pi0"
