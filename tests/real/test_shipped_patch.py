"""The shipped patch on real checkouts: it applies, changes what it says and nothing else, and the files stay whole.

VLAC_TEST_RLINF names a folder with the git checkouts `rlinf-a4b6abe20`, `rlinf-v0.3` and `rlinf-a3816b596`; they
are read, never changed.
"""

import ast
import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from vlac.rlinf.stock_configs import LIBERO_SFT_OPENPI

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore::UserWarning")]

CONFIG = LIBERO_SFT_OPENPI.path
SCRIPT = LIBERO_SFT_OPENPI.script
MODELS = "rlinf/models/__init__.py"
PATCH = files("vlac.patches").joinpath("rlinf-openpi-sft-pi05-8card.patch").read_bytes()


def git(folder, *arguments, **kwargs):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, **kwargs).stdout


def checkout(name):
    root = os.environ.get("VLAC_TEST_RLINF")
    if not root:
        pytest.skip("VLAC_TEST_RLINF names no folder with RLinf checkouts")
    tree = Path(root) / name
    if not (tree / ".git").exists():
        pytest.skip(f"{tree} is no git checkout")
    return tree


@pytest.fixture(params=["rlinf-a4b6abe20", "rlinf-v0.3", "rlinf-a3816b596"])
def tree(request, tmp_path):
    """A copy of the files that matter, as a git tree of its own."""
    source = checkout(request.param)
    archive = git(source, "archive", "HEAD", "examples/sft", MODELS)
    subprocess.run(["tar", "-x"], cwd=tmp_path, input=archive, check=True)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    return tmp_path


@pytest.fixture
def patched(tree):
    git(tree, "apply", "--check", "-", input=PATCH)
    git(tree, "apply", "-", input=PATCH)
    return tree


def changed_lines(tree):
    lines = git(tree, "diff", "-U0", "--no-color").decode().splitlines()
    return [line for line in lines if line[:1] in "+-" and not line.startswith(("+++ ", "--- "))]


def test_it_changes_what_the_report_lists_and_nothing_else(patched):
    assert changed_lines(patched) == [
        "-    actor,env,rollout: 0-0",
        "+    actor,env,rollout: 0-7",
        "+    is_lora: False",
        "+    lora_rank: 32",
        "+export JAX_PLATFORMS=cpu",
        "-    if cfg.is_lora:",
        '+    if cfg.get("is_lora", False):',
    ]


def test_the_patched_files_are_whole(patched):
    config = OmegaConf.load(patched / CONFIG)
    assert config.cluster.component_placement["actor,env,rollout"] == "0-7"
    assert config.actor.model.is_lora is False
    assert config.actor.model.lora_rank == 32
    subprocess.run(["bash", "-n", SCRIPT], cwd=patched, check=True)
    ast.parse((patched / MODELS).read_text(encoding="utf-8"))


def test_it_can_be_taken_back(patched):
    git(patched, "apply", "--reverse", "-", input=PATCH)
    assert changed_lines(patched) == []


def test_the_stock_facts_are_those_of_the_checkout(tree, monkeypatch):
    """What vlac says about a stock checkout is what Hydra composes there."""
    from hydra import compose, initialize_config_dir

    monkeypatch.setenv("EMBODIED_PATH", str(tree / "examples/sft"))
    with initialize_config_dir(str((tree / CONFIG).parent), version_base="1.1"):
        config = OmegaConf.to_container(compose(Path(CONFIG).stem))
    assert dict(leaves(config)) == dict(LIBERO_SFT_OPENPI.leaves)
    script = (tree / SCRIPT).read_text(encoding="utf-8")
    for name, value in LIBERO_SFT_OPENPI.exports.items():
        assert f'export {name}="{value}"\n' in script


def leaves(section, above=()):
    for name, value in section.items():
        if isinstance(value, dict):
            yield from leaves(value, (*above, name))
        else:
            yield (*above, name), tuple(value) if isinstance(value, list) else value


def test_the_known_reads_are_those_of_the_checkouts():
    """The data is what its script finds, and names the key at every place."""
    trees = {
        "0.3": checkout("rlinf-v0.3"),
        "main": checkout("rlinf-a3816b596"),
        "a4b6abe20": checkout("rlinf-a4b6abe20"),
    }
    root = Path(__file__).parents[2]
    arguments = [f"{version}={tree}" for version, tree in trees.items()]
    made = subprocess.check_output([sys.executable, root / "scripts/extract_reads.py", *arguments])
    assert made == files("vlac.rlinf").joinpath("known_reads.json").read_bytes()
    for version, row in json.loads(made).items():
        for place in row["strict"]["is_lora"]:
            file, _, line = place.rpartition(":")
            source = git(trees[version], "show", f"HEAD:{file}").decode().splitlines()
            assert ".is_lora" in source[int(line) - 1]
