"""Public changes of RLinf beside the shipped spec: each is taken from a clone, none of their text is kept here.

The verdicts were written down from reading the commits, before `vlac diff` was run on them. VLAC_TEST_RLINF_REPOSITORY
names the clone.
"""

import os
import subprocess
from pathlib import Path

import pytest

import vlac
from vlac.diff.inputs import joined
from vlac.diff.on_tree import compare_patch
from vlac.patches.parse import parse

pytestmark = pytest.mark.corpus  # minutes: `make corpus`

SPEC = Path(__file__).parents[2] / "specs/pi05_libero10_8x910b3.yaml"
DEAD, SAME, REDUNDANT, UNNEEDED = "dead", "same", "redundant", "not needed"
DIFFERS, ONLY = "differs", "only in patch"


def git(*arguments):
    repository = os.environ.get("VLAC_TEST_RLINF_REPOSITORY", "")
    if not repository:
        pytest.skip("no history of RLinf: set VLAC_TEST_RLINF_REPOSITORY to a clone of it")
    ran = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=False)
    if ran.returncode:
        pytest.skip(f"{repository}: {ran.stderr.decode().strip()}")
    return ran.stdout


@pytest.fixture
def compared(tmp_path):
    """The comparison of a commit with the bundle, on the tree that it was made on."""

    def compare(commit, *parts):
        subprocess.run(["tar", "-x", "-C", str(tmp_path)], input=git("archive", f"{commit}^"), check=True)
        change = git("diff", "--no-renames", f"{commit}^", commit, "--", *parts)
        bundle = vlac.compile(SPEC)
        return compare_patch(parse(change, commit), tmp_path, bundle)

    return compare


def verdicts(comparison, kind):
    """Verdicts by name; keys of a config are called by the config first."""
    found = {}
    for one in comparison.differences:
        if one.kind == kind:
            name = f"{Path(one.config).stem}: {one.name}" if one.config else one.name
            found.setdefault(name, []).append(one.verdict.value)
    return found


def once(verdict, *names):
    return {name: [verdict] for name in names}


RUNNERS = ("libero_sft_openpi", "custom_sft_openpi", "realworld_sft_openpi", "robotwin_sft_openpi")
SFT = "examples/sft/config"


def test_8b5f705fa_removes_sections_that_no_sft_run_reads(compared):
    found = compared("8b5f705fa", "examples")
    openpi = (*RUNNERS, "robotwin_sft_openpi_pi05")
    # Written down as dead, both. The code is right about the second: validate_cfg reads it where there is a `critic`.
    wanted = once(DEAD, *(f"{name}: reward.use_reward_model" for name in openpi))
    wanted |= once(SAME, *(f"{name}: critic.use_critic_model" for name in openpi))
    assert verdicts(found, "config") == wanted
    others = (
        "droid_sft_dreamzero",
        "libero_sft_dreamzero",
        "libero_sft_dreamzero_5b",
        "qwen2_5_sft_vlm",
        "qwen3_sft_vlm",
        "robotwin_sft_lingbotvla",
    )
    assert verdicts(found, "file") == once(DEAD, *(f"{SFT}/{name}.yaml" for name in others))
    assert not found.has_differences


def test_fc9b565d7_takes_fsdp_size_away(compared):
    found = compared("fc9b565d7", "examples", "rlinf")
    assert verdicts(found, "config") == once(SAME, "libero_sft_openpi: actor.fsdp_config.fsdp_size")
    assert verdicts(found, "read") == once(UNNEEDED, "actor.fsdp_config.fsdp_size")
    code = verdicts(found, "code")
    assert code["rlinf/workers/sft/fsdp_vla_sft_worker.py"] == [ONLY] * 4  # an import, and three blocks
    assert code["rlinf/hybrid_engines/fsdp/utils.py"] == [ONLY]
    assert code["rlinf/hybrid_engines/fsdp/fsdp_model_manager.py"] == [ONLY]
    files = verdicts(found, "file")
    assert set(map(tuple, files.values())) == {(DEAD,)}
    assert "examples/embodiment/config/training_backend/fsdp.yaml" in files
    assert found.has_differences


def test_c4eb50680_shards_as_the_bundle_does(compared):
    found = compared("c4eb50680", "examples", "rlinf")
    assert verdicts(found, "config") == once(SAME, "libero_sft_openpi: actor.fsdp_config.sharding_strategy")
    assert verdicts(found, "code") == {"rlinf/workers/sft/fsdp_sft_worker.py": [ONLY] * 3}
    assert verdicts(found, "read") == {}
    assert found.has_differences


def test_16c3b6dd7_brings_the_recipe_that_the_bundle_has(compared):
    found = compared("16c3b6dd7", "examples", "rlinf")
    recipe = {
        "runner.max_epochs": DIFFERS,  # 30000 epochs, where the bundle counts steps
        "runner.save_interval": SAME,
        "actor.micro_batch_size": SAME,
        "actor.global_batch_size": SAME,
        "actor.optim.lr": SAME,
        "actor.optim.adam_eps": SAME,
        "actor.optim.weight_decay": SAME,
        "actor.optim.warmup_style": DEAD,
        "actor.optim.lr_warmup_steps": SAME,
        "actor.optim.total_training_steps": SAME,
    }
    everywhere = ("actor.fsdp_config.use_orig_params", "actor.model.openpi.train_expert_only")
    configs = ("libero_sft_openpi", "custom_sft_openpi", "robotwin_sft_openpi")
    wanted = {f"libero_sft_openpi: {key}": [verdict] for key, verdict in recipe.items()}
    wanted |= once(SAME, *(f"{config}: {key}" for config in configs for key in everywhere))
    assert verdicts(found, "config") == wanted
    assert verdicts(found, "code") == {
        "rlinf/workers/sft/fsdp_sft_worker.py": [ONLY] * 3
    }  # layout says nothing
    by_template = {one.file for one in found.differences if one.name.endswith("train_expert_only")}
    assert by_template == {f"{SFT}/model/pi0.yaml"}


def test_832db3f5c_reads_the_data_path_otherwise(compared):
    found = compared("832db3f5c", "examples", "rlinf")
    assert verdicts(found, "read")["data.train_data_paths"] == [UNNEEDED]
    code = verdicts(found, "code")
    assert set(code["rlinf/workers/sft/fsdp_vla_sft_worker.py"]) == {ONLY}
    assert set(code["rlinf/data/lerobot_paths.py"]) == {ONLY}  # a new file that the worker imports
    assert set(code["examples/sft/train_vla_sft.py"]) == {ONLY}
    for file in ("examples/recap/cfg/train_cfg.py", "rlinf/workers/actor/fsdp_actor_worker.py"):
        assert set(code[file]) == {DEAD}
    assert verdicts(found, "config") == {}
    assert found.has_differences


def test_d00fe7206_is_of_another_worker(compared):
    found = compared("d00fe7206")
    assert {one.verdict.value for one in found.differences} == {DEAD}
    assert "rlinf/workers/sft/fsdp_value_sft_worker.py" in verdicts(found, "code")
    assert not found.has_differences


def test_8587bac45_changes_a_part_of_the_model_that_this_run_does_not_use(compared):
    found = compared("8587bac45", "examples", "rlinf")
    key = "maniskill_rlt_stage1_sft_openpi_pi05: actor.model.openpi.rlt_num_rl_tokens"
    assert verdicts(found, "config") == once(SAME, key)  # neither has it
    assert verdicts(found, "file") == once(
        DEAD, "examples/embodiment/config/maniskill_rlt_stage2_ac_mlp.yaml"
    )
    code = verdicts(found, "code")
    assert code["rlinf/models/embodiment/openpi/openpi_action_model.py"] == [ONLY, ONLY]
    assert set(code["rlinf/workers/env/env_worker.py"]) == {DEAD}


def test_34cacb3f7_renames_a_group_and_changes_nothing_of_the_run(compared):
    found = compared("34cacb3f7", "examples/sft")
    config = verdicts(found, "config")
    assert config
    assert {verdict for every in config.values() for verdict in every} == {REDUNDANT}
    assert "libero_sft_openpi: actor.fsdp_config.sharding_strategy" in config
    assert not found.has_differences


def test_b29a540ef_adds_a_config_for_another_data_set(compared):
    found = compared("b29a540ef", "examples", "rlinf")
    wanted = {
        "actor.model.openpi.config_name": [DIFFERS],
        "cluster.component_placement.actor,env,rollout": [DIFFERS],
        "actor.global_batch_size": [DIFFERS],
        "actor.fsdp_config.sharding_strategy": [DIFFERS],
        "actor.model.is_lora": [SAME],  # from the template that its defaults bring in
        "actor.model.lora_rank": [SAME],
        "runner.task_type": [SAME],
        "data.data_path": [ONLY],  # what this version calls train_data_paths
    }
    config = verdicts(found, "config")
    assert {key: config.get(f"robotwin_sft_openpi: {key}") for key in wanted} == wanted
    code = verdicts(found, "code")
    assert code["rlinf/workers/sft/fsdp_sft_worker.py"] == [ONLY]
    assert code["rlinf/models/embodiment/openpi/__init__.py"][-1] == ONLY
    defaults = [one for one in found.differences if one.name == "actor.model.lora_rank"]
    assert "model/pi0@actor.model" in defaults[0].cause
    assert found.has_differences


def test_two_patches_in_a_row_are_one_change(tmp_path):
    """A folder of patches: the second stands on the first."""
    packed = git("archive", "16c3b6dd7^", "rlinf", "examples", "pyproject.toml")
    subprocess.run(["tar", "-x", "-C", str(tmp_path)], input=packed, check=True)
    first = parse(git("diff", "16c3b6dd7^", "16c3b6dd7", "--", "examples/sft"), "1.patch")
    second = parse(git("diff", "--no-renames", "c4eb50680^", "c4eb50680", "--", "examples/sft"), "2.patch")
    found = compare_patch(joined([first, second], "both"), tmp_path, vlac.compile(SPEC))
    sharding = next(one for one in found.differences if one.name == "actor.fsdp_config.sharding_strategy")
    assert (sharding.source, sharding.verdict.value) == ("2.patch", SAME)
    assert any(one.source == "1.patch" for one in found.differences)
