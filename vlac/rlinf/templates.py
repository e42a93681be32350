"""What Hydra composes for RLinf's SFT configurations, as data: the leaves a compiled config starts from.

Source: `examples/sft/config/libero_sft_openpi.yaml` with `model/pi0` or `model/pi0_5` and `training_backend/fsdp`,
composed by Hydra 1.3.8; the same leaves on v0.3, a4b6abe20 and main@a3816b596. Left out: `actor.optim.warmup_style`,
which nothing in RLinf reads, and `actor.optim.lr_warmup_steps`, whose absence means no warm-up
(`build_lr_scheduler`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.plan.origins import Value

Key = tuple[str, ...]
PLACEMENT: Key = ("cluster", "component_placement", "actor,env,rollout")

_PRECISION = "${actor.model.precision}"

_FSDP: dict[str, Value] = {
    "strategy": "fsdp",
    "sharding_strategy": "full_shard",
    "use_orig_params": False,
    "gradient_checkpointing": False,
    "forward_prefetch": False,
    "limit_all_gathers": False,
    "backward_prefetch": None,
    "cpu_offload": False,
    "offload_pin_memory": False,
    "reshard_after_forward": True,
    "enable_gradient_accumulation": True,
    "use_liger_kernel": False,
    "mixed_precision": {"param_dtype": _PRECISION, "reduce_dtype": _PRECISION, "buffer_dtype": _PRECISION},
    "amp_autocast": {"enabled": False, "precision": "bf16"},
    "grad_scaler": {"enabled": False},
}

_PI0: dict[str, Value] = {
    "model_type": "openpi",
    "model_path": None,
    "precision": None,
    "num_action_chunks": 4,
    "action_dim": 7,
    "is_lora": False,
    "lora_rank": 32,
    "use_proprio": True,
    "num_steps": 4,
    "add_value_head": False,
    "openpi": {
        "config_name": "pi0_libero",
        "num_images_in_input": 2,
        "noise_level": 0.5,
        "action_chunk": "${actor.model.num_action_chunks}",
        "num_steps": "${actor.model.num_steps}",
        "train_expert_only": False,
        "action_env_dim": "${actor.model.action_dim}",
        "noise_method": "flow_sde",
        "add_value_head": "${actor.model.add_value_head}",
        "detach_critic_input": True,
    },
}

_PI05_OPENPI: dict[str, Value] = {
    "config_name": "pi05_libero",
    "num_images_in_input": 2,
    "noise_level": 0.5,
    "action_chunk": "${actor.model.num_action_chunks}",
    "num_steps": "${actor.model.num_steps}",
    "train_expert_only": True,
    "action_env_dim": "${actor.model.action_dim}",
    "noise_method": "flow_sde",
    "add_value_head": "${actor.model.add_value_head}",
    "value_after_vlm": False,
    "value_vlm_mode": "mean_token",
    "detach_critic_input": True,
}

_PI05: dict[str, Value] = {**_PI0, "num_steps": 5, "openpi": _PI05_OPENPI}

# vlac's own model: `vlac/demo/policy.py` reads action_dim and num_action_chunks, RLinf's `get_model` the others.
_DEMO: dict[str, Value] = {
    "model_type": "vlac_demo",
    "model_path": None,
    "precision": None,
    "num_action_chunks": 8,
    "action_dim": 7,
    "is_lora": False,
    "lora_rank": 32,
    "add_value_head": False,
}

_MODELS = {"model/pi0": _PI0, "model/pi0_5": _PI05, "vlac_demo": _DEMO}


def _run(model: Mapping[str, Value]) -> dict[str, Value]:
    return {
        "cluster": {"num_nodes": 1, "component_placement": {"actor,env,rollout": "0-0"}},
        "runner": {
            "task_type": "sft",
            "logger": {
                "log_path": "../results",
                "project_name": "rlinf",
                "experiment_name": "test_openpi",
                "logger_backends": ("tensorboard",),
            },
            "max_epochs": -1,
            "max_steps": 30000,
            "val_check_interval": -1,
            "save_interval": 2000,
        },
        "data": {"train_data_paths": None},
        "actor": {
            "group_name": "ActorGroup",
            "training_backend": "fsdp",
            "micro_batch_size": 4,
            "global_batch_size": 128,
            "seed": 0,
            "model": model,
            "optim": {
                "lr": 2.5e-05,
                "adam_beta1": 0.9,
                "adam_beta2": 0.95,
                "adam_eps": 1e-08,
                "weight_decay": 1e-10,
                "clip_grad": 1.0,
            },
            "fsdp_config": _FSDP,
        },
    }


def _flatten(section: Mapping[str, Value], above: Key = ()) -> Iterator[tuple[Key, Value]]:
    for name, value in section.items():
        if isinstance(value, dict):
            yield from _flatten(value, (*above, name))
        else:
            yield (*above, name), value


TEMPLATES: dict[str, dict[Key, Value]] = {
    name: dict(_flatten(_run(model))) for name, model in _MODELS.items()
}
