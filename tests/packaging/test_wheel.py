"""The wheel of vla-compiler, built from its own sdist, in a fresh environment with nothing of the checkout."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Read at run time by path or by importlib.resources, so no import of ours would notice their absence.
DATA = (
    "vlac/py.typed",
    "vlac/bundle/launch_body.sh",
    "vlac/patches/rlinf-openpi-sft-pi05-8card.patch",
    "vlac/rlinf/known_reads.json",
    "vlac/rlinf/worker/train_vla_sft.py",
    "vlac/rlinf/worker/vlac_worker.py",
    "vlac/demo/model.py",
    "vlac/demo/generate.py",
    "vlac_ascend/worker/sitecustomize.py",
    "vlac_cpu/worker/vlac_cpu_worker.py",
)

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist and the wheel that is built from it."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def environment(built, tmp_path_factory):
    """A fresh environment with the wheel and what it depends on, at the tested versions."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", built[1])
    return folder


def run(*command, cwd=None):
    """The output of a command that must succeed, without what the environment says about Python."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    ran = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=variables, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_wheel_holds_every_file_of_the_packages(built):
    names = set(zipfile.ZipFile(built[1]).namelist())
    tracked = run("git", "-C", ROOT, "ls-files", "vlac", "adapters").splitlines()
    assert {name.removeprefix("adapters/") for name in tracked} <= names
    assert set(DATA) <= names


def test_the_wheel_holds_nothing_else(built):
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(built[1]).namelist()}
    assert {top.partition("-")[0] for top in tops} == {
        "vlac",
        "vlac_ascend",
        "vlac_cuda",
        "vlac_cpu",
        "vla_compiler",
    }


def test_the_sdist_holds_specs_tests_and_license(built):
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "specs/tiny_cpu.yaml", "tests/packaging/test_wheel.py"} <= names
    assert not [name for name in names if name.startswith("specs/results") or "__pycache__" in name]


def test_the_command_tells_its_version(environment):
    version = run(environment / "bin/vlac", "--version").split()
    assert version[0] == "vlac"
    found = run(environment / "bin/python", "-m", "pip", "show", "vla-compiler").splitlines()
    assert f"Version: {version[1]}" in found


def test_only_pydantic_and_ruamel_come_along(environment):
    listed = run(environment / "bin/python", "-m", "pip", "list", "--format", "freeze")
    names = {line.partition("==")[0].lower().replace("_", "-") for line in listed.splitlines()}
    assert {"pydantic", "ruamel.yaml"} <= names
    assert not names & {"torch", "ray", "jax", "rlinf", "hydra-core", "omegaconf", "numpy"}


@pytest.mark.parametrize("name", ["pi05_libero10_8x910b3.yaml", "tiny_cpu.yaml"])
def test_a_spec_outside_the_checkout_compiles(environment, tmp_path, name):
    (tmp_path / name).write_bytes((ROOT / "specs" / name).read_bytes())
    run(environment / "bin/vlac", "compile", name, "-o", "out", cwd=tmp_path)
    run(environment / "bin/vlac", "verify", "out", cwd=tmp_path)
    assert (tmp_path / "out/bootstrap").is_dir()
    installed = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    from_source = compiled_here(tmp_path / name, tmp_path / "here")
    assert {str(p.relative_to(tmp_path / "out")): content for p, content in installed.items()} == from_source


def compiled_here(spec, folder):
    run(sys.executable, "-m", "vlac", "compile", spec, "-o", folder, cwd=ROOT)
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_init_schema_and_diff_find_their_data(environment, tmp_path):
    run(environment / "bin/vlac", "init", "--backend", "ascend", "-o", "spec.yaml", cwd=tmp_path)
    run(environment / "bin/vlac", "schema", cwd=tmp_path)
    vlac = str(environment / "bin/vlac")
    ran = subprocess.run(
        [vlac, "diff", "spec.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode in (0, 1), ran.stderr  # 1: a difference was found
    assert "JAX_PLATFORMS" in ran.stdout
