"""The openpi data configs that RLinf registers, as data.

Source: `rlinf/models/embodiment/openpi/dataconfig/*.py` of RLinf v0.3, a4b6abe20 and main@a3816b596: name, `pi05=`,
`action_horizon=` (50 where absent: openpi 15a9616, `Pi0Config`), the data-config class and its fields. `action_chunk`,
`action_dim` and `images` are what RLinf's shipped SFT config of that name uses, else its RL config, else the
template's (10, at most the horizon; 7; 2).
"""

from __future__ import annotations

from vlac.models import DataConfig

_BASE_OPTIONS = ("repo_id", "assets", "base_config")

_CLASS_OPTIONS: dict[str, tuple[str, ...]] = {
    "CustomDataConfig": ("default_prompt", "extra_delta_transform", "action_train_with_rotation_6d"),
    "DualFrankaTcpRot6dDataConfig": ("default_prompt", "extra_delta_transform"),
    "LeRobotAlohaDataConfig": ("default_prompt", "extra_delta_transform", "adapt_to_pi"),
    "LeRobotBehaviorDataConfig": (
        "extra_delta_transform",
        "extract_state_from_proprio",
        "use_all_wrist_images",
        "use_quantile_norm",
    ),
    "LeRobotCalvinDataConfig": ("extra_delta_transform",),
    "LeRobotFrankaEEDataConfig": ("default_prompt", "extra_delta_transform", "output_action_dim"),
    "LeRobotGSEnvDataConfig": ("extra_delta_transform",),
    "LeRobotIsaacLabStackCubeDataConfig": ("default_prompt",),
    "LeRobotLiberoDataConfig": ("extra_delta_transform",),
    "LeRobotManiSkillDataConfig": ("extra_delta_transform",),
    "LeRobotMetaworldDataConfig": ("extra_delta_transform",),
    "LeRobotPolarisDroidDataConfig": ("action_dim",),
    "LeRobotRLTManiSkillJointDataConfig": (
        "extra_delta_transform",
        "image_key",
        "wrist_image_key",
        "extra_view_image_key",
        "state_key",
        "action_key",
        "task_key",
        "prompt_key",
        "default_prompt",
        "output_action_dim",
    ),
    "LeRobotRealworldDataConfig": ("default_prompt", "extra_delta_transform"),
    "LeRobotRobocasaDataConfig": ("action_space", "state_space", "image_space", "extra_delta_transform"),
}

# Options that only main@a3816b596 reads: for every class under "", for one class under its name.
_MAIN_OPTIONS = {"": ("norm_stats_path",), "LeRobotFrankaEEDataConfig": ("pad_state",)}

_EVERYWHERE = ("0.3", "a4b6abe20", "main")
_MAIN = ("main",)

# name, family, action horizon, action chunk, action dimension, images, class, versions
_ROWS: tuple[tuple[str, str, int, int, int, int, str, tuple[str, ...]], ...] = (
    ("pi0_aloha_robotwin", "pi0", 50, 50, 14, 3, "LeRobotAlohaDataConfig", _EVERYWHERE),
    ("pi0_behavior", "pi0", 50, 10, 7, 2, "LeRobotBehaviorDataConfig", _EVERYWHERE),
    ("pi0_calvin", "pi0", 5, 5, 7, 2, "LeRobotCalvinDataConfig", _EVERYWHERE),
    ("pi0_custom", "pi0", 50, 4, 7, 2, "CustomDataConfig", _EVERYWHERE),
    ("pi0_droid_polaris", "pi0", 10, 10, 8, 2, "LeRobotPolarisDroidDataConfig", _EVERYWHERE),
    ("pi0_libero", "pi0", 50, 4, 7, 2, "LeRobotLiberoDataConfig", _EVERYWHERE),
    ("pi0_libero_horizon10", "pi0", 10, 10, 7, 2, "LeRobotLiberoDataConfig", _MAIN),
    ("pi0_maniskill", "pi0", 50, 5, 7, 1, "LeRobotManiSkillDataConfig", _EVERYWHERE),
    ("pi0_metaworld", "pi0", 5, 5, 4, 1, "LeRobotMetaworldDataConfig", _EVERYWHERE),
    ("pi0_realworld", "pi0", 10, 10, 7, 2, "LeRobotRealworldDataConfig", _EVERYWHERE),
    ("pi0_robocasa365_pretrain_human300", "pi0", 50, 5, 12, 2, "LeRobotRobocasaDataConfig", _MAIN),
    ("pi0_robocasa_human", "pi0", 5, 5, 12, 2, "LeRobotRobocasaDataConfig", _EVERYWHERE),
    ("pi05_aloha_robotwin", "pi05", 50, 50, 14, 3, "LeRobotAlohaDataConfig", _EVERYWHERE),
    ("pi05_behavior", "pi05", 32, 32, 23, 3, "LeRobotBehaviorDataConfig", _EVERYWHERE),
    ("pi05_calvin", "pi05", 5, 5, 7, 2, "LeRobotCalvinDataConfig", _EVERYWHERE),
    ("pi05_droid_polaris", "pi05", 15, 15, 8, 2, "LeRobotPolarisDroidDataConfig", _EVERYWHERE),
    ("pi05_dualfranka_tcp_rot6d", "pi05", 20, 20, 20, 2, "DualFrankaTcpRot6dDataConfig", _EVERYWHERE),
    ("pi05_franka", "pi05", 8, 5, 7, 1, "LeRobotFrankaEEDataConfig", _EVERYWHERE),
    ("pi05_franka_pnp", "pi05", 5, 5, 7, 2, "LeRobotRealworldDataConfig", _MAIN),
    ("pi05_franka_state", "pi05", 20, 20, 7, 1, "LeRobotFrankaEEDataConfig", _MAIN),
    ("pi05_gsenv", "pi05", 5, 5, 7, 1, "LeRobotGSEnvDataConfig", _EVERYWHERE),
    ("pi05_isaaclab_stack_cube", "pi05", 10, 5, 7, 2, "LeRobotIsaacLabStackCubeDataConfig", _EVERYWHERE),
    ("pi05_libero", "pi05", 10, 4, 7, 2, "LeRobotLiberoDataConfig", _EVERYWHERE),
    ("pi05_maniskill", "pi05", 10, 5, 7, 1, "LeRobotManiSkillDataConfig", _EVERYWHERE),
    ("pi05_maniskill_sim_real_co_training", "pi05", 8, 4, 7, 1, "LeRobotFrankaEEDataConfig", _EVERYWHERE),
    ("pi05_metaworld", "pi05", 5, 5, 4, 1, "LeRobotMetaworldDataConfig", _EVERYWHERE),
    ("pi05_rlt_maniskill_joint", "pi05", 10, 10, 8, 2, "LeRobotRLTManiSkillJointDataConfig", _MAIN),
    ("pi05_robocasa365_pretrain_human300", "pi05", 50, 10, 7, 2, "LeRobotRobocasaDataConfig", _MAIN),
)


def _data_config(row: tuple[str, str, int, int, int, int, str, tuple[str, ...]]) -> DataConfig:
    name, family, horizon, chunk, dimension, images, class_name, versions = row
    options = (*_CLASS_OPTIONS[class_name], *_BASE_OPTIONS)
    main_options = (*_MAIN_OPTIONS[""], *_MAIN_OPTIONS.get(class_name, ()))
    return DataConfig(name, family, horizon, chunk, dimension, images, options, main_options, versions)


DATA_CONFIGS = {row[0]: _data_config(row) for row in _ROWS}


def known_names(version: str, family: str | None = None) -> tuple[str, ...]:
    """The config names that a version registers, of one family or of all."""
    return tuple(
        config.name
        for config in DATA_CONFIGS.values()
        if version in config.versions and family in (None, config.family)
    )
