"""Which configuration keys a patch of YAML sets, whatever its hunks happen to show."""

import pytest

from vlac.patches.changes import ABSENT
from vlac.patches.parse import PatchError

CONFIG = """\
    defaults:
      - model/pi0@actor.model
      - override hydra/job_logging: stdout

    cluster:
      num_nodes: 1
      component_placement:
        actor,env,rollout: 0-0

    runner:
      logger:
        log_path: "../results"
        logger_backends: ["tensorboard"] # wandb, swanlab

      max_steps: 30000

    actor:
      seed: 0

      # Override the default values
      model:
        precision: null
        num_action_chunks: 4 # for the env
        openpi:
          config_name: "pi0_libero"
          detach_critic_input: True

      optim:
        lr: 2.5e-5
        adam_eps: 1.0e-08
        clip_grad: 1.0
        lr_warmup_steps: 1000

      fsdp_config:
        strategy: "fsdp"
        mixed_precision:
          param_dtype: ${actor.model.precision}
    """
PATH = "examples/sft/config/libero_sft_openpi.yaml"


def edit(old, new):
    assert CONFIG.count(old) == 1
    return CONFIG.replace(old, new)


def found(changed, after, before=CONFIG, context=3, path=PATH):
    return [(".".join(item.key), item.old, item.new) for item in changed(path, before, after, context)]


@pytest.mark.parametrize("context", [0, 1, 2, 3, 20])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("rollout: 0-0", "rollout: 0-7", ("cluster.component_placement.actor,env,rollout", "0-0", "0-7")),
        ("lr: 2.5e-5", "lr: 1e-4", ("actor.optim.lr", 2.5e-5, 1e-4)),
        ("lr_warmup_steps: 1000", "lr_warmup_steps: 012", ("actor.optim.lr_warmup_steps", 1000, 10)),
        ('"pi0_libero"', "pi05_libero", ("actor.model.openpi.config_name", "pi0_libero", "pi05_libero")),
        ("critic_input: True", "critic_input: no", ("actor.model.openpi.detach_critic_input", True, False)),
        (
            '["tensorboard"]',
            "[wandb, tensorboard]",
            ("runner.logger.logger_backends", ("tensorboard",), ("wandb", "tensorboard")),
        ),
        ("max_steps: 30000", "max_steps: ~", ("runner.max_steps", 30000, None)),
        (
            "param_dtype: ${actor.model.precision}",
            "param_dtype: bf16",
            ("actor.fsdp_config.mixed_precision.param_dtype", "${actor.model.precision}", "bf16"),
        ),
    ],
)  # fmt: skip
def test_one_changed_key_is_found_with_any_context(changed, old, new, expected, context):
    assert found(changed, edit(old, new), context=context) == [expected]


def test_inserted_and_removed_keys(changed):
    after = edit("precision: null\n", "precision: null\n        is_lora: False\n        lora_rank: 32\n")
    assert found(changed, after) == [
        ("actor.model.is_lora", ABSENT, False),
        ("actor.model.lora_rank", ABSENT, 32),
    ]
    assert found(changed, CONFIG, before=after) == [
        ("actor.model.is_lora", False, ABSENT),
        ("actor.model.lora_rank", 32, ABSENT),
    ]


def test_a_new_section(changed):
    after = edit('strategy: "fsdp"\n', 'strategy: "fsdp"\n        grad_scaler:\n          enabled: yes\n')
    assert found(changed, after) == [("actor.fsdp_config.grad_scaler.enabled", ABSENT, True)]


def test_comments_blanks_quotes_and_spelling_of_numbers_say_nothing(changed):
    after = (
        edit("seed: 0\n", "seed: 0   # openpi has its own\n\n")
        .replace('"fsdp"', "fsdp")
        .replace("2.5e-5", "0.000025")
    )
    assert found(changed, after) == []


@pytest.mark.parametrize("context", [1, 3, 20])
def test_a_moved_key_is_not_a_change(changed, context):
    after = edit("seed: 0\n\n", "").replace("      fsdp_config:", "      seed: 0\n\n      fsdp_config:")
    assert after.count("seed: 0") == 1
    assert found(changed, after, context=context) == []


def test_a_new_value_of_another_type_is_a_change(changed):
    assert found(changed, edit("num_nodes: 1", "num_nodes: true")) == [("cluster.num_nodes", 1, True)]


def test_the_template_in_the_defaults(changed):
    assert found(changed, edit("model/pi0@", "model/pi0_5@"), context=3) == [
        ("defaults.model@actor.model", "pi0", "pi0_5")
    ]


def test_a_file_of_a_config_group_lies_where_hydra_puts_it(changed):
    path = "RLinf/examples/sft/config/model/pi0_5.yaml"
    before, after = "model_type: openpi\nis_lora: False\n", "model_type: openpi\nis_lora: True\n"
    assert found(changed, after, before, path=path) == [("actor.model.is_lora", False, True)]


def test_an_unknown_section_above_the_hunk_stays_open(changed):
    before = "a:\n  b:\n    c:\n      one: 1\n      two: 2\n      three: 3\n"
    after = before.replace("three: 3", "three: 4")
    assert found(changed, after, before, context=1) == [("a.?.three", 3, 4)]


def test_siblings_tell_the_section_of_a_key_that_nobody_knows(changed):
    after = edit("clip_grad: 1.0\n", "clip_grad: 1.0\n        brand_new: 7\n")
    assert found(changed, after, context=1) == [("actor.optim.brand_new", ABSENT, 7)]


def test_a_whole_new_file(changed):
    assert found(changed, "a:\n  b: 1\nc: [x]\n", before="", path="examples/sft/config/mine.yaml") == [
        ("a.b", ABSENT, 1),
        ("c", ABSENT, ("x",)),
    ]


def test_lines_are_those_of_the_patch(changed):
    (item,) = changed(PATH, CONFIG, edit("seed: 0", "seed: 1"))
    assert (item.file, item.line) == (PATH, 9)


def test_what_is_not_yaml_is_an_error_with_its_line(changed):
    with pytest.raises(PatchError) as caught:
        changed(PATH, CONFIG, edit("seed: 0", "seed: [0"))
    (problem,) = caught.value.diagnostics
    assert problem.code == "patch-yaml"
    assert problem.position.file == "p.patch"
    assert problem.position.line >= 9
