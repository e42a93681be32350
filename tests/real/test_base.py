"""`base` over every config that RLinf ships: alone it is Hydra's composition, leaf for leaf; with a backend it compiles
or says why not."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from vlac.compiler import compile_spec_text
from vlac.errors import SpecError
from vlac.rlinf.compose import compose

pytestmark = pytest.mark.corpus  # minutes: `make corpus`

CORPUS = Path(__file__).parents[3] / "shared/rlinf"
VERSIONS = {"v0.3": ("0.3", 184), "main": ("main", 207)}
ASCEND = "hardware: {backend: ascend, device: 910B3, cards: 8}\n"
REFUSALS = {
    "placement-unclear",  # it puts components on another number of cards
    "batch-indivisible",  # its batch does not divide by micro batch x ranks
    "port-refused",  # an NPU cannot do it
}


@pytest.fixture(autouse=True, scope="module")
def composed_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vlac.rlinf.compose.compose", functools.cache(compose))
        yield


def configs(version):
    root = CORPUS / version / "composed"
    if not root.is_dir():
        pytest.skip(f"RLinf's configs and their compositions are not at {CORPUS}")
    return root, sorted(root.rglob("*.json"))


def compiled(version, base, more=""):
    text = f'vlac: 1\nname: port\nrlinf: {{version: "{VERSIONS[version][0]}"}}\nbase: {base}\n{more}'
    return compile_spec_text(text, Path(), tree=CORPUS / version / "configs")


@pytest.mark.parametrize("version", VERSIONS)
def test_base_alone_is_hydras_composition_leaf_for_leaf(version):
    root, files = configs(version)
    assert len(files) == VERSIONS[version][1]
    different = []
    for file in files:
        base = file.relative_to(root).with_suffix(".yaml").as_posix()
        bundle = compiled(version, base)
        text = bundle.files["config.yaml"].decode()
        emitted = OmegaConf.to_container(OmegaConf.create(text), resolve=False)
        emitted.pop("hydra")
        told = {d.code for d in bundle.diagnostics} - {"base-placeholder"}
        if json.loads(json.dumps(emitted)) != json.loads(file.read_text()) or told:
            different.append(base)
    assert different == []


@pytest.mark.parametrize("version", VERSIONS)
def test_every_config_goes_to_npus_or_is_refused_with_a_reason(version):
    root, files = configs(version)
    refused = {}
    for file in files:
        base = file.relative_to(root).with_suffix(".yaml").as_posix()
        try:
            compiled(version, base, ASCEND)
        except SpecError as problem:
            refused[base] = {d.code for d in problem.diagnostics if d.is_error}
    assert set().union(*refused.values()) <= REFUSALS
    assert len(refused) < len(files) / 2
    print(f"{version}: {len(files) - len(refused)} of {len(files)} configs compile for 910B3")
