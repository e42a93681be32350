"""A change on a tree: composed before and after, each key with the line that causes it. A tree of three configs."""

import json

import pytest

from vlac.cli import main
from vlac.diff.image import between
from vlac.diff.on_tree import compare_images

composes = pytest.mark.real  # Hydra takes a fifth of a second a side

GROUP = "model_type: openpi\nnum_steps: 4\nopenpi:\n  config_name: pi0_libero\n"
OTHER = "model_type: openpi\nnum_steps: 5\nopenpi:\n  config_name: pi05_libero\n  value_after_vlm: false\n"
STOCK = """\
defaults:
  - model/pi0@actor.model
hydra: {searchpath: ["file://${oc.env:EMBODIED_PATH}/config/"]}
runner:
  task_type: sft
actor:
  micro_batch_size: 4
  training_backend: fsdp
"""
RL = "runner:\n  task_type: embodied\nactor: {micro_batch_size: 1}\n"
CONFIG = "examples/sft/config/libero_sft_openpi.yaml"
SCRIPT = "examples/sft/run_vla_sft.sh"
FILES = {
    CONFIG: STOCK,
    "examples/sft/config/model/pi0.yaml": GROUP,
    "examples/sft/config/model/pi0_5.yaml": OTHER,
    "examples/embodiment/config/rl.yaml": RL,
    SCRIPT: "export MUJOCO_GL=egl\npython train_vla_sft.py\n",
    "examples/sft/other.sh": "export A=1\n",
}


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def changed(tree, bundle):
    """The differences that new texts of files make, by name."""

    def compare(**texts):
        paths = {path.rpartition("/")[2].partition(".")[0]: path for path in FILES}
        images = [between(paths[name], FILES[paths[name]], text) for name, text in texts.items()]
        return compare_images(images, tree, bundle, "change")

    return compare


def by_name(comparison):
    return {one.name: one for one in comparison.differences}


def test_an_entry_of_defaults_shows_every_key_that_it_changes(changed):
    found = by_name(changed(libero_sft_openpi=STOCK.replace("model/pi0@", "model/pi0_5@")))
    verdicts = {name: one.verdict.value for name, one in found.items()}
    assert verdicts == {
        "actor.model.num_steps": "same",
        "actor.model.openpi.config_name": "same",
        "actor.model.openpi.value_after_vlm": "same",
    }
    assert {one.cause for one in found.values()} == {"+  - model/pi0_5@actor.model"}
    assert "in the tree: examples/sft/config/model/pi0_5.yaml:5" in (
        found["actor.model.openpi.value_after_vlm"].judgement.reason
    )


@composes
def test_a_line_of_a_template_is_seen_in_the_config_that_brings_it_in(changed):
    (one,) = changed(pi0=GROUP.replace("4", "7")).differences
    assert (one.config, one.file, one.line) == (CONFIG, "examples/sft/config/model/pi0.yaml", 2)
    assert (one.name, one.patch, one.verdict.value) == ("actor.model.num_steps", 7, "differs")


@composes
def test_a_line_that_changes_nothing_is_redundant_with_the_place_that_has_it(changed):
    (one,) = changed(libero_sft_openpi=STOCK + "  model: {num_steps: 4}\n").differences
    assert one.verdict.value == "redundant"
    assert "examples/sft/config/model/pi0.yaml:2" in one.judgement.reason


@composes
def test_a_value_that_the_config_overrides_is_changed_in_vain(changed, tree):
    (tree / CONFIG).write_text(STOCK + "  model: {num_steps: 5}\n")
    found = changed(pi0=GROUP.replace("num_steps: 4", "num_steps: 9"))
    (one,) = found.differences
    assert (one.patch, one.verdict.value) == (5, "redundant")


@composes
def test_the_model_that_the_patch_leaves_is_told_with_its_line(changed):
    found = changed(libero_sft_openpi=STOCK.replace("size: 4", "size: 4 # note"))
    assert found.differences == ()
    (sentence,) = [one for one in found.lacks if "would train" in one]
    assert "examples/sft/config/model/pi0.yaml:4 has config_name pi0_libero" in sentence
    assert "this spec trains pi05 (pi05_libero)" in sentence


@composes
def test_a_template_that_no_config_brings_in_is_dead(changed):
    (one,) = changed(pi0_5=OTHER.replace("5", "6")).differences
    assert (one.kind, one.verdict.value) == ("file", "dead")


@composes
def test_a_config_of_another_task_is_dead(changed):
    found = changed(rl=RL.replace("1", "2"))
    (one,) = found.differences
    assert one.verdict.value == "dead"
    assert "task embodied" in one.judgement.reason
    assert not found.has_differences


@composes
def test_a_config_that_does_not_compose_any_more(changed):
    (one,) = changed(libero_sft_openpi=STOCK.replace("model/pi0@", "model/none@")).differences
    assert one.verdict.value == "only in patch"
    assert "its defaults name model/none" in one.judgement.reason


@composes
def test_scripts_that_start_such_runs_count_and_others_do_not(changed):
    found = by_name(
        changed(run_vla_sft="export MUJOCO_GL=osmesa\npython train_vla_sft.py\n", other="export A=2\n")
    )
    assert found["MUJOCO_GL"].verdict.value == "same"
    assert found["A"].verdict.value == "dead"


@composes
def test_without_code_it_is_said_what_was_not_looked_at(changed):
    (sentence,) = changed(pi0=GROUP.replace("4", "7")).undecided
    assert sentence.startswith("what the code reads")


@composes
def test_the_tree_is_not_touched(changed, tree):
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    changed(pi0=GROUP.replace("4", "7"))
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


# The command


@pytest.fixture
def spec(tmp_path, spec_text):
    path = tmp_path / "spec.yaml"
    path.write_text(spec_text, encoding="utf-8")
    return path


def test_a_patch_that_does_not_apply_is_trouble(spec, tree, tmp_path, patch_text, capsys):
    patch = tmp_path / "p.patch"
    patch.write_text(
        patch_text(CONFIG, " defaults:", "-  - model/pi@actor.model", "+  - model/pi0_5@actor.model")
    )
    assert main(["diff", str(spec), "--patch", str(patch), "--rlinf", str(tree)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "line 2 is `- model/pi0@actor.model` where the patch has `- model/pi@actor.model`" in captured.err
    assert "patch-fits" in captured.err


@composes
def test_keys_are_grouped_under_the_line(spec, tree, tmp_path, patch_text, capsys):
    patch = tmp_path / "p.patch"
    lines = (
        " defaults:",
        "-  - model/pi0@actor.model",
        "+  - model/pi0_5@actor.model",
        " hydra: {searchpath: X}",
    )
    patch.write_text(patch_text(CONFIG, *lines[:3], STOCK.splitlines()[2].join([" ", ""])))
    assert main(["diff", str(spec), "--patch", str(patch), "--rlinf", str(tree)]) == 0
    out = capsys.readouterr().out
    assert f"  3 keys of {CONFIG} by {patch}:7:\n" in out.replace("\n      /", " /")
    assert "      +  - model/pi0_5@actor.model\n" in out


@composes
def test_an_edited_config_of_the_tree(spec, tree, tmp_path, capsys):
    mine = tmp_path / "libero_sft_openpi.yaml"
    mine.write_text(STOCK.replace("size: 4", "size: 8"))
    assert main(["diff", str(spec), "--patch", str(mine), "--rlinf", str(tree), "--json"]) == 1
    (entry,) = json.loads(capsys.readouterr().out)["differences"]
    assert (entry["key"], entry["verdict"], entry["source"], entry["line"]) == (
        "actor.micro_batch_size",
        "differs",
        CONFIG,
        7,
    )


@composes
def test_a_checkout_beside_its_unchanged_tree(spec, tree, tmp_path, capsys):
    other = tmp_path / "checkout"
    for name, text in FILES.items():
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_text(text.replace("micro_batch_size: 4", "micro_batch_size: 8"))
    assert main(["diff", str(spec), "--checkout", str(other), "--rlinf", str(tree)]) == 1
    assert "actor.micro_batch_size: 8 in the patch, 4 in the bundle" in capsys.readouterr().out


def test_a_checkout_without_history_needs_its_tree(spec, tree, capsys):
    assert main(["diff", str(spec), "--checkout", str(tree)]) == 2
    assert "--rlinf PATH" in capsys.readouterr().err


def test_unified_needs_a_tree(spec, capsys):
    assert main(["diff", str(spec), "--format", "unified"]) == 2
    assert "--rlinf PATH" in capsys.readouterr().err
