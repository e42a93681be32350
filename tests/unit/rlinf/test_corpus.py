"""Every openpi SFT config that RLinf ships is a spec of at most ten lines; what differs is decided, and named here."""

import json
from pathlib import Path

import pytest

import vlac

CORPUS = Path(__file__).parents[2] / "corpus"
SHARED = Path(__file__).parents[4] / "shared" / "rlinf"
VERSIONS = {"v0.3": "0.3", "main": "main"}
MISSING = object()

# Decisions that hold for every config: RLinf key -> why the compiled value differs from the composed one.
DECIDED = {
    "actor.optim.warmup_style": "nothing in RLinf reads it",
    "actor.optim.lr_scheduler": "always written, RLinf's own default is constant",
    "actor.optim.total_training_steps": "follows train.decay_steps",
    "runner.logger.log_path": "a path of the spec",
    "data.train_data_paths": "a path of the spec: placeholders are refused",
    "actor.model.model_path": "a path of the spec: placeholders are refused",
}
NAMES = sorted(path.stem for path in CORPUS.glob("*.yaml"))


def leaves(node, above=()):
    if isinstance(node, dict) and node:
        for name, value in node.items():
            yield from leaves(value, (*above, name))
    else:
        yield ".".join(above), node


def composed(version, name):
    path = SHARED / version / "composed/examples/sft/config" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"what Hydra composes is not at hand: {SHARED} is absent")
    return dict(leaves(json.loads(path.read_text(encoding="utf-8"))))


def compiled(version, name):
    bundle = vlac.compile(CORPUS / f"{name}.yaml", sets=[f"rlinf.version='{VERSIONS[version]}'"])
    plain = {".".join(key): setting.value for key, setting in bundle.config.items()}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}


def test_there_are_six():
    assert len(NAMES) == 6


@pytest.mark.parametrize("name", NAMES)
def test_a_spec_has_at_most_ten_lines(name):
    assert len((CORPUS / f"{name}.yaml").read_text(encoding="utf-8").splitlines()) <= 10


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_compiles_to_what_hydra_composes(version, name):
    expected, actual = composed(version, name), compiled(version, name)
    different = {
        key
        for key in expected.keys() | actual.keys()
        if _typed(expected.get(key, MISSING)) != _typed(actual.get(key, MISSING))
    }
    assert different <= DECIDED.keys(), {
        k: (expected.get(k), actual.get(k)) for k in different - DECIDED.keys()
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_the_list_of_configs_is_complete(version):
    folder = SHARED / version / "composed/examples/sft/config"
    if not folder.is_dir():
        pytest.skip(f"what Hydra composes is not at hand: {SHARED} is absent")
    openpi = {
        path.stem
        for path in folder.glob("*.json")
        if dict(leaves(json.loads(path.read_text(encoding="utf-8")))).get("actor.model.model_type")
        == "openpi"
    }
    assert openpi == set(NAMES)


def _typed(value):
    return (type(value).__name__, value)
