"""Placeholders that stay from a base warn at compile and stop a run."""

from __future__ import annotations

import pytest

from vlac.cli import main
from vlac.rlinf.placeholders import is_placeholder

from .conftest import SPEC


def test_inherited_placeholders_are_told_with_their_place(compiled):
    (found,) = compiled().diagnostics  # the rollout loads the same: one problem, one message
    assert (found.code, found.severity) == ("base-placeholder", "warning")
    assert "actor.model.model_path keeps the placeholder /path/to/model" in found.message
    assert "(examples/embodiment/config/ppo.yaml:" in found.message
    assert found.hint == "write model.weights; vlac run stops at a placeholder"


def test_what_is_written_is_no_placeholder_any_more(compiled):
    assert compiled("model: {weights: /data/pi05}\n").diagnostics == ()


def test_a_run_does_not_start_with_one(tree, capsys):
    spec = tree / "run.yaml"
    spec.write_text(SPEC + "hardware: {backend: cpu, cards: 2}\n")
    assert main(["run", str(spec)]) == 3
    assert "actor.model.model_path is a placeholder" in capsys.readouterr().err


def test_a_run_asks_for_a_backend(tree, capsys):
    spec = tree / "nowhere.yaml"
    spec.write_text(SPEC)
    assert main(["run", str(spec)]) == 1
    assert "nowhere.yaml:4:7: error[run-no-backend]" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["/path/to/model", "path/to/x", "MODEL_PATH", "a/<repo_id>", "ROBOT_IP"])
def test_rlinfs_spellings(text):
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["/data/path", "${actor.model.model_path}", "all", "0-7", "<|im_start|>"])
def test_what_is_none(text):
    assert not is_placeholder(text)
