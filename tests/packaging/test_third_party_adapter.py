"""A backend that somebody else ships as a wheel, installed beside vlac's own wheel in a fresh environment."""

import json
import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pydantic
import pytest

ROOT = Path(__file__).parents[2]

PROJECT = """
[build-system]
requires = ["hatchling>=1.21"]
build-backend = "hatchling.build"
[project]
name = "vlac-mooncard"
version = "0.3"
dependencies = ["vla-compiler"]
[project.entry-points."vlac.adapters"]
mooncard = "vlac_mooncard:adapter"
"""

PACKAGE = '''
"""Mooncard accelerators for vlac."""
from pathlib import Path

from vlac.adapters import Adapter, Device, Preference, Variable, WorkerFile

HOOK = Path(__file__).with_name("mooncard_hook.py")
adapter = Adapter(
    name="mooncard",
    summary="Mooncards",
    placement="devices",
    collective="mccl",
    devices=(Device("M1", 48, "Mooncard handbook", cards_per_node=4, aliases=("Moon-1",)),),
    variables=(Variable("MCCL_PHASE", "full moon", "driver", "it works only then", "Mooncard handbook"),),
    preferences=(Preference("fsdp.version", 2, "Mooncards like it", "Mooncard handbook"),),
    shell_setup="echo 'the moon rises' >&2\\n",
    worker_files=(WorkerFile("mooncard_hook.py", HOOK.read_bytes()),),
    worker_hooks=("mooncard_hook",),
)
'''

SPEC = """\
vlac: 1
name: on-the-moon
rlinf: {path: /workspace/RLinf, version: "0.3"}
model: {family: pi05, weights: /data/pi05_base}
data: {path: /data/libero10, config: pi05_libero}
hardware: {backend: mooncard, device: M1, cards: 4}
train: {steps: 30000, micro_batch: 4, global_batch: 128, lr: 2.5e-5, warmup_steps: 1000}
"""

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels of vlac and of the third party's package, in that order."""
    folder = tmp_path_factory.mktemp("wheels")
    source = tmp_path_factory.mktemp("mooncard")
    (source / "pyproject.toml").write_text(PROJECT)
    package = source / "vlac_mooncard"
    package.mkdir()
    (package / "__init__.py").write_text(PACKAGE)
    (package / "mooncard_hook.py").write_text("def register():\n    pass\n")
    return [build(ROOT, folder), build(source, folder)]


def build(source, folder):
    pytest.importorskip("hatchling")
    before = set(folder.iterdir())
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source)
    (wheel,) = set(folder.iterdir()) - before
    return wheel


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def environment(wheels, tmp_path_factory):
    """A fresh environment with both wheels; what they depend on comes from the one that runs the tests."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip("--python", python, "install", "--no-deps", *wheels)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(f"{Path(pydantic.__file__).parents[1]}\n")
    return folder


def run(environment, *command, folder=None):
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    program = environment / "bin" / command[0]
    return subprocess.run(
        [program, *command[1:]],
        cwd=folder or environment,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_registry_finds_it_beside_vlacs_own(environment):
    code = """
    import vlac
    from vlac import adapter_registry as registry
    assert "site-packages" in vlac.__file__, vlac.__file__
    print(*registry.names(), registry.find("mooncard").devices[0].name)
    """
    ran = run(environment, "python", "-c", textwrap.dedent(code))
    assert (ran.stdout, ran.stderr) == ("ascend cuda cpu mooncard M1\n", "")


def test_a_spec_compiles_for_it(environment, tmp_path):
    (tmp_path / "moon.yaml").write_text(SPEC)
    ran = run(environment, "vlac", "compile", "moon.yaml", "-o", "out", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    bundle = tmp_path / "out"
    assert "MCCL_PHASE='full moon'" in (bundle / "run.env").read_text()
    assert "echo 'the moon rises' >&2" in (bundle / "launch.sh").read_text()
    assert (bundle / "bootstrap" / "mooncard_hook.py").read_text().startswith("def register")
    config = (bundle / "config.yaml").read_text()
    assert "strategy: fsdp2" in config
    assert "0-3" in config


def test_its_limits_are_errors_of_the_spec(environment, tmp_path):
    (tmp_path / "moon.yaml").write_text(SPEC.replace("cards: 4", "cards: 5").replace("M1", "M2"))
    ran = run(environment, "vlac", "compile", "moon.yaml", "-o", "out", "--json", folder=tmp_path)
    assert ran.returncode == 1
    messages = [d["message"] for d in json.loads(ran.stdout)["diagnostics"]]
    assert any("M2" in message for message in messages)
    assert not (tmp_path / "out").exists()


def test_an_unknown_backend_is_told_of_it(environment, tmp_path):
    (tmp_path / "moon.yaml").write_text(SPEC.replace("backend: mooncard", "backend: mooncart"))
    ran = run(environment, "vlac", "compile", "moon.yaml", "-o", "out", folder=tmp_path)
    assert ran.returncode == 1
    assert "mooncard" in ran.stderr


def test_the_wheel_of_vlac_carries_the_adapters_and_no_folder_named_adapters(wheels):
    names = zipfile.ZipFile(wheels[0]).namelist()
    assert "vlac_ascend/worker/sitecustomize.py" in names
    assert "vlac_ascend/worker/vlac_ascend_worker.py" in names
    assert "vlac_cpu/worker/vlac_cpu_worker.py" in names
    assert "vlac_cuda/probe.py" in names
    assert not [name for name in names if name.startswith("adapters/") or "__pycache__" in name]
