"""The real entry scripts take a compiled configuration as it is, up to their first check of devices."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

import vlac

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs/pi05_libero10_8x910b3.yaml"
# Placement on eight devices is the first thing that a machine without any cannot have
# (rlinf/scheduler/cluster/utils.py, parse_rank_config).
DEVICE_CHECK = re.compile(r"End rank 7 in rank config string .0-7. must be within the available")
pytestmark = pytest.mark.real


@pytest.fixture
def bundle_of(tmp_path):
    """Write the CUDA bundle of the shipped pi0.5 run for a version; no code of ours runs in its workers."""

    def write(version, spec=SPEC):
        from vlac.bundle.write import write as write_bundle

        bundle = vlac.compile(spec, backend="cuda:H100", sets=[f"rlinf.version='{version}'"])
        write_bundle(bundle.files, bundle.executable, tmp_path / "bundle", force=False)
        return tmp_path / "bundle"

    return write


def start(python, entry, bundle, folder, import_path):
    """Run an entry script from an empty folder without RLinf's two variables, in a Ray of its own."""
    command = [python, str(entry), "--config-path", str(bundle), "--config-name", "config"]
    with tempfile.TemporaryDirectory(
        prefix="v", dir="/tmp"
    ) as ray_folder:  # Ray's sockets allow 107 bytes of path
        return subprocess.run(
            command,
            cwd=folder,
            env=training_environment(import_path, ray_folder),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


def training_environment(import_path, ray_folder):
    unset = {"EMBODIED_PATH", "REPO_PATH", "RAY_ADDRESS"}
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"RAY_ADDRESS": "local", "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(import_path)}
    return environment | {"CUDA_VISIBLE_DEVICES": "", "RAY_TMPDIR": ray_folder}


def assert_reached_devices(done, folder):
    output = done.stdout + done.stderr
    assert DEVICE_CHECK.search(output), output[-3000:]
    assert "not in struct" not in output and "Missing" not in output
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "checkout"), [(v, v) for v in ("0.3", "a4b6abe20", "main")], indirect=["checkout"]
)
def test_rlinfs_own_script_of_a_checkout(training_python, version, checkout, bundle_of, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    entry = checkout / "examples/sft/train_vla_sft.py"
    assert_reached_devices(start(training_python, entry, bundle_of(version), folder, checkout), folder)


def test_the_script_that_the_bundle_brings_with_rlinf_from_pypi(training_python, bundle_of, tmp_path):
    folder, spec = tmp_path / "empty", tmp_path / "spec.yaml"
    folder.mkdir()
    text = SPEC.read_text(encoding="utf-8").replace("path: /workspace/RLinf, ", "")
    spec.write_text(text, encoding="utf-8")
    bundle = bundle_of("0.3", spec)
    entry = bundle / "bootstrap/train_vla_sft.py"
    done = start(training_python, entry, bundle, folder, bundle / "bootstrap")
    assert_reached_devices(done, folder)


@pytest.mark.parametrize("commit", ["v0.2"], indirect=True)
def test_a_tree_that_nobody_has_tables_for(training_python, commit, tmp_path):
    """v0.2 needs `algorithm.adv_type` for SFT: its own config has the key, the table of the nearest version not."""
    assert_reached_devices(started(training_python, commit, "auto", tmp_path), tmp_path / "auto-empty")
    done = started(training_python, commit, "0.3", tmp_path)
    assert "Key 'algorithm' is not in struct" in done.stderr


def started(python, tree, version, folder):
    """What becomes of the shipped run, compiled for a tree as `version`, with that tree's own script."""
    from vlac.bundle.write import write

    text = SPEC.read_text(encoding="utf-8").replace("path: /workspace/RLinf", f"path: {tree}")
    text = text.replace('version: "0.3"', f"version: '{version}'")
    bundle = vlac.compile_text(text, folder=folder, backend="cuda:H100")
    assert bundle.plan.text("rlinf.path") == str(tree)
    write(bundle.files, bundle.executable, folder / version, force=False)
    empty = folder / f"{version}-empty"
    empty.mkdir()
    return start(python, tree / "examples/sft/train_vla_sft.py", folder / version, empty, tree)


@pytest.mark.parametrize(("version", "checkout"), [(v, v) for v in ("0.3", "main")], indirect=["checkout"])
def test_a_base_with_the_launch_script_of_its_bundle(training_python, version, checkout, tmp_path):
    """The config that RLinf ships, on eight cards: launch.sh finds script and folders as RLinf's own script would."""
    from vlac.bundle.write import write

    base = "examples/sft/config/robotwin_sft_openpi_pi05.yaml"
    text = (
        f"vlac: 1\nname: based\nbase: {base}\noutput: ./out\n"
        f"rlinf: {{version: '{version}', path: {checkout}, python: {training_python}}}\n"
        "model: {weights: /data/pi05}\ndata: {path: /data/robotwin}\n"
        "train: {micro_batch: 8}\n"
        "hardware: {backend: cuda, device: H100, cards: 8}\n"
    )
    bundle = vlac.compile_text(text, folder=tmp_path)
    write(bundle.files, bundle.executable, tmp_path / "bundle", force=False)
    variables = {
        name: value for name, value in os.environ.items() if name not in ("EMBODIED_PATH", "RAY_ADDRESS")
    }
    done = subprocess.run(
        ["bash", str(tmp_path / "bundle/launch.sh")],
        env={**variables, "VLAC_SPEC_DIR": str(tmp_path), "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = done.stdout + done.stderr
    assert DEVICE_CHECK.search(output), output[-3000:]
    assert "not in struct" not in output
