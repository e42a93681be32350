""".ci/run: every stage runs, each failure counts, and the summary says which."""

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / ".ci/run"
STAGES = ["environment", "test", "lint", "real"]


def run(folder, failing=""):
    """Run it with a `make` that notes its goal and fails for one of them, as pytest does where it finds no test."""
    make = folder / "make"
    make.write_text(f'#!/bin/sh\necho "$1" >> {folder}/goals\n[ "$1" != "{failing}" ] || exit 5\n')
    make.chmod(0o755)
    variables = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run([RUN], env=variables, capture_output=True, text=True, timeout=30, check=False)


def test_all_stages_pass(tmp_path):
    ran = run(tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (tmp_path / "goals").read_text().split() == STAGES
    assert ran.stdout.count("passed") == len(STAGES) + 1


@pytest.mark.parametrize("stage", STAGES)
def test_one_failure_is_a_failure_and_hides_nothing(tmp_path, stage):
    ran = run(tmp_path, failing=stage)
    assert ran.returncode == 1
    assert (tmp_path / "goals").read_text().split() == STAGES
    assert f"FAILED: {stage}\n" in ran.stdout
    assert "exit status 5" in ran.stdout
