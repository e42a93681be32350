"""`vlac import` over every config that RLinf ships, and over copies that somebody edited or a run saved."""

from __future__ import annotations

import functools
import json
import re
from hashlib import sha256
from pathlib import Path
from statistics import median

import pytest
from omegaconf import OmegaConf

from vlac.cli import main
from vlac.compiler import compile_spec_text
from vlac.importing.importer import LONGEST, import_config
from vlac.importing.leaves import differing
from vlac.rlinf.compose import compose
from vlac.rlinf.compose.composition import flatten

pytestmark = pytest.mark.corpus  # minutes: `make corpus`

CORPUS = Path(__file__).parents[3] / "shared/rlinf"
VERSIONS = {"v0.3": 184, "main": 207}
SFT = "examples/sft/config/libero_sft_openpi.yaml"
PPO = "examples/embodiment/config/libero_10_ppo_openpi_pi05.yaml"


@pytest.fixture(autouse=True, scope="module")
def composed_once():
    """Hydra composes a content once."""

    @functools.cache
    def by_content(config, tree, _digest):
        return compose(config, tree)

    def cached(config, tree=None):
        return by_content(config, tree, sha256(config.read_bytes()).hexdigest())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vlac.rlinf.compose.compose", cached)
        yield


def tree_of(version):
    tree = CORPUS / version / "configs"
    if not tree.is_dir():
        pytest.skip(f"RLinf's configs and their compositions are not at {CORPUS}")
    return tree


def compiled(text, tree):
    return {key: setting.value for key, setting in compile_spec_text(text, Path(), tree=tree).config.items()}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_config_becomes_a_short_spec_that_compiles_to_it(version):
    tree = tree_of(version)
    root = CORPUS / version / "composed"
    files = sorted(root.rglob("*.json"))
    assert len(files) == VERSIONS[version]
    different, lengths = [], []
    for file in files:
        spec = import_config(tree / file.relative_to(root).with_suffix(".yaml")).text
        lengths.append(spec.count("\n"))
        if differing(compiled(spec, tree), dict(flatten(json.loads(file.read_text())))):
            different.append(file.stem)
    assert not different
    print(f"{version}: {len(lengths)} specs, median {median(lengths)} lines, longest {max(lengths)}")
    assert max(lengths) <= LONGEST
    assert median(lengths) < 12


def copy(tree, config, folder, *changes, name="mine.yaml"):
    """A copy with patterns replaced, each once."""
    text = (tree / config).read_text(encoding="utf-8")
    for pattern, after in changes:
        text, count = re.subn(pattern, after, text, count=1, flags=re.MULTILINE)
        assert count, pattern
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("config", "changes", "written"),
    [
        (
            SFT,
            [(r"/path/to/pi0-model", "/data/pi0"), (r"lr: .*", "lr: 1e-5  # searched"), (r"seed: .*", "seed: null")],
            ["weights: /data/pi0", "lr: 1e-5  # searched", "actor.seed: null"],
        ),
        (
            PPO,
            [(r"component_placement:\n.*", "component_placement:\n    actor: 0-3\n    env,rollout: 4-7")],
            ['hardware: {placement: {actor: "0-3", "env,rollout": "4-7"}}'],
        ),
        (
            PPO,
            [(r"total_num_envs: .*", "total_num_envs: 8 # fits"), (r"adv_type: .*", "adv_type: grpo")],
            ["total_num_envs: 8  # fits", "algorithm.adv_type: grpo"],
        ),
    ],
)  # fmt: skip
def test_an_edited_copy_starts_from_the_config_that_it_was(config, changes, written, version, tmp_path):
    tree = tree_of(version)
    mine = copy(tree, config, tmp_path, *changes)
    spec = import_config(mine, tree=tree).text
    assert f"base: {config}\n" in spec
    assert all(text in spec for text in written), spec
    assert spec.count("\n") <= 12
    assert not differing(compiled(spec, tree), compose(mine, tree).values)


def test_a_copy_beside_the_configs_of_a_checkout(checkout_copy):
    tree, folder = checkout_copy
    mine = copy(tree, SFT, folder, (r"micro_batch_size: .*", "micro_batch_size: 2"))
    spec = import_config(mine).text
    assert f"base: {SFT}\n" in spec
    assert "micro_batch: 2" in spec


@pytest.fixture
def checkout_copy(tmp_path):
    """A tree with RLinf's SFT configs in it, and the folder that they lie in."""
    import shutil

    shutil.copytree(tree_of("v0.3") / "examples/sft", tmp_path / "RLinf/examples/sft")
    return tmp_path / "RLinf", tmp_path / "RLinf/examples/sft/config"


def test_a_configuration_that_a_run_saved_and_the_commands_of_a_user(tmp_path):
    """As RLinf logs it: every interpolation resolved, paths given on the command line."""
    tree = tree_of("v0.3")
    config = OmegaConf.create(compose(tree / SFT, tree).nested())
    config.runner.logger.log_path = "/data/results"
    config.actor.model.model_path, config.data.train_data_paths = "/data/pi0", "/data/libero"
    saved = tmp_path / "saved.yaml"
    saved.write_text(OmegaConf.to_yaml(config, resolve=True))
    spec, bundle = tmp_path / "spec.yaml", tmp_path / "bundle"
    assert main(["import", str(saved), "--rlinf", str(tree), "-o", str(spec)]) == 0
    assert f"base: {SFT}\n" in spec.read_text()
    assert spec.read_text().count("\n") <= LONGEST
    assert main(["compile", str(spec), "--rlinf", str(tree), "-o", str(bundle)]) == 0
    emitted = OmegaConf.to_container(OmegaConf.load(bundle / "config.yaml"))
    del emitted["hydra"]
    assert emitted == OmegaConf.to_container(OmegaConf.load(saved))


def test_the_config_that_does_not_compose_is_told_with_its_line(capsys):
    tree = tree_of("main")
    config = tree / "examples/embodiment/config/libero_spatial_dagger_openpi_lerobot.yaml"
    assert main(["import", str(config)]) == 1
    assert re.search(r"lerobot\.yaml:\d+:\d+.*does not compose", capsys.readouterr().err)
