"""`vlac diagnose` as it is called: files, run folders, Ray's session folder, JSON, exit codes."""

import json
import os
from pathlib import Path

import pytest

from vlac import adapter_registry
from vlac.cli import main
from vlac.diagnose.files import logs_of

DISK = "OSError: [Errno 28] No space left on device\n"
NO_DEVICE = "AssertionError: Torch not compiled with CUDA enabled\n"
LOGS = Path(__file__).parent / "logs"


@pytest.fixture
def run_folder(tmp_path):
    """A run folder with what may lie in one."""
    folder = tmp_path / "results/pi05/3"
    for name, text in {
        "run.log": "[INFO 12:00:00 RLinf] begin\nException occurred while running W's function f: exception is x\n",
        "logs/ActorGroup/rank_1.log": f"[ERROR 12:00:01 ActorGroup-Rank-1][a.py:1] {DISK}",
        "bundle/notes.log": "Fatal Python error: not this one\n",
        "bundle/vlac.lock.json": json.dumps({"target": {"backend": "ascend"}}),
        "pi05/checkpoints/x.txt": "Fatal Python error: nor this\n",
        "tensorboard/events.out.tfevents.1": "Fatal Python error: nor this",
        "events.jsonl": "{}\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_log_is_diagnosed_and_that_is_a_success(tmp_path, capsys):
    (tmp_path / "run.log").write_text(DISK)
    assert main(["diagnose", str(tmp_path / "run.log")]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("cause: machine-disk-full (the driver)\n")
    assert said.err == ""


def test_a_log_without_a_fault_is_a_success_too(tmp_path, capsys):
    (tmp_path / "run.log").write_text("all is well\n")
    assert main(["diagnose", str(tmp_path / "run.log")]) == 0
    assert capsys.readouterr().out == "no fault in the log; it shows no step of a training\n"


def test_json_for_programs(capsys):
    assert main(["diagnose", "--json", str(LOGS / "worker-crashed.log")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["diagnostics"] == []
    diagnosis = document["diagnosis"]
    assert (diagnosis["found"], diagnosis["id"], diagnosis["rank"]) == ("cause", "machine-crash", 1)
    assert set(diagnosis) == {
        "found", "id", "what", "cure", "retryable", "time", "file", "line", "rank", "ranks", "evidence", "before",
        "followed", "warnings", "survived", "notes", "steps", "files",
    }  # fmt: skip


def test_a_run_folder_gives_its_logs_and_its_backend(run_folder, capsys):
    assert [path.name for path in logs_of([run_folder])] == ["run.log", "rank_1.log"]
    assert main(["diagnose", str(run_folder)]) == 0
    assert "cause: machine-disk-full (rank 1, at 12:00:01)" in capsys.readouterr().out
    (run_folder / "run.log").write_text(NO_DEVICE)
    (run_folder / "logs/ActorGroup/rank_1.log").unlink()
    assert main(["diagnose", str(run_folder)]) == 0
    assert "cause: ascend-transfer-missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("backend", "name"),
    [("ascend", "ascend-transfer-missing"), ("cuda", "cuda-not-in-torch"), ("cpu", "machine-torch-build")],
)
def test_the_backend_says_what_a_line_means(tmp_path, capsys, backend, name):
    (tmp_path / "run.log").write_text(NO_DEVICE)
    main(["diagnose", str(tmp_path / "run.log"), "--backend", backend])
    assert f"cause: {name} " in capsys.readouterr().out


def test_the_logs_of_rays_session(tmp_path, capsys):
    logs = tmp_path / "session_2026/logs"
    logs.mkdir(parents=True)
    (logs / "worker-aa-01-9752.out").write_text(
        ":actor_name:ActorGroup\n[INFO 12:00:01 ActorGroup-Rank-3][a.py:1] hi\n"
    )
    (logs / "worker-aa-01-9752.err").write_text(DISK)
    (logs / "dashboard.log").write_text("Fatal Python error: not a training's\n")
    (logs / "raylet.out").write_text("[2026-08-01 12:00:02,552 I 1 1] (raylet) x\n")
    main(["diagnose", str(tmp_path / "session_2026")])
    said = capsys.readouterr().out
    assert "cause: machine-disk-full (rank 3)" in said
    assert "worker-aa-01-9752.err:1" in said


@pytest.mark.parametrize("name", ["nothing.log", "empty"])
def test_where_there_is_no_log_it_fails(tmp_path, capsys, name):
    (tmp_path / "empty").mkdir()
    assert main(["diagnose", str(tmp_path / name)]) == 1
    assert "no log" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_log_that_may_not_be_read(tmp_path, capsys):
    (tmp_path / "run.log").write_text(DISK)
    (tmp_path / "run.log").chmod(0)
    assert main(["diagnose", str(tmp_path / "run.log")]) == 1
    assert "cannot read" in capsys.readouterr().err


def test_an_unknown_backend_is_wrong_usage(tmp_path, capsys):
    (tmp_path / "run.log").write_text(DISK)
    assert main(["diagnose", str(tmp_path / "run.log"), "--backend", "moon"]) == 2
    assert "unknown backend 'moon'" in capsys.readouterr().err


def test_a_broken_adapter_of_somebody_else_is_no_reason_to_say_nothing(tmp_path, capsys, monkeypatch):
    from vlac.diagnose import catalogue

    catalogue.patterns.cache_clear()
    monkeypatch.setattr(adapter_registry, "_third_party", lambda: {"moon": "no_such_module:adapter"})
    (tmp_path / "run.log").write_text(DISK)
    assert main(["diagnose", str(tmp_path / "run.log")]) == 0
    assert "machine-disk-full" in capsys.readouterr().out
    catalogue.patterns.cache_clear()


def test_bytes_of_any_kind_are_read(tmp_path, capsys):
    log = tmp_path / "run.log"
    log.write_bytes(
        b"\xff\xfe\x00 binary \x1b[2J\n" * 500
        + b"x" * 1_100_000
        + b"\r\n"
        + DISK.encode()
        + b"OSError: \x1b]0;title\x07"
    )
    assert main(["diagnose", str(log)]) == 0
    said = capsys.readouterr().out
    assert f"{log}:502" in said or "run.log:502" in said
    assert "\x1b" not in said
    assert "\x07" not in said


def test_a_signature_is_explained(capsys):
    assert main(["explain", "machine-disk-full"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("machine-disk-full\n\nThe disk, or the quota, is full.")
    assert "starting again unchanged does not help" in said
    assert main(["explain", "machine-disk-fool"]) == 1
