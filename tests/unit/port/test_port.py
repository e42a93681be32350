"""A composed configuration in an adapter's words, and what the adapter takes instead."""

from types import SimpleNamespace

import pytest

from vlac.rlinf.port import port, workload_of
from vlac_ascend.support import REPLACEMENTS, SUPPORT

ASCEND = SimpleNamespace(support=SUPPORT, replacements=REPLACEMENTS)


def config(**keys):
    """An RL run on LIBERO with a few keys changed: `__` in a name is a dot; `...` takes one out."""
    base = {
        "runner.task_type": "embodied",
        "actor.model.model_type": "openpi",
        "actor.training_backend": "fsdp",
        "rollout.generation_backend": "huggingface",
        "algorithm.loss_type": "actor_critic",
        "algorithm.adv_type": "gae",
        "env.train.env_type": "libero",
        "env.eval.env_type": "libero",
    }
    merged = base | {name.replace("__", "."): value for name, value in keys.items()}
    return {tuple(name.split(".")): value for name, value in merged.items() if value is not ...}


def ported(**keys):
    return port(config(**keys), ASCEND, "main")


def replaced(**keys):
    return {".".join(key): rule.instead for key, rule in ported(**keys).replacements.items()}


def test_a_run_in_words():
    run = workload_of(config())
    assert (run.models, run.task, run.algorithm, run.simulator) == (
        ("openpi",),
        ("rl",),
        ("ppo",),
        ("libero",),
    )
    assert (run.physics, run.training, run.rollout) == ((), ("fsdp",), ("huggingface",))


@pytest.mark.parametrize(
    ("loss", "advantage", "word"),
    [
        ("actor", "grpo", "grpo"),
        ("actor", "grpo_dynamic", "grpo"),
        ("decoupled_actor_critic", "gae", "asynchronous ppo"),
        ("embodied_sac", "embodied_sac", "sac"),
        ("opd", None, "opd"),
    ],
)
def test_the_algorithm_is_named_by_loss_and_advantage(loss, advantage, word):
    run = workload_of(config(algorithm__loss_type=loss, algorithm__adv_type=advantage))
    assert run.algorithm == (word,)


def test_a_reference_stands_for_what_it_refers_to():
    run = workload_of(config(rollout__model__model_type="${actor.model.model_type}"))
    assert run.models == ("openpi",)


def test_a_reference_to_itself_does_not_hang():
    assert workload_of(config(actor__model__model_type="${actor.model.model_type}")).models


def test_a_reward_model_counts_where_it_is_used():
    keys = {"reward__model__model_type": "resnet"}
    assert workload_of(config(**keys)).models == ("openpi",)
    assert workload_of(config(**keys, reward__use_reward_model=True)).models == ("openpi", "resnet")


def test_a_world_model_is_evaluated_in_what_it_imitates():
    run = workload_of(config(env__train__env_type="wan_wm", env__train__wm_env_type="libero"))
    assert run.simulator == ("wan_wm",)


def test_another_simulator_for_evaluation_counts():
    assert workload_of(config(env__eval__env_type="maniskill")).simulator == ("libero", "maniskill")


@pytest.mark.parametrize(
    ("key", "asked", "becomes"),
    [
        ("actor.model.attn_implementation", "flash_attention_2", "eager"),
        ("rollout.enable_torch_compile", True, False),
        ("actor.offline_torch_compile", True, False),
        ("actor.model.wan22_ti2v_5b.compile_transformer_forward", True, False),
        ("rollout.enable_cuda_graph", True, False),
        ("actor.fsdp_config.use_liger_kernel", True, False),
        ("env.train.world_model_cfg.model.enable_flash_attn", True, False),
        ("env.train.world_model_cfg.model.enable_layernorm_kernel", True, False),
        ("env.train.sim_device", "cuda", "cpu"),
        ("env.train.reward.use_gpu", True, False),
        ("data.video_backend", "torchcodec", "pyav"),
        ("weight_syncer.patch.compression", "nvcomp_lz4", "none"),
    ],
)
def test_what_an_npu_cannot_do_is_replaced(key, asked, becomes):
    assert replaced(**{key.replace(".", "__"): asked}) == {key: becomes}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("actor.model.attn_implementation", "sdpa"),
        ("rollout.enable_torch_compile", False),
        ("rollout.enable_torch_compile", 1),
        ("rollout.backend", "cuda"),  # the same last name elsewhere is another key
        ("actor.megatron.distributed_backend", "nccl"),  # transfer_to_npu makes it hccl
    ],
)
def test_what_an_npu_can_do_stays(key, value):
    assert replaced(**{key.replace(".", "__"): value}) == {}


def test_what_was_replaced_is_not_replaced_again():
    asked = config(rollout__enable_torch_compile=True, data__video_backend="torchcodec")
    taken = {key: rule.instead for key, rule in port(asked, ASCEND, "main").replacements.items()}
    assert len(taken) == 2
    assert port(asked | taken, ASCEND, "main").replacements == {}


@pytest.mark.parametrize(
    ("keys", "verdict", "title"),
    [
        ({}, "warning", "OpenPI, RL on LIBERO"),
        ({"actor__model__model_type": "gr00t"}, "works", "GR00T N1.5, RL on LIBERO"),
        ({"env__eval__env_type": "isaaclab"}, "refused", "Isaac Sim (IsaacLab, BEHAVIOR, PolaRiS)"),
        ({"env__train__env_type": "robotwin"}, "refused", "RoboTwin"),
        ({"actor__training_backend": "megatron"}, "refused", "Megatron"),
        ({"rollout__rollout_backend": "vllm"}, "refused", "SGLang and vLLM rollout"),
        ({"actor__model__model_type": "dreamzero"}, "unknown", "DreamZero"),
    ],
)
def test_verdicts_on_ascend(keys, verdict, title):
    found = ported(**keys)
    assert found.verdict == verdict
    assert title in [row.title for row in found.judgement.rows]


def test_what_nobody_reports_is_unknown_without_a_row():
    found = ported(algorithm__loss_type="embodied_nft")
    assert (found.verdict, found.judgement.rows) == ("unknown", ())


def test_gr00t_is_refused_before_its_patches():
    assert port(config(actor__model__model_type="gr00t"), ASCEND, "0.3").verdict == "refused"


@pytest.mark.parametrize(("backend", "verdict"), [("gpu", "refused"), (..., "refused"), ("cpu", "unknown")])
def test_maniskill_depends_on_where_its_physics_computes(backend, verdict):
    found = ported(
        env__train__env_type="maniskill",
        env__eval__env_type="maniskill",
        env__train__init_params__sim_backend=backend,
        env__eval__init_params__sim_backend=backend,
    )
    assert found.verdict == verdict


def test_a_model_that_compiles_by_itself_brings_the_variable_that_stops_it():
    (variable,) = ported(actor__model__model_type="openpi_rlinf").judgement.variables
    assert (variable.name, variable.value) == ("TORCHDYNAMO_DISABLE", "1")
