"""Compile is pure: the same bytes from any folder, user, home, locale, time zone and hash seed."""

import getpass
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPECS = ("pi05_libero10_8x910b3.yaml", "tiny_cpu.yaml")
# Relative paths of the spec, a parent, variables and text of other scripts: what could drag a folder or a locale in.
CHILD = """\
extends: base.yaml
vlac: 1
name: 纯净
data: {path: ./data/libero10, config: pi05_libero}
output: ../runs
env: {NOTE: "ÄÖÜ", EMPTY: ""}
secrets: [WANDB_API_KEY]
"""
PARENT = """\
rlinf: {path: /workspace/RLinf, version: "0.3"}
model: {family: pi05, weights: /data/pi05_base}
hardware: {backend: cuda, device: H100, cards: 8}
train: {steps: 300, lr: 1.0e-5}
"""
COMPILE = "import sys; from vlac.cli import main; sys.exit(main(sys.argv[1:]))"
HERE = {"HOME": "/root", "USER": "anna", "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
ELSEWHERE = {
    "HOME": "/home/用户",
    "USER": "bert",
    "LOGNAME": "bert",
    "USERNAME": "bert",
    "HOSTNAME": "an-unlikely-host",
    "TZ": "Asia/Shanghai",
    "LC_ALL": "POSIX",
    "LANG": "zh_CN.GB18030",
    "PYTHONHASHSEED": "4242",
    "PYTHONUTF8": "0",
    "COLUMNS": "40",
    "NO_COLOR": "1",
    "VLAC_SPEC_DIR": "/an/unlikely/folder",
    "VLAC_RUN_DIR": "/an/unlikely/run",
    "JAX_PLATFORMS": "cuda",
    "WANDB_API_KEY": "an-unlikely-secret",
}


def write_specs(folder):
    folder.mkdir(parents=True)
    for name in SPECS:
        shutil.copy(ROOT / "specs" / name, folder / name)
    (folder / "child.yaml").write_text(CHILD, encoding="utf-8")
    (folder / "base.yaml").write_text(PARENT, encoding="utf-8")


def compiled(folder, name, variables, cwd):
    """The files of a bundle that a process of its own compiles; the working folder and all variables are given."""
    output = cwd / f"out-{name}"
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "adapters")))}
    command = [
        sys.executable,
        "-c",
        COMPILE,
        "compile",
        os.path.relpath(folder / name, cwd),
        "-o",
        output.name,
    ]
    ran = subprocess.run(command, cwd=cwd, env={**path, **variables}, capture_output=True, timeout=60)
    assert ran.returncode == 0, ran.stderr.decode()
    return {
        str(path.relative_to(output)): (path.read_bytes(), path.stat().st_mode & 0o111)
        for path in output.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def folders(tmp_path):
    near, far = tmp_path / "specs", tmp_path / "a far" / "位置" / "specs"
    write_specs(near)
    write_specs(far)
    return near, far


@pytest.mark.parametrize("name", [*SPECS, "child.yaml"])
def test_two_compiles_give_the_same_bytes(folders, name):
    near, far = folders
    here = compiled(near, name, HERE, cwd=near)
    there = compiled(far, name, ELSEWHERE, cwd=far.parents[1])
    assert set(here) == set(there)
    assert {path for path in here if here[path] != there[path]} == set()


@pytest.mark.parametrize("name", [*SPECS, "child.yaml"])
def test_nothing_of_the_compiling_machine_is_inside(folders, name):
    _, far = folders
    files = compiled(far, name, ELSEWHERE, cwd=far)
    told = [ELSEWHERE[key] for key in ("HOME", "USER", "HOSTNAME", "VLAC_SPEC_DIR", "WANDB_API_KEY", "TZ")]
    actual = [str(far), str(far.parents[1]), str(ROOT), sys.prefix, socket.gethostname(), getpass.getuser()]
    for word in told + [word for word in actual if len(word) > 4]:  # `root` is a word of the trade
        found = [path for path, (content, _) in files.items() if word.encode() in content]
        assert not found, f"{word} is in {found}"


def test_the_position_of_an_origin_names_the_file_alone(folders):
    _, far = folders
    lock = compiled(far, "child.yaml", HERE, cwd=far)["vlac.lock.json"][0].decode()
    assert '"child.yaml:' in lock
    assert '"base.yaml:' in lock
