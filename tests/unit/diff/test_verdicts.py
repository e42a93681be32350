"""The verdicts over patches that no table knows, the first that holds."""

from dataclasses import replace
from pathlib import Path

import pytest

import vlac

CONFIG = "examples/sft/config/libero_sft_openpi.yaml"
MINE = "examples/sft/config/mine.yaml"
SCRIPT = "examples/sft/run_vla_sft.sh"
MODELS = "rlinf/models/__init__.py"


def inserted(judged, section, line, file=CONFIG, beside=None):
    """The verdict on one inserted line of a section below `actor`."""
    return judged(file, f"   {section}:", f"+    {line}", heading="actor:", beside=beside)


@pytest.mark.parametrize(
    ("section", "line", "verdict"),
    [
        ("optim", 'warmup_style: "cosine"', "dead"),  # though a stock checkout has it: dead holds first
        ("optim", "no_such_key: 1", "dead"),
        ("optim", "lr: 2.5e-5", "redundant"),
        ("optim", "lr: 0.000025", "redundant"),
        ("optim", "lr: 1.0e-4", "differs"),
        ("optim", "lr_scheduler: cosine", "same"),
        ("optim", "lr_scheduler: constant", "differs"),
        ("optim", "critic_warmup_steps: 3", "only in patch"),
        ("optim", "clip_grad: 1", "redundant"),
        ("model", "lora_path: /x", "only in patch"),
        ("model", "is_lora: True", "differs"),
        ("model", "is_lora: 0", "differs"),
        ("model", "num_action_chunks: 4", "redundant"),
        ("fsdp_config", "gradient_checkpointing: False", "redundant"),
        ("fsdp_config", "gradient_checkpointing: True", "differs"),
    ],
)
def test_configuration_keys(judged, section, line, verdict):
    assert inserted(judged, section, line).verdict.value == verdict


def test_a_key_that_looks_alive_but_openpi_never_reads(judged):
    seed = judged(CONFIG, " actor:", "-  seed: 0", "+  seed: 7")
    assert seed.verdict.value == "dead"
    assert "openpi's own seed" in seed.judgement.reason


def test_keys_that_are_copied_whole_are_never_dead(judged):
    item = judged(CONFIG, "   model:", "     openpi:", "+      paligemma_variant: dummy", heading="actor:")
    assert item.verdict.value == "only in patch"


def test_the_model_of_the_run(judged):
    lines = ("   model:", "     openpi:", '-      config_name: "pi0_libero"')
    assert (
        judged(CONFIG, *lines, '+      config_name: "pi05_libero"', heading="actor:").verdict.value == "same"
    )
    other = judged(CONFIG, *lines, '+      config_name: "pi05_droid"', heading="actor:")
    assert other.verdict.value == "differs"
    assert (other.patch, other.judgement.bundle) == ("pi05_droid", "pi05_libero")


def test_the_template_of_the_run(judged):
    lines = (" defaults:", "-  - model/pi0@actor.model")
    assert judged(CONFIG, *lines, "+  - model/pi0_5@actor.model").verdict.value == "same"
    assert judged(CONFIG, *lines, "+  - model/value@actor.model").verdict.value == "differs"
    assert (
        judged(CONFIG, *lines, "+  - model/pi0@actor.model  # stays", "+  - x/y@z").verdict.value
        == "only in patch"
    )


def test_a_patch_that_changes_the_model_trains_it(compared):
    lines = (
        "   model:",
        "     openpi:",
        '-      config_name: "pi0_libero"',
        "+      config_name: pi05_libero",
    )
    assert not any("would train" in sentence for sentence in compared(CONFIG, *lines, heading="actor:").lacks)


def test_placement(judged):
    lines = ("   component_placement:", "-    actor,env,rollout: 0-0")
    assert judged(CONFIG, *lines, "+    actor,env,rollout: 0-7", heading="cluster:").verdict.value == "same"
    assert (
        judged(CONFIG, *lines, "+    actor,env,rollout: 0-15", heading="cluster:").verdict.value == "differs"
    )
    alone = judged(CONFIG, "   component_placement:", "+    actor: 0-7", heading="cluster:")
    assert alone.verdict.value == "same"


def test_removed_keys(judged):
    style = judged(CONFIG, "   optim:", '-    warmup_style: "cosine"', heading="actor:")
    assert style.verdict.value == "dead"
    rate = judged(CONFIG, "   optim:", "-    clip_grad: 1.0", heading="actor:")
    assert rate.verdict.value == "differs"
    nothing = judged(MINE, "   optim:", "-    critic_warmup_steps: 3", heading="actor:")
    assert nothing.verdict.value == "same"


def test_a_config_that_vlac_does_not_know_is_never_redundant(judged):
    assert inserted(judged, "model", "is_lora: False", file=MINE).verdict.value == "same"


def test_a_section_that_nothing_shows_cannot_be_compared(judged):
    item = judged(MINE, "         strange: 1", "-        odd: 2", "+        odd: 3")
    assert item.verdict.value == "only in patch"
    assert "more context" in item.judgement.reason


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("export JAX_PLATFORMS=cpu", "same"),
        ("export JAX_PLATFORMS=cuda", "differs"),
        ("export MUJOCO_GL=egl", "redundant"),
        ("export MUJOCO_GL=osmesa", "same"),
        ("export NO_SUCH_VARIABLE=1", "only in patch"),
        ("unset http_proxy", "same"),
        ("unset JAX_PLATFORMS", "differs"),
    ],
)
def test_variables(judged, line, verdict):
    assert judged(SCRIPT, f"+{line}").verdict.value == verdict


def test_a_variable_that_the_spec_gives_to_the_shell(judged, compiled):
    beside = compiled(extra="env: {TASK_QUEUE_ENABLE: null}\n")
    item = judged(SCRIPT, "+export TASK_QUEUE_ENABLE=1", beside=beside)
    assert item.verdict.value == "only in patch"
    assert "leaves this variable to the shell" in item.judgement.reason


def test_values_of_secrets_are_not_repeated(compared):
    assert "geheim" not in repr(compared(SCRIPT, "+export WANDB_API_KEY=geheim"))


def test_an_override_that_appears(judged):
    lines = ("-python train.py --config-name c", "+python train.py --config-name c actor.optim.lr=1e-4")
    assert (item := judged(SCRIPT, *lines)).name == "actor.optim.lr"
    assert item.verdict.value == "differs"


def test_guards(judged, bundle):
    guard = ("-    if cfg.is_lora:", '+    if cfg.get("is_lora", False):')
    assert judged(MODELS, *guard).verdict.value == "not needed"
    assert judged("rlinf/runners/sft_runner.py", *guard).verdict.value == "redundant"
    assert judged("elsewhere/x.py", *guard).verdict.value == "only in patch"
    without = replace(
        bundle, config={key: value for key, value in bundle.config.items() if key[-1] != "is_lora"}
    )
    needed = judged(MODELS, *guard, beside=without)
    assert needed.verdict.value == "only in patch"
    assert "fails" in needed.judgement.reason


def test_imports(judged, compiled):
    worker = "rlinf/workers/sft/fsdp_sft_worker.py"
    npu = judged(worker, "+import torch_npu")
    assert npu.verdict.value == "not needed"
    assert "sitecustomize.py" in npu.judgement.reason
    assert (
        judged(worker, "+import torch_npu", beside=compiled(backend="cuda:H100")).verdict.value
        == "only in patch"
    )
    assert judged(worker, "+import json").verdict.value == "redundant"
    assert judged(worker, "+import torch").verdict.value == "redundant"


def test_another_change_of_code(judged):
    item = judged(MODELS, "-    return model", "+    return model.eval()")
    assert (item.name, item.verdict.value) == (MODELS, "only in patch")


def test_a_patch_of_pages_sets_nothing(compared):
    comparison = compared("README.md", "-a", "+b")
    assert comparison.differences == ()
    assert not comparison.has_differences


DEMO = """\
vlac: 1
name: demo
rlinf: {version: 0.3}
model: {family: demo}
hardware: {backend: cpu, cards: 2}
train: {steps: 30}
"""


def test_the_demo_reads_another_path_so_nothing_is_called_dead(judged):
    beside = vlac.compile_text(DEMO, folder=Path("/"))
    assert inserted(judged, "optim", "no_such_key: 1", beside=beside).verdict.value == "only in patch"
