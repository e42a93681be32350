"""Composition by Hydra on a small tree laid out as RLinf's: values, places, and errors that name the file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from vlac.errors import RefusedError
from vlac.rlinf.compose import ComposeError, compose

if TYPE_CHECKING:
    from pathlib import Path

_PRIMARY = """\
defaults:
  - model/pi0@actor.model
  - override hydra/job_logging: stdout

hydra:
  searchpath:
    - file://${oc.env:EMBODIED_PATH}/config/

runner:
  task_type: sft
actor:
  model:
    precision: null
    horizon: ${actor.model.steps}
  options: {}
  0: zero
"""
_MODEL = "precision: bf16\nsteps: 4\nname: ${oc.env:REPO_PATH}/x\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    groups = tmp_path / "examples/sft/config/model"
    groups.mkdir(parents=True)
    (groups / "pi0.yaml").write_text(_MODEL)
    (groups.parent / "run.yaml").write_text(_PRIMARY)
    return tmp_path


def test_leaves_keep_interpolations_and_say_where_they_were_written(tree: Path) -> None:
    leaves = compose(tree / "examples/sft/config/run.yaml").leaves
    model = ("actor", "model")
    primary, group = "examples/sft/config/run.yaml", "examples/sft/config/model/pi0.yaml"
    assert {key: (leaf.value, leaf.file, leaf.line) for key, leaf in leaves.items()} == {
        ("runner", "task_type"): ("sft", primary, 10),
        (*model, "precision"): (None, primary, 13),
        (*model, "horizon"): ("${actor.model.steps}", primary, 14),
        (*model, "steps"): (4, group, 2),
        (*model, "name"): ("${oc.env:REPO_PATH}/x", group, 3),
        ("actor", "options"): ({}, primary, 15),
        ("actor", "0"): ("zero", primary, 16),
    }


def test_the_environment_decides_nothing_and_stays_as_it_was(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBODIED_PATH", "/nowhere")
    monkeypatch.delenv("REPO_PATH", raising=False)
    compose(tree / "examples/sft/config/run.yaml")
    assert os.environ["EMBODIED_PATH"] == "/nowhere"
    assert "REPO_PATH" not in os.environ


def test_a_config_outside_borrows_the_folders_of_the_tree(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("elsewhere") / "mine.yaml"
    outside.write_text(_PRIMARY.replace("sft", "sft  # mine"))
    composition = compose(outside, tree)
    assert composition.leaves["actor", "model", "steps"].file == "examples/sft/config/model/pi0.yaml"
    assert composition.layout.example == tree / "examples/sft"
    with pytest.raises(RefusedError, match="lies in no RLinf tree"):
        compose(outside)


def test_a_missing_group_is_named_with_the_line_that_asks_for_it(tree: Path) -> None:
    (tree / "examples/sft/config/engines").mkdir()
    (tree / "examples/sft/config/engines/pi0.yaml").write_text("a: 1\n")
    config = tree / "examples/sft/config/run.yaml"
    (tree / "examples/sft/config/model/pi0.yaml").unlink()
    with pytest.raises(ComposeError) as caught:
        compose(config)
    assert (caught.value.missing, caught.value.file, caught.value.line) == ("model/pi0", config, 2)
    assert caught.value.hint == "did you mean engines/pi0?"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "duplicate key"),
        ("a: [1,\n", 2, "found"),
        ("- a\n", None, "DictConfig"),
        ("a: ${oc.env\n", None, "alternative"),
        ("a: \udcff\n", None, "utf-8"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tree: Path, text: str, line: int | None, words: str) -> None:
    config = tree / "examples/sft/config/broken.yaml"
    config.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ComposeError, match=words) as caught:
        compose(config)
    assert caught.value.line == line
    assert "\n" not in str(caught.value)


def test_a_copy_elsewhere_finds_the_groups_that_lay_beside_it(tree: Path) -> None:
    text = (
        (tree / "examples/sft/config/run.yaml")
        .read_text()
        .replace("searchpath:", "")
        .replace("- file", "# file")
    )
    elsewhere = tree / "it's elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.yaml").write_text(text.replace("hydra:\n", ""))
    found = compose(elsewhere / "mine.yaml", tree)
    assert found.values == compose(tree / "examples/sft/config/run.yaml").values
    assert found.leaves["actor", "model", "steps"].file == "examples/sft/config/model/pi0.yaml"
