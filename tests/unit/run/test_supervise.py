"""The supervisor in a process of its own, over launch.sh with a small trainer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SUPERVISOR = """
import dataclasses, json, os, sys
from pathlib import Path
from vlac.run import faults, supervise
from vlac.run.live import Live
faults.GRACE = 1.0
run = Path(sys.argv[1])
variables = {**os.environ, "VLAC_TAKEN_RUN_DIR": str(run), "VLAC_PYTHON": sys.executable}
outcome = supervise.supervise(["bash", str(run / "bundle/launch.sh")], variables, run, Live(sys.stderr))
print(json.dumps({**dataclasses.asdict(outcome), "exit_code": outcome.exit_code}))
"""

# A worker as RLinf's: a process of its own session, named in its environment.
WORKER = """
import subprocess
variables = {**os.environ, "RANK": "1", "WORKER_NAME": "ActorGroup:1"}
worker = subprocess.Popen(["sleep", "600"], env=variables, start_new_session=True)
with open(os.environ["VLAC_RUN_DIR"] + "/worker", "w") as file:
    file.write(str(worker.pid))
"""
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


class Supervised:
    def __init__(self, run: Path, trainer: str, *shell: str) -> None:
        self.run = run
        self.process = subprocess.Popen(
            [*shell, sys.executable, "-c", SUPERVISOR, str(run)],
            env={**os.environ, "VLAC_SPEC_DIR": str(run), "FAKE_TRAINER": trainer},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait_for(self, name: str) -> str:
        path = self.run / name
        end = time.monotonic() + 40
        while not (path.exists() and path.read_text()):
            assert time.monotonic() < end, f"{path} did not appear"
            time.sleep(0.05)
        return path.read_text()

    def outcome(self, seconds: float = 60) -> dict:
        out, self.err = self.process.communicate(timeout=seconds)
        return json.loads(out)

    def left(self) -> list[str]:
        """Command lines of processes that carry the mark of the run."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                entries = (folder / "environ").read_bytes().split(b"\0")
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if command and f"VLAC_RUN_DIR={self.run}".encode() in entries:
                found.append(command.decode())
        return found


@pytest.fixture
def supervised(tmp_path, bundle):
    def start(trainer: str, *shell: str) -> Supervised:
        run = tmp_path / "results/tiny/1"
        bundle(run / "bundle")
        return Supervised(run, trainer, *shell)

    return start


@pytest.mark.parametrize("status", [0, 7])
def test_the_exit_code_is_the_trainers(supervised, status):
    it = supervised(
        f"print('Global Step:   0%| | 1/2 [00:01<00:01,  1.00s/it, train/loss=2]'); sys.exit({status})"
    )
    outcome = it.outcome()
    assert (outcome["exit_code"], outcome["training_status"], outcome["fault"]) == (status, status, None)
    assert outcome["last_progress"]["step"] == 1
    assert "training\n" in (it.run / "run.log").read_text()
    assert "step 1/2  loss 2" in it.err
    assert it.left() == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_and_nothing_else(supervised, number, code):
    other = subprocess.Popen(["sleep", "600"], start_new_session=True)
    it = supervised(WORKER + "time.sleep(600)")
    it.wait_for("worker")
    os.killpg(it.process.pid, number)
    outcome = it.outcome()
    assert outcome["exit_code"] == code
    assert outcome["fault"] is None
    assert it.left() == []
    assert other.poll() is None
    other.kill()
    other.wait()


@pytest.mark.real
def test_jobs_of_the_shell_that_vlac_took_the_place_of_survive(supervised, tmp_path):
    job = f"(while sleep 0.3; do date >>'{tmp_path}/job'; done) >&- 2>&- & echo $! >'{tmp_path}/pid'; exec \"$@\""
    it = supervised("time.sleep(1)", "bash", "-c", job, "bash")
    assert it.outcome()["leftover"] == []
    pid = int((tmp_path / "pid").read_text())
    lines = (tmp_path / "job").read_text()
    time.sleep(2)
    assert len((tmp_path / "job").read_text()) > len(lines)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.real
def test_a_run_goes_on_where_nobody_reads_what_vlac_says(supervised):
    bars = "[print(f'Global Step: 0%| | {n}/2 [00:01<00:01,  1.00s/it]') for n in (1, 2)]; sys.exit(7)"
    it = supervised("time.sleep(1)\n" + bars)
    it.process.stderr.close()
    out = it.process.stdout.read()
    it.process.wait(60)
    assert json.loads(out)["exit_code"] == 7
    assert json.loads(out)["last_progress"]["step"] == 2
    assert it.process.returncode == 0


def test_a_line_of_the_trainer_is_not_taken_for_the_scripts(supervised):
    it = supervised("print('could not launch: the training ended with status 5'); sys.exit(7)")
    outcome = it.outcome()
    assert outcome["training_status"] == 7
    assert "ended with status 5" not in it.err


@pytest.mark.real
def test_a_second_signal_does_not_wait(supervised):
    it = supervised(STUBBORN + WORKER + "time.sleep(600)")
    it.wait_for("worker")
    begin = time.monotonic()
    it.process.send_signal(signal.SIGINT)
    time.sleep(1)
    it.process.send_signal(signal.SIGINT)
    assert it.outcome()["exit_code"] == 130
    assert time.monotonic() - begin < 8
    assert it.left() == []


@pytest.mark.real
def test_a_worker_that_dies_ends_a_run_that_hangs(supervised):
    it = supervised(WORKER + "time.sleep(600)")
    pid = int(it.wait_for("worker"))
    time.sleep(2)  # it has to be seen alive
    begin = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    outcome = it.outcome(30)
    assert time.monotonic() - begin < 30
    assert outcome["died"] == [f"ActorGroup:1 (pid {pid})"]
    assert outcome["exit_code"] == outcome["training_status"] == 143
    assert it.left() == []


@pytest.mark.real
def test_workers_that_go_after_the_last_step_did_not_die(supervised):
    bar = "print('Global Step: 100%| | 2/2 [00:01<00:00,  1.00s/it]', flush=True)"
    it = supervised(
        WORKER + f"time.sleep(2); {bar}; time.sleep(1); worker.kill(); worker.wait(); time.sleep(4)"
    )
    outcome = it.outcome(40)
    assert (outcome["died"], outcome["fault"], outcome["exit_code"]) == ([], None, 0)


@pytest.mark.real
@pytest.mark.parametrize("command", ["sleep 1", "sleep 2 &"])
def test_what_a_worker_starts_and_ends_is_no_worker(supervised, command):
    code = f"import subprocess, time; time.sleep(1); subprocess.run(['bash', '-c', '{command}']); time.sleep(600)"
    it = supervised(WORKER.replace('"sleep", "600"', f"sys.executable, '-c', {code!r}") + "time.sleep(6)")
    outcome = it.outcome(40)
    assert (outcome["died"], outcome["fault"], outcome["exit_code"]) == ([], None, 0)
    assert it.left() == []


@pytest.mark.real
def test_a_lost_worker_in_the_output_ends_a_run_that_hangs(supervised):
    polite = "import signal; signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\n"
    said = (
        "Exception occurred while running W's function f: exception is ray::W.f() (pid=5)\nValueError: first"
    )
    later = "Traceback (most recent call last):\nRuntimeError: last"
    it = supervised(f"{polite}print({said!r}); print({later!r}, flush=True); time.sleep(600)")
    outcome = it.outcome(30)
    assert outcome["training_status"] == 0
    assert outcome["exit_code"] == 1
    assert outcome["first_error"].endswith("ValueError: first")


def test_what_the_script_says_is_no_part_of_an_error(supervised):
    it = supervised("print('A worker died or was killed while executing a task', flush=True); sys.exit(9)")
    assert it.outcome()["first_error"].splitlines() == [
        "  A worker died or was killed while executing a task"
    ]


def test_a_trainer_that_ends_by_itself_after_a_loss_keeps_its_status(supervised):
    it = supervised("print('Fatal Python error: Segmentation fault'); sys.exit(9)")
    outcome = it.outcome()
    assert (outcome["exit_code"], outcome["fault"]) == (9, None)


def test_a_killed_vlac_leaves_no_run_behind(supervised):
    it = supervised(WORKER + "time.sleep(600)")
    it.wait_for("worker")
    it.process.kill()
    it.process.communicate()
    end = time.monotonic() + 30
    while it.left():
        assert time.monotonic() < end, it.left()
        time.sleep(0.2)


def test_a_killed_script_leaves_no_run_behind(supervised):
    it = supervised(WORKER + "time.sleep(600)")
    it.wait_for("worker")
    ray_folder = Path(json.loads(it.wait_for("started.json"))["env"]["RAY_AUTH_TOKEN_PATH"]).parent
    assert ray_folder.exists()
    children = Path(f"/proc/{it.process.pid}/task/{it.process.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    outcome = it.outcome()
    assert not ray_folder.exists()
    assert outcome["exit_code"] == 128 + signal.SIGKILL
    assert outcome["leftover"] == []
    assert it.left() == []
