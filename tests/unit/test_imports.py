"""What a command imports decides how fast it starts: whole processes, each asked what it loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = str(ROOT / "specs/pi05_libero10_8x910b3.yaml")
LOG = str(ROOT / "tests/unit/diagnose/logs/disk-full.log")
HEAVY = {"torch", "ray", "jax", "hydra", "omegaconf", "numpy"}
# What vlac itself needs to read a spec; the parts of a command line that say nothing about one need neither.
COMPILER = {"pydantic", "ruamel"}
ASK = """
import sys
loaded = sys.argv.pop(1)
from vlac.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code or 0
packages = sorted({name.partition(".")[0] for name in sys.modules})
import json
with open(loaded, "w") as stream:
    json.dump([code, packages], stream)
"""


def run(folder, *arguments):
    """The exit code of a command and the top-level packages that its process loaded."""
    loaded = folder / "loaded.json"
    command = [sys.executable, "-c", ASK, str(loaded), *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert loaded.exists(), ran.stderr
    code, packages = json.loads(loaded.read_text())
    return code, set(packages)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--help"], 0),
        (["compile", SPEC], 0),
        (["compile", SPEC, "--backend", "cuda:H100", "--set", "train.micro_batch=8"], 0),
        (["compile", SPEC, "--set", "train.micro_batch=3"], 1),
        (["diff", SPEC], None),
        (["explain", SPEC, "actor.optim.lr"], 0),
        (["explain", "spec-missing"], 0),
        (["plan", SPEC], 0),
        (["schema"], 0),
        (["diagnose", LOG], 0),
        (["init", "-o", "-"], 0),
        (["run", SPEC, "--dry-run"], None),
    ],
    ids=lambda value: " ".join(Path(part).name for part in value) if isinstance(value, list) else "",
)
def test_nothing_heavy_is_loaded(tmp_path, arguments, expected):
    code, packages = run(tmp_path, *arguments)
    # diff tells by its code whether it found a difference, a dry run whether this machine could run it
    assert code == expected if expected is not None else code in (0, 1, 3)
    assert not packages & HEAVY


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["compile", "--help"]])
def test_help_loads_no_compiler(tmp_path, arguments):
    code, packages = run(tmp_path, *arguments)
    assert code == 0
    assert not packages & (COMPILER | {"json", "shutil", "pathlib", "yaml"})


def test_the_question_sees_a_heavy_import(tmp_path):
    """The other tests here must be able to fail: a command that loads omegaconf is seen to."""
    pytest.importorskip("omegaconf")
    loaded = tmp_path / "loaded.json"
    code = "import omegaconf\n" + ASK
    subprocess.run([sys.executable, "-c", code, str(loaded), "--version"], check=True, capture_output=True)
    assert "omegaconf" in json.loads(loaded.read_text())[1]
