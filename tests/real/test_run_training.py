"""Real trainings with two ranks: RLinf, its Ray and FSDP, under `vlac run` and by hand."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vlac
from vlac.bundle.write import write
from vlac.run import checks, processes

pytestmark = pytest.mark.real

SPEC = """\
vlac: 1
name: two
rlinf: {version: "0.3"}
model: {family: demo}
hardware: {backend: cpu, cards: 2}
train: {steps: 30, micro_batch: 2, global_batch: 8, lr: 3.0e-3, warmup_steps: 3}
"""
STARTED = re.compile(r"step [1-9]\d*/")
HARD_NAME = 'it\'s a $(touch x) "数据" folder'


def marked(run: Path) -> dict[int, dict[str, str]]:
    """The processes that carry the mark of a run, and their variables."""
    found = {pid: processes.variables(pid) for pid in processes.table()}
    return {pid: known for pid, known in found.items() if known.get("VLAC_RUN_DIR") == str(run)}


class VlacRun:
    """`vlac run` as a user starts it, in the process group of a terminal."""

    def __init__(self, folder: Path, python: str, *arguments: str, spec: str = SPEC) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "spec.yaml").write_text(spec)
        self.run = folder / "results/two/1"
        self.log = folder / "talk"
        command = [
            sys.executable,
            "-m",
            "vlac",
            "run",
            "spec.yaml",
            "--set",
            f"rlinf.python={python}",
            *arguments,
        ]
        with self.log.open("w") as talk:
            self.process = subprocess.Popen(
                command, cwd=folder, stdout=subprocess.PIPE, stderr=talk, text=True, start_new_session=True
            )

    def wait_for_step(self) -> None:
        end = time.monotonic() + 300
        while not STARTED.search(self.log.read_text()):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.2)

    def end(self, seconds: float) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=seconds)
        return self.process.returncode, out


@pytest.fixture
def unrelated_ray(training_python, tmp_path):
    """A Ray of somebody else, with an actor that counts; yields a function that asks it for its next number."""
    folder = Path(f"/tmp/other.{os.getpid()}")
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    start = [training_python, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--port=0"]
    start += ["--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={folder}"]
    start += ["--object-store-memory=100000000"]
    head = subprocess.Popen(start, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = folder / "ray_current_cluster"
    end = time.monotonic() + 120
    while not (address.exists() and address.read_text()):
        assert time.monotonic() < end
        time.sleep(0.2)
    client = tmp_path / "client.py"
    client.write_text(
        "import ray, sys\n"
        "ray.init(sys.argv[1], namespace='other', log_to_driver=False)\n"
        "@ray.remote(num_cpus=0)\n"
        "class Counter:\n"
        "    number = 0\n"
        "    def next(self): self.number += 1; return self.number\n"
        "counter = Counter.options(name='c', lifetime='detached', get_if_exists=True).remote()\n"
        "print(ray.get(counter.next.remote()), len(ray.nodes()), len(list(ray.util.list_named_actors(True))))\n"
    )

    def ask() -> str:
        command = [training_python, str(client), address.read_text()]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    yield ask
    present = processes.descendants(head.pid, processes.table())
    head.kill()  # its detached actor would hold up a gentler end
    head.wait(30)
    assert not processes.end_all(lambda: present & set(processes.table().values()), patience=0)
    shutil.rmtree(folder, ignore_errors=True)


def test_vlac_run_trains_and_leaves_an_unrelated_ray_alone(training_python, unrelated_ray, tmp_path):
    assert unrelated_ray() == "1 1 1"
    it = VlacRun(tmp_path / HARD_NAME, training_python)
    it.wait_for_step()
    assert unrelated_ray() == "2 1 1"
    code, out = it.end(300)
    assert code == 0, out
    assert unrelated_ray() == "3 1 1"
    assert re.findall(r"^  (\w[\w ]*?) {2,}", out.partition("checks\n")[2], re.MULTILINE) == ["ok"] * 6
    assert marked(it.run) == {}
    assert not list(tmp_path.rglob("x"))
    assert (it.run / "run.log").stat().st_size > 1000


def test_launch_sh_trains_by_hand_and_keeps_a_secret(training_python, tmp_path):
    bundle = vlac.compile_text(SPEC + "secrets: [HF_TOKEN]\n", folder=tmp_path)
    write(bundle.files, bundle.executable, tmp_path / "bundle")
    environment = {
        "PATH": f"{Path(training_python).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "VLAC_SPEC_DIR": str(tmp_path),
        "HF_TOKEN": "hunter2-hunter2",
    }
    command = ["bash", "bundle/launch.sh", "runner.max_steps=2"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    run = tmp_path / "results/two/1"
    found = checks.read_run(bundle, run, 2)
    assert [check.verdict for check in checks.all_checks(found)] == ["ok", "ok", "ok", "ok", "not checked"]
    assert marked(run) == {}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"hunter2-hunter2" in path.read_bytes()]
    assert "hunter2" not in done.stdout + done.stderr


def test_a_compiled_rate_that_was_edited_to_zero_fails_the_checks(training_python, tmp_path):
    bundle = vlac.compile_text(SPEC, folder=tmp_path)
    config = bundle.files["config.yaml"].replace(b"lr: 0.003\n", b"lr: 0.0\n")
    assert config != bundle.files["config.yaml"]
    write({**bundle.files, "config.yaml": config}, bundle.executable, tmp_path / "bundle")
    path = f"{Path(training_python).parent}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(tmp_path), "VLAC_SPEC_DIR": str(tmp_path)}
    command = ["bash", "bundle/launch.sh"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    found = checks.all_checks(checks.read_run(bundle, tmp_path / "results/two/1", 30))
    assert [check.name for check in found if check.verdict == "failed"] == ["learning rate", "loss"]


def test_a_killed_worker_ends_the_run_within_30_seconds(training_python, tmp_path):
    it = VlacRun(tmp_path, training_python, "--set", "train.steps=3000")
    it.wait_for_step()
    victim = next(pid for pid, known in marked(it.run).items() if known.get("WORKER_NAME") == "ActorGroup:1")
    begin = time.monotonic()
    os.kill(victim, signal.SIGKILL)
    code, out = it.end(60)
    assert time.monotonic() - begin < 30
    assert code not in (0, 130)
    assert f"worker ActorGroup:1 (pid {victim}) died" in out
    assert marked(it.run) == {}


def test_a_worker_that_fails_in_its_constructor_is_quoted(training_python, tmp_path):
    it = VlacRun(tmp_path, training_python, "--set", "data.path=/no/such/data")
    code, out = it.end(300)
    assert code in (1, 143)  # the trainer's own; that of TERM where a slow machine outlasts the grace
    first = out.partition("\ndiagnosis\n")[2].partition("run folder:")[0]
    assert "/no/such/data/meta/info.json" in first
    assert "8265" not in first  # what RLinf's driver reports last
    assert marked(it.run) == {}


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_process(training_python, tmp_path, number, expected):
    it = VlacRun(tmp_path, training_python, "--set", "train.steps=3000")
    it.wait_for_step()
    present = marked(it.run)
    assert len(present) > 5
    # A process that is just being started shows only a part of its variables.
    tokens = {known["RAY_AUTH_TOKEN_PATH"] for known in present.values() if "RAY_AUTH_TOKEN_PATH" in known}
    scratch = {Path(token).parent for token in tokens}
    assert [folder.exists() for folder in scratch] == [True]
    os.killpg(it.process.pid, number)
    code, _ = it.end(60)
    assert code == expected
    assert marked(it.run) == {}
    assert [folder.exists() for folder in scratch] == [False]
