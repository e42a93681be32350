import pytest

from vlac.bundle.explain import explain, nearest_keys


def layers(found):
    return [origin.layer.value for _, origin in found.setting.chain]


def test_a_config_key_shows_the_whole_chain(compiled):
    found = explain(compiled(train="{steps: 1000, lr: 1e-5}", sets=["train.lr=3e-5"]), "actor.optim.lr")
    assert layers(found) == ["rlinf default", "spec version default", "spec", "--set"]
    text = found.as_text("specs")
    assert "specs/spec.yaml:7:26" in text and "-> --set" in text and "--set[1]:1:10" in text
    assert "train.lr" in text


def test_a_field_says_which_key_it_becomes(compiled):
    assert "actor.optim.lr" in explain(compiled(), "train.lr").as_text("")


def test_an_adapter_preference_stands_in_the_chain(compiled):
    found = explain(compiled(hardware="{backend: cpu, cards: 4}"), "actor.fsdp_config.strategy")
    assert layers(found)[-1] == "adapter" and found.setting.value == "fsdp2"


def test_a_variable_names_the_adapter_and_keeps_its_default_under_env(compiled):
    found = explain(compiled(), "JAX_PLATFORMS").as_text("")
    assert "set by the ascend adapter" in found and "JAX_PLATFORMS = cpu" in found
    changed = explain(compiled(env="{OMP_NUM_THREADS: 4}"), "OMP_NUM_THREADS")
    assert layers(changed) == ["adapter", "spec"]


def test_a_known_variable_says_what_it_takes_whether_set_or_not(compiled):
    bundle = compiled()
    found = explain(bundle, "HCCL_EXEC_TIMEOUT").as_text("")
    assert "HCCL_EXEC_TIMEOUT = 3600" in found
    assert "takes a whole number 0 to 2147483647 (seconds, 0: for ever)" in found
    assert "where nobody sets it: 1836" in found
    unset = explain(bundle, "HCCL_IF_IP")
    assert (unset.setting.value, layers(unset)) == (None, ["adapter"])
    assert "may have another value on each node" in unset.as_text("")
    assert "HCCL_BUFFSIZE" in nearest_keys(bundle, "HCCL_BUFSIZE")


def test_a_variable_that_the_way_into_the_processes_does_without_says_so(compiled):
    hardware = "{backend: ascend, device: 910B3, cards: 8, stack: {torch_npu: 2.7.1}}"
    found = explain(compiled(hardware=hardware), "TORCH_TRANSFER_TO_NPU")
    assert found.setting.value is None
    assert "not needed: this torch_npu does not read TORCH_TRANSFER_TO_NPU" in found.as_text("")


def test_a_figure_shows_its_arithmetic(compiled):
    assert "128 / (4 x 8)" in explain(compiled(), "gradient_accumulation").as_text("")


@pytest.mark.parametrize(
    ("wrong", "right"), [("train.lrr", "train.lr"), ("actor.optim.lrr", "actor.optim.lr")]
)
def test_an_unknown_key_gets_the_nearest(compiled, wrong, right):
    bundle = compiled()
    assert explain(bundle, wrong) is None
    assert right in nearest_keys(bundle, wrong)


def test_what_nobody_set_is_explained_too(compiled):
    bundle = compiled(secrets="[WANDB_API_KEY]")
    assert "the shell sets it" in explain(bundle, "WANDB_API_KEY").as_text("")
    assert "nobody set it" in explain(bundle, "train.epochs").as_text("")
    assert "train.warmup_steps would set it" in explain(bundle, "actor.optim.lr_warmup_steps").as_text("")


def test_a_key_is_found_as_overrides_and_the_lock_write_it(compiled):
    bundle = compiled(overrides="{'+x.\"a.b\"': 5}")
    assert explain(bundle, 'x."a.b"').setting.value == 5
    assert 'x."a.b"' in nearest_keys(bundle, "x.ab")


def test_a_section_is_no_key_that_is_absent(compiled):
    assert explain(compiled(), "cluster.component_placement") is None


def test_an_option_of_the_data_config_names_its_field(compiled):
    bundle = compiled(data="{path: /d, config: pi05_libero, options: {extra_delta_transform: true}}")
    found = explain(bundle, "actor.model.openpi_data.extra_delta_transform")
    assert found.remarks == ("an RLinf key, set by the spec field data.options",)
