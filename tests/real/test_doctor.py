"""The doctor's tables and figures against the code that they are from: openpi, RLinf and transformers.

VLAC_TEST_OPENPI   a checkout of openpi; VLAC_TEST_RLINF and VLAC_TEST_PYTHON as in conftest.py
"""

import ast
import json
import os
import subprocess
import types
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.doctor import makers
from vlac.doctor.compute import statistics_of
from vlac.doctor.dataset import read
from vlac.doctor.interpreter import ask
from vlac.doctor.subject import Subject
from vlac.doctor.vectors import batches, transformed
from vlac.models.data_needs import ASSETS, KINDS, data_needs
from vlac.models.openpi_weights import TIED, UNUSED, expected_keys

pytestmark = pytest.mark.corpus  # minutes: `make corpus`

DATACONFIG = "rlinf/models/embodiment/openpi/dataconfig"
POLICIES = "rlinf/models/embodiment/openpi/policies"


@pytest.fixture(scope="session")
def openpi():
    """A checkout of openpi; skips, saying so, where none is at hand."""
    folder = Path(os.environ.get("VLAC_TEST_OPENPI", "")) / "src/openpi"
    if "VLAC_TEST_OPENPI" not in os.environ or not folder.is_dir():
        pytest.skip("no checkout of openpi: set VLAC_TEST_OPENPI to one")
    return folder


def taken(file, names, **around):
    """Classes and functions of a source file, executed without the imports of their module."""
    body = [
        node
        for node in ast.parse(file.read_text()).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names
    ]
    assert len(body) == len(names), file
    module = types.ModuleType("taken")
    module.__dict__.update(around)
    exec(compile(ast.Module(body, []), str(file), "exec"), module.__dict__)
    return module


@dataclass
class NormStats:
    mean: object
    std: object
    q01: object
    q99: object


@pytest.mark.parametrize("make", [makers.dataset_2, makers.dataset_3])
@pytest.mark.parametrize("config", ["pi05_libero", "pi0_libero"])
@pytest.mark.parametrize("batch", [8, 32])
@pytest.mark.parametrize(("bits", "close"), [("float64", 1e-9), ("float32", 1e-5)])
def test_statistics_equal_those_of_openpis_own_code(
    openpi, tmp_path, monkeypatch, make, config, batch, bits, close
):
    """openpi's RunningStats on the batches of its loader, percentiles included. The loader's numbers have 32 bits, in
    which openpi also adds them up: where 1,600 vectors are one batch, that alone is 4e-6; over many it evens out.
    """
    np = pytest.importorskip("numpy")
    pytest.importorskip("pyarrow")
    monkeypatch.setitem(
        ASSETS, config, types.SimpleNamespace(**{**_fields(ASSETS[config]), "batch_size": batch})
    )
    running = taken(openpi / "shared/normalize.py", ["RunningStats"], np=np, NormStats=NormStats).RunningStats
    root = make(tmp_path / "data")
    model = f"{{family: {config.partition('_')[0]}, weights: ./weights}}"
    subject = Subject(makers.launch(tmp_path, model=model, data=f"{{path: ./data, config: {config}}}"))
    ours = statistics_of(subject, read(root), lambda _done, _all: None)
    theirs = {"state": running(), "actions": running()}
    for state, actions in batches(read(root), subject.needs, subject.config.action_horizon, batch):
        theirs["state"].update(state.astype(bits))
        theirs["actions"].update(actions.astype(bits))
    for name, one in theirs.items():
        expected = one.get_statistics()
        for key in ("mean", "std", "q01", "q99"):
            difference = np.abs(np.array(getattr(ours[name], key)) - getattr(expected, key)).max()
            assert difference < close, (name, key)


def _fields(assets):
    return {name: getattr(assets, name) for name in type(assets).__slots__}


def test_a_long_set_equals_openpi_too(openpi):
    """20,000 vectors in batches that widen the range again and again, where small differences would add up."""
    np = pytest.importorskip("numpy")
    from vlac.doctor.statistics import RunningStatistics

    running = taken(
        openpi / "shared/normalize.py", ["RunningStats"], np=np, NormStats=NormStats
    ).RunningStats()
    ours, rng = RunningStatistics(), np.random.default_rng(1)
    for step in range(80):
        batch = rng.normal(scale=1 + step / 40, size=(250, 4)).astype(np.float32)
        running.update(batch)
        ours.update(batch)
    expected, found = running.get_statistics(), ours.result()
    for key in ("mean", "std", "q01", "q99"):
        assert np.abs(np.array(getattr(found, key)) - getattr(expected, key)).max() < 1e-6, key


@pytest.mark.parametrize("checkout", ["0.3", "a4b6abe20", "main"], indirect=True)
def test_the_table_of_assets_is_what_rlinf_registers(checkout):
    """Repo ids, asset ids, batch sizes, the classes, and the options that matter, of every config."""
    module = ast.parse((checkout / DATACONFIG / "__init__.py").read_text())
    seen = 0
    for call in (node for node in ast.walk(module) if _is_call(node, "TrainConfig")):
        given = _given(call)
        name, data = ast.literal_eval(given["name"]), given["data"]
        assets, options = ASSETS[name], _given(data)
        assert data.func.id == assets.kind
        assert ast.literal_eval(options["repo_id"]) == assets.repo_id
        assert _literal(_given(options["assets"]).get("asset_id")) == assets.asset_id
        assert (_literal(given.get("batch_size")) or 32) == assets.batch_size
        every = _defaults(checkout, assets.kind) | {key: _literal(value) for key, value in options.items()}
        assert bool(every.get("extra_delta_transform")) == assets.delta, name
        for option, value in assets.options:
            assert every[option] == value, (name, option)
        for option in ("adapt_to_pi", "extract_state_from_proprio"):
            assert every.get(option, False) == dict(assets.options).get(option, False), (name, option)
        prompts = _literal(_given(options["base_config"]).get("prompt_from_task"))
        assert prompts == (KINDS[assets.kind].prompt == "tasks"), name
        seen += 1
    assert seen > 20


def _is_call(node, name):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _given(call):
    return {keyword.arg: keyword.value for keyword in call.keywords}


def _literal(node):
    try:
        return ast.literal_eval(node) if node is not None else None
    except ValueError:
        return None


def _class(checkout, kind):
    for file in (checkout / DATACONFIG).glob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name == kind:
                return node
    raise AssertionError(kind)


def _defaults(checkout, kind):
    fields = [node for node in _class(checkout, kind).body if isinstance(node, ast.AnnAssign) and node.value]
    return {node.target.id: _literal(node.value) for node in fields}


@pytest.mark.parametrize("checkout", ["0.3", "a4b6abe20", "main"], indirect=True)
def test_the_table_of_needs_is_what_the_classes_repack(checkout):
    """The features of each repack transform, and the mask of each DeltaActions."""
    names = {assets.kind: name for name, assets in ASSETS.items()}
    for kind, needs in KINDS.items():
        if kind.startswith("LeRobotRLT") or not needs.state:
            continue  # its names are options; or it has no repack transform
        if (
            not (checkout / DATACONFIG).glob("*.py")
            or kind not in (checkout / DATACONFIG / "__init__.py").read_text()
        ):
            continue
        node = _class(checkout, kind)
        repacks = [
            call
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and _called(call) == "RepackTransform"
        ]
        wanted = {leaf for call in repacks for leaf in _leaves(ast.literal_eval(call.args[0]))}
        assert wanted - {"prompt", "task_index"} == {*needs.images, *needs.state, *needs.actions}, kind
        masks = {
            ast.literal_eval(ast.Tuple(call.args, ast.Load()))
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and _called(call) == "make_bool_mask"
        }
        if masks:
            assert masks == {needs.delta}, (kind, names[kind])


def _called(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _leaves(tree):
    return [
        leaf for value in tree.values() for leaf in (_leaves(value) if isinstance(value, dict) else [value])
    ]


@pytest.mark.parametrize("checkout", ["0.3", "main"], indirect=True)
def test_no_policy_takes_what_the_custom_config_hands_it(checkout):
    [inputs] = [
        node
        for node in ast.parse((checkout / POLICIES / "franka_policy.py").read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "FrankaEEInputs"
    ]
    fields = {node.target.id for node in inputs.body if isinstance(node, ast.AnnAssign)}
    handed = ast.unparse(_class(checkout, "CustomDataConfig"))
    assert "FrankaEEInputs(action_dim=" in handed
    assert "action_train_with_rotation_6d=self.action_train_with_rotation_6d" in handed
    assert fields == {"action_dim", "model_type"} or fields == {"action_dim", "model_type", "pad_state"}


@pytest.mark.parametrize("checkout", ["0.3", "main"], indirect=True)
def test_an_aloha_in_pis_space_is_what_rlinf_makes_of_it(checkout):
    np = pytest.importorskip("numpy")
    names = [
        "_joint_flip_mask",
        "_normalize",
        "_unnormalize",
        "_gripper_to_angular",
        "_gripper_from_angular_inv",
    ]
    theirs = taken(
        checkout / POLICIES / "aloha_policy.py", [*names, "_decode_state", "_encode_actions_inv"], np=np
    )
    rng = np.random.default_rng(2)
    states, actions = rng.uniform(size=(20, 14)), rng.uniform(size=(20, 14))
    needs = data_needs("pi05_aloha_robotwin", {"extra_delta_transform": False})
    state, sequences = transformed(states, actions, needs, 1)
    expected = np.stack([theirs._decode_state(one.copy(), adapt_to_pi=True) for one in states])
    assert state == pytest.approx(expected, abs=1e-6)
    assert sequences[:, 0] == pytest.approx(
        theirs._encode_actions_inv(actions.copy(), adapt_to_pi=True), abs=1e-6
    )


_KEYS = """
import json, sys
import torch
from torch import nn
from transformers import GemmaForCausalLM, PaliGemmaForConditionalGeneration
from transformers.models.auto import CONFIG_MAPPING

pi05 = sys.argv[1] == "pi05"
vlm = CONFIG_MAPPING["paligemma"]()
text = dict(hidden_size=2048, intermediate_size=16384, num_attention_heads=8, head_dim=256, num_hidden_layers=18,
            num_key_value_heads=1, vocab_size=257152)
for name, value in text.items():
    setattr(vlm.text_config, name, value)
vlm.vision_config.intermediate_size = 4304
expert = CONFIG_MAPPING["gemma"](head_dim=256, hidden_size=1024, intermediate_size=4096, num_attention_heads=8,
                                 num_hidden_layers=18, num_key_value_heads=1, vocab_size=257152)

class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.paligemma = PaliGemmaForConditionalGeneration(vlm)
        self.gemma_expert = GemmaForCausalLM(expert)
        self.gemma_expert.model.embed_tokens = None

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.paligemma_with_expert = Both()
        for name in sys.argv[2].split(","):
            setattr(self, name, nn.Linear(1, 1))

with torch.device("meta"):
    print(json.dumps(sorted(Model().state_dict())))
"""


@pytest.mark.parametrize(
    ("family", "own"),
    [
        ("pi0", "action_in_proj,action_out_proj,state_proj,action_time_mlp_in,action_time_mlp_out"),
        ("pi05", "action_in_proj,action_out_proj,time_mlp_in,time_mlp_out"),
    ],
)
def test_expected_keys_are_those_of_the_modules(training_python, family, own):
    """The modules of transformers that openpi puts together; openpi's adaptive norms of pi0.5 are put in by name."""
    answer = subprocess.run(
        [training_python, "-c", _KEYS, family, own], capture_output=True, text=True, check=False
    )
    if answer.returncode:
        pytest.skip(f"{training_python} has no transformers with PaliGemma: {answer.stderr.splitlines()[-1]}")
    keys = set(json.loads(answer.stdout)) - set(UNUSED)
    if family == "pi05":
        expert = "paligemma_with_expert.gemma_expert.model."
        norms = {key for key in keys if key.startswith(expert) and key.endswith("norm.weight")}
        keys -= norms
        keys |= {f"{key.removesuffix('weight')}dense.{part}" for key in norms for part in ("weight", "bias")}
    assert keys - {TIED[1]} == expected_keys(family)


def test_a_real_interpreter_answers(training_python):
    found = ask(training_python)
    assert found.versions["rlinf"].startswith("0.")
    assert found.versions["torch"]
    assert found.replaced in (True, False)
