"""What may be given as a change: patches, mails, folders, edited configs; and two runs."""

import json
from pathlib import Path

import pytest

from vlac.cli import main
from vlac.diff.fits import fitting, known_blobs
from vlac.diff.inputs import place_of, read_patch
from vlac.diff.runs import compare_runs
from vlac.diff.sides import side_of
from vlac.patches.parse import PatchError, parse

CONFIG = "examples/sft/config/libero_sft_openpi.yaml"
SCRIPT = "examples/sft/run_vla_sft.sh"
MAIL = """\
From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001
From: A Person <a@example.org>
Subject: sft: eight cards

---
 examples/sft/run_vla_sft.sh | 1 +

PATCH--SPACE
2.39.2

"""


@pytest.fixture
def spec(tmp_path, spec_text):
    path = tmp_path / "spec.yaml"
    path.write_text(spec_text, encoding="utf-8")
    return path


def test_a_mail_of_format_patch(tmp_path, spec, patch_text, capsys):
    mail = tmp_path / "0001-sft.patch"
    text = patch_text(SCRIPT, "+export JAX_PLATFORMS=cpu")
    mail.write_text(MAIL.replace("SPACE", " ").replace("PATCH", text))
    assert main(["diff", str(spec), "--patch", str(mail)]) == 0
    assert "same          JAX_PLATFORMS=cpu" in capsys.readouterr().out


def test_a_folder_of_patches_is_read_by_name(tmp_path, spec, patch_text, capsys):
    folder = tmp_path / "patches"
    folder.mkdir()
    (folder / "0002.patch").write_text(patch_text(SCRIPT, "+export B=2"))
    (folder / "0001.patch").write_text("\n" * 7 + patch_text(SCRIPT, "+export A=1"))
    (folder / "README").write_text("no patch")
    assert main(["diff", str(spec), "--patch", str(folder), "--json"]) == 1
    entries = json.loads(capsys.readouterr().out)["differences"]
    places = [(entry["key"], Path(entry["source"]).name, entry["line"]) for entry in entries]
    assert places == [("A", "0001.patch", 12), ("B", "0002.patch", 5)]


def test_all_broken_patches_of_a_folder_are_told(tmp_path):
    for name in ("1.patch", "2.diff"):
        (tmp_path / name).write_text("nothing")
    with pytest.raises(PatchError) as caught:
        read_patch(tmp_path)
    assert [problem.position.file for problem in caught.value.diagnostics] == [
        str(tmp_path / "1.patch"),
        str(tmp_path / "2.diff"),
    ]


def test_a_folder_without_patches(tmp_path):
    with pytest.raises(PatchError, match=r"no \*\.patch"):
        read_patch(tmp_path)


EDITED = """\
defaults:
  - model/pi0_5@actor.model
  - training_backend/fsdp@actor.fsdp_config
  - override hydra/job_logging: stdout
cluster: {num_nodes: 1, component_placement: {"actor,env,rollout": 0-7}}
actor:
  micro_batch_size: 8
  model: {openpi: {config_name: pi05_libero}}
"""


def test_an_edited_config_by_the_data_of_the_version(tmp_path, spec, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text(EDITED)
    assert main(["diff", str(spec), "--patch", str(path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    found = {entry["key"]: entry["verdict"] for entry in document["differences"]}
    assert found["cluster.component_placement.actor,env,rollout"] == "same"
    assert found["actor.micro_batch_size"] == "differs"
    assert found["actor.model.openpi.train_expert_only"] == "differs"  # from the template pi0_5
    assert document["undecided"] == []


def test_a_config_that_is_called_like_rlinfs_own_counts_where_it_was_edited(tmp_path, spec, capsys):
    path = tmp_path / Path(CONFIG).name
    path.write_text(EDITED)
    main(["diff", str(spec), "--patch", str(path), "--json"])
    entries = json.loads(capsys.readouterr().out)["differences"]
    assert "actor.model.is_lora" not in {entry["key"] for entry in entries}


def test_a_group_that_the_data_does_not_have_is_not_decided(tmp_path, spec, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text("defaults:\n  - model/gr00t@actor.model\nactor:\n  micro_batch_size: 4\n")
    assert main(["diff", str(spec), "--patch", str(path)]) == 0
    assert "model/gr00t@actor.model: vlac's data does not say" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("examples/sft/config/a.yaml", "", "examples/sft/config/a.yaml"),
        ("b.yaml", "", "examples/sft/config/b.yaml"),
        ("new.yaml", "runner:\n  task_type: sft\n", "examples/sft/config/new.yaml"),
        ("new.yaml", "runner:\n  task_type: embodied\n", "examples/embodiment/config/new.yaml"),
    ],
)
def test_where_a_config_belongs_in_a_tree(tmp_path, name, text, place):
    tree = tmp_path / "tree"
    for folder in ("sft", "embodiment"):
        (tree / f"examples/{folder}/config").mkdir(parents=True)
        (tree / f"examples/{folder}/config/b.yaml").write_text("")
    assert place_of(tmp_path / "mine" / name, text, tree) == place


def test_the_version_that_a_patch_was_made_for(shipped, tmp_path):
    notes = [note.message for note in fitting(shipped, tmp_path)]
    assert "the patch was made for RLinf a4b6abe20:" in notes[0]
    unknown = parse(b"--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,1 @@\n-a\n+b\n", "p")
    assert "not made for a version that vlac knows" in next(fitting(unknown, tmp_path)).message
    assert set(known_blobs()) == {"0.3", "main", "a4b6abe20"}


def test_a_group_file_under_its_new_name(tmp_path):
    new = tmp_path / "examples/sft/config/hybrid_engines/fsdp.yaml"
    new.parent.mkdir(parents=True)
    new.write_text("")
    old = b"--- a/F\n+++ b/F\n@@ -1,1 +1,1 @@\n-a\n+b\n".replace(
        b"F", b"examples/sft/config/training_backend/fsdp.yaml"
    )
    assert any("hybrid_engines" in note.message for note in fitting(parse(old, "p"), tmp_path))


# Two runs


BUNDLES = Path(__file__).parents[2] / "golden/bundles"
NAMES = [f"pi05_libero10_8x910b3-{rest}" for rest in ("ascend-910B3-0.3", "cuda-H100-main")]


def sides(*paths):
    return [side_of(path, None, None) for path in paths]


def test_a_bundle_beside_itself():
    runs = compare_runs(*sides(BUNDLES / NAMES[0], BUNDLES / NAMES[0]))
    assert not runs.has_differences
    assert runs.same > 60


def test_two_bundles_apart():
    runs = compare_runs(*sides(*(BUNDLES / name for name in NAMES)))
    found = {one.name: one for one in runs.differences}
    assert (found["backend"].first, found["backend"].second) == ("ascend", "cuda")
    assert found["MUJOCO_GL"].verdict == "differs"
    assert found["TORCH_TRANSFER_TO_NPU"].verdict == "only in first"
    assert "adapter, ascend" in found["TORCH_TRANSFER_TO_NPU"].first_place


def test_a_spec_beside_the_folder_of_a_run(tmp_path, spec, capsys):
    import vlac

    run = tmp_path / "run"
    (run / "bundle").mkdir(parents=True)
    for name, content in vlac.compile(spec).files.items():
        (run / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
        (run / "bundle" / name).write_bytes(content)
    assert main(["diff", str(spec), str(run)]) == 0
    assert main(["diff", str(spec), str(run), "--set", "train.lr=1e-4", "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["differences"]
    assert (one["name"], one["first"], one["second"]) == ("actor.optim.lr", 1e-4, 2.5e-5)
    assert one["first_place"].startswith("--set[1]")


def test_secrets_of_two_runs_are_not_repeated(tmp_path, spec, spec_text, capsys):
    other = tmp_path / "other.yaml"
    other.write_text(spec_text + "env: {MY_TOKEN: geheim}\n")
    assert main(["diff", str(spec), str(other)]) == 1
    out = capsys.readouterr().out
    assert "MY_TOKEN=(hidden)" in out
    assert "geheim" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none"], "no such file or folder"),
        (["."], "neither a bundle nor the folder of a run"),
        (["x", "--patch", "y"], "leave --patch and --checkout out"),
    ],
)
def test_trouble_with_two_runs_is_2(tmp_path, spec, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert main(["diff", str(spec), *arguments]) == 2
    assert words in capsys.readouterr().err
