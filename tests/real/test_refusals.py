"""The rehearsal beside RLinf's own `validate_cfg`: the same configurations refused, at the same line."""

import copy
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.real.validate_mutations import GONE, MUTATIONS
from vlac.rlinf.reads import Tree
from vlac.rlinf.reads.rehearsal import Devices
from vlac.rlinf.reads.rehearsal.api import follow

pytestmark = pytest.mark.corpus  # minutes: `make corpus`
SHARED = Path(__file__).parents[3] / "shared" / "rlinf"
CONFIGS = {"0.3": "v0.3", "a4b6abe20": "v0.3", "main": "main"}  # a4b6abe20 has no compositions of its own
ACCELERATORS = 8
# What ends the real one for want of something on this machine, and not for the configuration.
_MACHINE = ("ModuleNotFoundError", "ImportError", "OSError", "InterpolationResolutionError")


def _shipped(version):
    folder = SHARED / CONFIGS[version] / "composed" / "examples"
    files = sorted(folder.rglob("*.json"))
    if not files:
        pytest.skip(f"no composed configurations of RLinf at {folder}")
    return {file.relative_to(folder).with_suffix("").as_posix(): _read(file) for file in files}


def _read(file):
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture
def really(training_python, checkout):
    """Ask the RLinf of a checkout about configurations."""

    def ask(configs):
        asked = json.dumps([{"config": config, "accelerators": ACCELERATORS} for config in configs])
        script = Path(__file__).with_name("validate_for_real.py")
        env = {**os.environ, "EMBODIED_PATH": "/nowhere", "REPO_PATH": "/nowhere", "OMP_NUM_THREADS": "1"}
        env["PYTHONPATH"] = str(checkout)
        done = subprocess.run(
            [training_python, script], input=asked, capture_output=True, text=True, check=False, env=env
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    return ask


@pytest.fixture
def rehearsed(checkout):
    """Ask the rehearsal about configurations: the first refusal that is certain."""
    tree = Tree(checkout)

    def ask(configs):
        worlds = (
            follow(tree, tree.module("rlinf.config"), "validate_cfg", config, Devices(ACCELERATORS))
            for config in configs
        )
        return [next((one for one in world.refusals.values() if one.certain), None) for world in worlds]

    return ask


def _differ(name, real, ours):
    """What two verdicts differ in, None where they agree."""
    if real is None and ours is None:
        return None
    if real is not None and real["error"] in _MACHINE:
        return (
            None if ours is None else f"{name}: {ours.file}:{ours.line} refuses, the real one got to {real}"
        )
    if real is None or ours is None:
        return f"{name}: really {real}, rehearsed {ours}"
    same = ours.file == real["file"] and abs(ours.line - real["line"]) <= 2  # a statement of several lines
    return None if same and ours.error == real["error"] else f"{name}: really {real}, rehearsed {ours}"


@pytest.mark.parametrize(("checkout", "version"), [("0.3", "0.3"), ("main", "main")], indirect=["checkout"])
def test_shipped_configurations(version, really, rehearsed):
    shipped = _shipped(version)
    verdicts = zip(shipped, really(list(shipped.values())), rehearsed(shipped.values()), strict=True)
    differences = [difference for verdict in verdicts if (difference := _differ(*verdict))]
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize(("checkout", "version"), [(v, v) for v in CONFIGS], indirect=["checkout"])
def test_mutations(version, really, rehearsed):
    shipped = _shipped(version)
    configs = [_mutated(shipped[config], key, value) for config, key, value in MUTATIONS]
    names = [f"{config}: {key} = {value!r}" for config, key, value in MUTATIONS]
    answers = really(configs)
    verdicts = zip(names, answers, rehearsed(configs), strict=True)
    differences = [difference for verdict in verdicts if (difference := _differ(*verdict))]
    refused = {(answer["file"], answer["line"]) for answer in answers if answer}
    assert not differences, "\n".join(differences)
    assert len(refused) >= 65


def _mutated(config, key, value):
    config = copy.deepcopy(config)
    *parents, name = key.split(".")
    at = config
    for part in parents:
        at = at[int(part)] if part.isdecimal() else at.setdefault(part, {})
    if value is GONE:
        at.pop(name, None)
    else:
        at[name] = value
    return config
