from __future__ import annotations

import io
import sys

import pytest

import vlac
from vlac import cli
from vlac.run import rlinf_files, summary
from vlac.run.checks import Check
from vlac.run.launch import Launch
from vlac.run.progress import Progress
from vlac.run.supervise import Outcome

SPEC = """
vlac: 1
name: tiny
rlinf: {version: "0.3"}
model: {family: demo}
hardware: {backend: cpu, cards: 2}
train: {steps: 30, micro_batch: 2, global_batch: 8, warmup_steps: 3}
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC)
    return path


def test_a_dry_run_writes_nothing(spec, capsys):
    before = sorted(spec.parent.rglob("*"))
    assert cli.main(["run", str(spec), "--dry-run", "--smoke", "--set", "train.micro_batch=1"]) == 0
    out = capsys.readouterr().out
    assert f"# Run folder: {spec.parent}/results/tiny/1\n" in out
    assert out.rstrip().endswith("runner.max_steps=2")
    assert sorted(spec.parent.rglob("*")) == before


def test_a_short_trial_from_a_checkpoint_makes_two_steps_more(spec, capsys):
    spec.write_text(SPEC + "checkpoints: {resume: /old/global_step_20}\n")
    assert cli.main(["run", str(spec), "--dry-run", "--smoke"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("runner.max_steps=22")


def test_another_output_folder(spec, tmp_path, capsys):
    assert cli.main(["run", str(spec), "--dry-run", "-o", str(tmp_path / "it's here")]) == 0
    assert f"# Run folder: {tmp_path}/it's here/tiny/1\n" in capsys.readouterr().out


def test_another_backend(spec, capsys):
    assert cli.main(["run", str(spec), "--dry-run", "--backend", "cuda:H100"]) == 0
    assert "--object-store-memory" not in capsys.readouterr().out


def test_a_machine_that_cannot_run_it_is_refused_before_anything_is_written(spec, capsys, monkeypatch):
    monkeypatch.setattr(rlinf_files, "ask", lambda _: {})
    assert cli.main(["run", str(spec)]) == 3
    assert "vla-compiler[run]" in capsys.readouterr().err
    assert not (spec.parent / "results").exists()


def test_a_wrong_spec_is_refused(spec, capsys):
    spec.write_text(SPEC.replace("micro_batch: 2", "micro_batch: 3"))
    assert cli.main(["run", str(spec)]) == 1
    assert "spec.yaml:7" in capsys.readouterr().err


def finish(spec, tmp_path, monkeypatch, outcome: Outcome, *checks: Check) -> tuple[int, str]:
    monkeypatch.setattr(summary, "all_checks", lambda _: list(checks))
    monkeypatch.setattr(rlinf_files, "ask", lambda _: {"version": "0.3.0", "files": 2, "changed": []})
    launch = Launch(vlac.compile(spec), spec.parent, {}, sys.executable)
    out = io.StringIO()
    return summary.finish(launch, tmp_path, outcome, out), out.getvalue()


def outcome(status=0, **more) -> Outcome:
    return Outcome(status=status, training_status=status, seconds=72.0, **more)


def test_a_good_run_ends_with_0_and_its_checks(spec, tmp_path, monkeypatch):
    code, said = finish(spec, tmp_path, monkeypatch, outcome(), Check("loss", "not checked", "too few steps"))
    assert code == 0
    assert f"run folder: {tmp_path}" in said
    assert "not checked  loss                too few steps" in said
    assert "rlinf 0.3.0: 2 files equal the wheel's RECORD" in said


def test_a_run_from_a_checkpoint_tells_the_steps_that_it_made(spec, tmp_path, monkeypatch):
    spec.write_text(SPEC + "checkpoints: {resume: /old/global_step_20}\n")
    seen = outcome(last_progress=Progress(30, 30, None, None, {}))
    _, said = finish(spec, tmp_path, monkeypatch, seen)
    assert "trained demo for 10 steps of 8 samples, from step 20 on, on 2 ranks" in said


def test_a_failed_check_ends_a_good_training_with_1(spec, tmp_path, monkeypatch):
    code, said = finish(spec, tmp_path, monkeypatch, outcome(), Check("loss", "failed", "it rose"))
    assert (code, "failed" in said) == (1, True)


def test_a_changed_rlinf_is_a_failed_check(spec, tmp_path, monkeypatch):
    monkeypatch.setattr(summary, "all_checks", lambda _: [])
    monkeypatch.setattr(
        rlinf_files, "ask", lambda _: {"version": "0.3.0", "files": 2, "changed": ["rlinf/a.py"]}
    )
    out = io.StringIO()
    code = summary.finish(Launch(vlac.compile(spec), tmp_path, {}, "python"), tmp_path, outcome(), out)
    assert (code, "rlinf/a.py" in out.getvalue()) == (1, True)


@pytest.mark.parametrize(
    ("ended", "code", "words"),
    [
        (outcome(7, first_error="ValueError: first"), 7, "ValueError: first"),
        (outcome(0, fault="x", died=("ActorGroup:1 (pid 5)",)), 1, "worker ActorGroup:1 (pid 5) died"),
        (outcome(5, fault="x"), 5, "vlac ended the run"),
        (outcome(143, signal=2), 130, "Ctrl-C"),
        (outcome(143, signal=15), 143, "TERM"),
    ],
)
def test_how_a_run_that_failed_is_told(spec, tmp_path, monkeypatch, ended, code, words):
    found, said = finish(spec, tmp_path, monkeypatch, ended, Check("loss", "failed", "not looked at"))
    assert found == code
    assert words in said
    assert "not looked at" not in said
