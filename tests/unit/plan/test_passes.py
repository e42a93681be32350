import pytest

from vlac.errors import SpecError
from vlac.plan.passes import PASSES


def leaf(bundle, dotted):
    return {".".join(key): setting for key, setting in bundle.config.items()}[dotted].value


def test_passes_have_distinct_names_that_print_after_can_name():
    names = [one_pass.__name__ for one_pass in PASSES]
    assert len(set(names)) == len(names) and names[0] == "settings"


def test_accumulation_of_the_published_run(compiled):
    plan = compiled(train="{steps: 30000, micro_batch: 4, global_batch: 128, warmup_steps: 1000}").plan
    assert plan.integer("gradient_accumulation") == 4
    assert plan.integer("samples_per_step") == 128
    assert plan.number("lr_step_1") == pytest.approx(2.5e-8)
    assert plan.number("lr_last_step") == pytest.approx(0.0, abs=1e-12)


def test_an_indivisible_global_batch_names_the_nearest_legal_ones(refused):
    found = refused(train="{steps: 10, micro_batch: 4, global_batch: 100}")["batch-indivisible"]
    assert "100 = 3 x 32 + 4" in found.message
    assert "96 or 128" in found.hint
    assert str(found.position) == "spec.yaml:7:50"


def test_a_global_batch_below_one_micro_batch_a_rank_has_one_nearest(refused):
    found = refused(train="{steps: 10, global_batch: 8}")["batch-indivisible"]
    assert found.hint == "write global_batch: 32; or micro_batch: 1"


def test_more_cards_than_a_node_has(refused):
    found = refused(hardware="{backend: ascend, device: 910B3, cards: 16}")["hardware-too-many-cards"]
    assert "cards: 8" in found.hint and "nodes: 2" in found.hint


def test_a_card_with_two_dies_is_two_ranks(compiled):
    bundle = compiled(hardware="{backend: ascend, device: 910C, cards: 8}")
    assert bundle.plan.integer("world_size") == 16
    assert leaf(bundle, "cluster.component_placement.actor,env,rollout") == "0-15"


def test_processes_are_placed_on_a_node_without_accelerators(compiled):
    bundle = compiled(hardware="{backend: cpu, cards: 4}")
    assert leaf(bundle, "cluster.component_placement.actor,env,rollout") == "0:0-3"
    assert leaf(bundle, "actor.fsdp_config.strategy") == "fsdp2"


def test_a_written_fsdp_1_is_an_error_on_cpu(refused):
    found = refused(hardware="{backend: cpu, cards: 4}", fsdp="{version: 1}")["backend-requires"]
    assert "fsdp.version" in found.message and "2" in found.hint


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"data": "{path: /d, config: pi05_liberoo}"}, "data-unknown-config"),
        ({"data": "{path: /d, config: pi0_libero}"}, "data-other-family"),
        ({"data": "{path: /d, config: pi05_franka_pnp}"}, "data-unknown-config"),
        ({"data": "{path: [/a, /b], config: pi05_libero}"}, "data-first-only"),
        ({"data": "{path: /d, config: pi05_libero, options: {nothing: 1}}"}, "data-unknown-option"),
        ({"data": "{path: /d, config: pi05_libero, workers: 4}"}, "spec-field-refused"),
        ({"eval": "{every: 100}"}, "spec-field-refused"),
        ({"model": "{family: pi05, weights: /w, dtype: bf16}"}, "model-dtype"),
        ({"model": "{family: pi05, weights: /w, action_chunk: 11}"}, "model-action-chunk"),
        ({"train": "{steps: 10, gradient_checkpointing: true}"}, "spec-field-refused"),
        ({"train": "{steps: 10, warmup_steps: 10}"}, "train-warmup-long"),
        ({"train": "{epochs: 3}"}, "train-decay-missing"),
        ({"train": "{steps: 10, schedule: openpi_cosine}"}, "train-schedule"),
        ({"train": "{steps: 10, lr: 1e-5, min_lr: 1e-4}"}, "train-min-lr"),
        ({"fsdp": "{sharding: hybrid_shard}"}, "fsdp-sharding"),
        ({"fsdp": "{version: 2, sharding: no_shard}"}, "fsdp-sharding"),
        ({"hardware": "{backend: ascend, cards: 8}"}, "spec-missing"),
        ({"hardware": "{backend: ascend, device: 910B33, cards: 8}"}, "target-unknown-device"),
        ({"hardware": "{backend: asend, cards: 8}"}, "target-unknown-backend"),
        ({"rlinf": '{version: "0.2"}'}, "target-unknown-version"),
        ({"env": "{JAX_PLATFORMS: cuda}"}, "backend-requires"),
        ({"checkpoints": "{resume: /r/checkpoints/global_step_1000}"}, "checkpoints-resume-done"),
    ],
)
def test_refused_with_a_position_and_a_way_out(refused, changes, code):
    found = refused(**changes)
    assert set(found) == {code}
    assert found[code].position is not None and found[code].hint


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"train": "{steps: 1000, seed: 7}"}, "spec-field-ignored"),
        ({"train": "{steps: 1000, warmup_steps: 300}"}, "train-warmup-share"),
        ({"train": "{steps: 1000, decay_steps: 500}"}, "train-decay-short"),
        ({"train": "{steps: 1000, schedule: constant, min_lr: 1e-6}"}, "spec-field-ignored"),
        ({"train": "{steps: 1000, warmup_ratio: 0.9}"}, "train-warmup-share"),
        ({"fsdp": "{cpu_offload: true}"}, "fsdp-offload"),
        ({"overrides": "{+actor.optim.warmup_style: cosine}"}, "override-dead"),
        ({"overrides": "{+runner.logger.wandb_api_key: k}"}, "override-secret"),
        ({"checkpoints": "{every: never}"}, "checkpoints-never"),
    ],
)
def test_warned_and_compiled(compiled, changes, code):
    found = compiled(**changes).diagnostics
    assert [(d.code, d.severity) for d in found] == [(code, "warning")]


def test_several_problems_are_told_at_once_in_source_order(refused):
    found = refused(
        data="{path: [/a, /b], config: pi05_libero}",
        hardware="{backend: ascend, device: 910B3, cards: 9}",
        train="{steps: 10, global_batch: 100}",
    )
    assert list(found) == ["data-first-only", "hardware-too-many-cards", "batch-indivisible"]


def test_problems_of_form_and_of_meaning_are_told_together(refused):
    found = refused(train="{steps: 10, global_batch: 100, lr: fast}", fsdp="{shardin: full_shard}")
    assert {"batch-indivisible", "spec-type", "spec-unknown-key"} <= set(found)


def test_one_changed_line_is_the_same_training_on_cuda(compiled):
    ascend = compiled()
    cuda = compiled(hardware="{backend: cuda, device: H100, cards: 8}")
    assert {k: s.value for k, s in ascend.config.items()} == {k: s.value for k, s in cuda.config.items()}
    assert {v.name for v in cuda.plan.environment}.isdisjoint({"HCCL_EXEC_TIMEOUT", "TORCH_TRANSFER_TO_NPU"})


def test_backend_on_the_command_line_forgets_the_device(compiled):
    bundle = compiled(backend="cuda:H100")
    assert bundle.plan.device.name == "H100"
    assert bundle.plan.settings["hardware.backend"].origin.layer.value == "--backend"


def test_lora_and_frozen_parameters_need_original_parameters_in_fsdp_1(compiled):
    lora = compiled(model="{family: pi05, weights: /w, tune: lora, lora: {rank: 16}}")
    assert leaf(lora, "actor.model.is_lora") is True
    assert leaf(lora, "actor.model.lora_rank") == 16
    assert leaf(lora, "actor.fsdp_config.use_orig_params") is True
    assert leaf(compiled(), "actor.fsdp_config.use_orig_params") is False


def test_the_user_wins_over_the_adapter_and_null_leaves_the_variable_to_the_shell(compiled):
    bundle = compiled(env="{OMP_NUM_THREADS: 4, HCCL_EXEC_TIMEOUT: null}")
    variables = {variable.name: variable for variable in bundle.plan.environment}
    assert variables["OMP_NUM_THREADS"].value == "4"
    assert variables["HCCL_EXEC_TIMEOUT"].value is None
    assert b"export HCCL_EXEC_TIMEOUT" not in bundle.files["run.env"]


def test_secrets_are_names(compiled):
    bundle = compiled(secrets="[WANDB_API_KEY]")
    assert bundle.plan.secrets == ("WANDB_API_KEY",)
    assert b"export WANDB_API_KEY" not in bundle.files["run.env"]


def test_a_number_field_is_a_float_even_when_written_as_an_integer(compiled):
    value = leaf(compiled(train="{steps: 10, grad_clip: 1}"), "actor.optim.clip_grad")
    assert (type(value), value) == (float, 1.0)


def test_data_options_go_where_the_version_reads_them(compiled):
    options = "{path: /d, config: pi05_libero, options: {extra_delta_transform: true}}"
    old, new = compiled(data=options), compiled(data=options, rlinf="{version: main}")
    names = {".".join(key) for key in old.config if "openpi_data" in key}
    assert names == {
        "actor.openpi_data.extra_delta_transform",
        "actor.model.openpi_data.extra_delta_transform",
    }
    assert {".".join(k) for k in new.config if "openpi_data" in k} == {
        "actor.model.openpi_data.extra_delta_transform"
    }


def test_an_unknown_data_option_is_shown_where_it_stands(refused):
    found = refused(data="{path: /d, config: pi05_libero, options: {extra_delta_transfrom: true}}")
    assert str(found["data-unknown-option"].position) == "spec.yaml:5:72"
    assert "extra_delta_transform" in found["data-unknown-option"].hint


@pytest.mark.parametrize(
    "changes",
    [
        {"env": "{RLINF_EXT_MODULE: mine}"},
        {"env": "{RLINF_EXT_MODULE: null}"},
        {"secrets": "[RLINF_EXT_MODULE]"},
        {"env": "{VLAC_SPEC_DIR: /x}"},
        {"env": "{_bundle: /x}"},
        {"secrets": "[_name]"},
        {"env": "{UID: 5}"},
        {"env": "{IFS: x}"},
        {"env": "{REPO_PATH: /x}", "rlinf": '{version: "0.3", path: /r}'},
    ],
)
def test_a_variable_that_the_launch_would_overwrite_is_refused(refused, changes):
    assert set(refused(**changes)) == {"spec-variable-reserved"}


def test_a_variable_is_the_users_where_nothing_of_vlac_needs_it(compiled):
    bundle = compiled(
        hardware="{backend: cuda, device: H100, cards: 8}", env="{RLINF_EXT_MODULE: mine, REPO_PATH: /x}"
    )
    found = {variable.name: variable.value for variable in bundle.plan.environment}
    assert (found["RLINF_EXT_MODULE"], found["REPO_PATH"]) == ("mine", "/x")


def test_what_the_backend_requires_cannot_be_left_to_the_shell_as_a_secret(refused):
    found = refused(secrets="[JAX_PLATFORMS]")["backend-requires"]
    assert "JAX_PLATFORMS=cpu" in found.message


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"train": "{steps: 9, schedule: constant, decay_steps: 5}"}, "train.decay_steps"),
        ({"fsdp": "{version: 2, buffer_dtype: fp32}"}, "fsdp.buffer_dtype"),
        ({"logging": "{project: p}"}, "logging.project"),
        ({"logging": "{entity: e, backends: [swanlab]}"}, "logging.entity"),
    ],
)
def test_a_field_that_nothing_reads_is_a_warning(compiled, changes, path):
    (found,) = compiled(**changes).diagnostics
    assert (found.code, found.severity) == ("spec-field-ignored", "warning")
    assert found.message.startswith(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"train": "{epochs: 9, schedule: constant, decay_steps: 5, warmup_ratio: 0.1}"},
        {"fsdp": "{version: 1, buffer_dtype: fp32}"},
        {"logging": "{project: p, backends: [swanlab]}"},
        {"logging": "{project: p, entity: e, backends: [tensorboard, wandb]}"},
    ],
)
def test_a_field_that_something_reads_is_none(compiled, changes):
    assert compiled(**changes).diagnostics == ()


@pytest.mark.parametrize("changes", [{"output": "/a:b"}, {"rlinf": '{version: "0.3", path: "/a:b"}'}])
def test_a_folder_that_pythonpath_cannot_hold_is_refused(refused, changes):
    assert "spec-path" in refused(**changes)


def test_a_refused_field_has_one_message(compiled):
    with pytest.raises(SpecError) as caught:
        compiled(model="{family: pi05, weights: /w, lora: {from: /a}}")
    assert [problem.code for problem in caught.value.diagnostics] == ["spec-field-refused"]
