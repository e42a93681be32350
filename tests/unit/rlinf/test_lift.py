"""Lifting is the inverse of lowering, and lifts nothing that a field cannot hold."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from vlac.compiler import make_plan
from vlac.plan.origins import Layer
from vlac.rlinf.fit import fit
from vlac.rlinf.lift import lift
from vlac.rlinf.lower import can_lower, lower
from vlac.rlinf.versions import MAIN, V0_3, VERSIONS
from vlac.spec.fields import BY_PATH, FIELDS
from vlac.spec.load import load, load_text
from vlac.spec.model import annotation

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "rlinf"
SPECS = [*sorted((ROOT / "specs").glob("*.yaml")), *sorted((ROOT / "tests/corpus").glob("*.yaml"))]
OPTIM = ("actor", "optim")
FSDP = ("actor", "fsdp_config")

# Fields that no key of the configuration holds.
UNSAID = {
    "vlac",
    "extends",
    "base",
    "rlinf.version",
    "rlinf.path",
    "rlinf.python",
    "patches",
    "overrides",
    "env",
}
UNSAID |= {"secrets", "hardware.backend", "hardware.device", "hardware.stack"}


def configuration(plan):
    return {key: setting.value for key, setting in lower(plan).items()}


def lifted(plan):
    ranks = plan.device.ranks_per_card if plan.device else 1
    return lift(configuration(plan), plan.version, ranks_per_card=ranks)


def expressed(plan):
    """The decided fields that the configuration says: an unwritten default may have no key there."""
    keys = lower(plan)
    for path, setting in plan.settings.items():
        absent = [name for name in BY_PATH[path].keys if tuple(name.split(".")) not in keys]
        unwritten = setting.origin.layer is Layer.DEFAULT and absent == list(BY_PATH[path].keys)
        unwritten |= path == "train.warmup_steps" and "train.warmup_ratio" in plan.settings
        if path not in UNSAID and not unwritten:
            yield path, setting.value


def assert_gives_back(plan):
    found = lifted(plan)
    missing = {path: (value, found.get(path)) for path, value in expressed(plan) if found.get(path) != value}
    assert not missing
    assert all(type(found[path]) is type(value) for path, value in expressed(plan))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_gives_back_every_decided_field(spec, version):
    assert_gives_back(make_plan(load(spec, sets=[f"rlinf.version='{version}'"])))


@pytest.mark.parametrize("backend", ["ascend:910B3", "ascend:910C", "cpu"])
def test_gives_back_every_decided_field_on_any_backend(backend):
    assert_gives_back(make_plan(load(SPECS[0], backend=backend)))


PATHS = st.sampled_from(("/data/a", "/d b", "${oc.env:DATA}/x", "./here"))
BETA = st.floats(0, 0.999)
VALUES = {
    "model.weights": PATHS,
    "model.tune": st.sampled_from(("full", "expert")),
    "data.path": PATHS | st.just("lerobot/libero"),
    "data.config": st.sampled_from(("pi0_libero", "pi0_custom", "pi0_aloha_robotwin")),
    "data.options": st.dictionaries(
        st.sampled_from(("repo_id", "extra_delta_transform")), st.booleans() | st.just("a/b"), min_size=1
    ),
    "hardware.cards": st.integers(1, 8),
    "hardware.nodes": st.integers(1, 4),
    "train.steps": st.integers(1, 10**6),
    "train.epochs": st.integers(1, 100),
    "train.micro_batch": st.integers(1, 64),
    "train.lr": st.floats(1e-9, 1),
    "train.schedule": st.sampled_from(("cosine", "constant", "openpi_cosine")),
    "train.betas": st.tuples(BETA, BETA).map(list),
    "train.seed": st.integers(0, 9),
    "fsdp.version": st.sampled_from((1, 2)),
    "fsdp.sharding": st.sampled_from(("full_shard", "shard_grad_op")),
    "fsdp.cpu_offload": st.booleans(),
    "fsdp.param_dtype": st.sampled_from(("fp32", "bf16")),
    "checkpoints.every": st.integers(1, 9999) | st.just("never"),
    "checkpoints.resume": st.just("/r/global_step_10"),
    "logging.backends": st.sampled_from((["wandb"], ["wandb", "tensorboard"], [])),
    "logging.entity": st.just("team"),
    "output": PATHS,
}
WARMUP = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"train.warmup_steps": st.integers(0, 50)}),
    st.fixed_dictionaries({"train.warmup_ratio": st.floats(0, 0.99)}),
)
NEEDED = ("model.weights", "data.path", "data.config", "hardware.cards", "train.steps")


@st.composite
def specs(draw):
    chosen = draw(st.fixed_dictionaries({}, optional=VALUES)) | draw(WARMUP)
    chosen |= {path: draw(VALUES[path]) for path in NEEDED if path not in chosen}
    sections = {}
    for path, value in chosen.items():
        section, _, key = path.rpartition(".")
        (sections.setdefault(section, {}) if section else sections)[key] = value
    sections["model"]["family"] = "pi0"
    sections["hardware"] |= draw(st.sampled_from(({"backend": "cuda", "device": "H100"}, {"backend": "cpu"})))
    return {"vlac": 1, "name": "t", "rlinf": {"version": draw(st.sampled_from(list(VERSIONS)))}} | sections


@given(specs())
@settings(max_examples=25)
def test_gives_back_every_field_of_any_spec(spec):
    plan = make_plan(load_text(json.dumps(spec), folder=Path("/"), keep_going=True))
    assert can_lower(plan)
    found = {diagnostic.code for diagnostic in plan.loaded.diagnostics if diagnostic.is_error}
    assert not found
    if plan.get("train.schedule") in plan.version.schedules:  # the pass refuses the others
        assert_gives_back(plan)


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.floats(-1, 2)
    | st.sampled_from(
        (
            "full",
            "sft",
            "bf16",
            "cosine",
            "never",
            "auto",
            "???",
            "${a.b}",
            "/x",
            "./x",
            "a/b",
            "",
            "a\nb",
            "32",
        )
    )
)
CHECKED = [f for f in FIELDS if f.keys and f.type not in ("name", "text", "path", "dataset")]


@given(st.sampled_from(CHECKED), PLAIN | st.lists(PLAIN, max_size=3))
@settings(max_examples=200)
def test_what_fits_is_what_the_spec_takes(field, value):
    """The model of the spec is the judge: what it takes fits, and nothing else."""
    as_read = tuple(value) if isinstance(value, list) else value
    numbers = field.type in ("number", "betas")
    if numbers and isinstance(as_read, tuple):
        as_read = tuple(float(item) if type(item) is int else item for item in as_read)
    elif numbers and type(as_read) is int:
        as_read = float(as_read)
    try:
        expected = TypeAdapter(annotation(field)).validate_python(as_read, strict=True)
    except ValidationError:
        expected = None
    if expected == "never" or (field.type == "loggers" and expected and len(set(expected)) < len(expected)):
        expected = None  # `never` is -1 in RLinf; a logger twice is refused by a rule of its own
    assert repr(fit(field, value)) == repr(expected)


SHIPPED = {"runner.max_steps": 5, "runner.max_epochs": -1, "runner.save_interval": -1, "cluster.num_nodes": 1}


def leaves(**changes):
    flat = SHIPPED | {name.replace("__", "."): value for name, value in changes.items()}
    return {tuple(name.split(".")): value for name, value in flat.items()}


def test_the_words_of_rlinf_that_mean_none():
    found = lift(leaves(actor__model__precision=None), V0_3)
    assert found == {
        "model.dtype": "auto",
        "hardware.nodes": 1,
        "train.steps": 5,
        "checkpoints.every": "never",
    }


@pytest.mark.parametrize("value", [None, "???", "${runner.max_epochs}", "5", 5.0, 0, True, [5]])
def test_what_a_field_cannot_hold_is_not_lifted(value):
    assert "train.steps" not in lift(leaves(runner__max_steps=value), V0_3)


@pytest.mark.parametrize(
    "path", ["/path/to/model", "../results", "results", "~/x", "$HOME/x", "${a.b}/x", ""]
)
def test_a_path_that_a_spec_cannot_hold_is_not_lifted(path):
    assert "output" not in lift(leaves(runner__logger__log_path=path), V0_3)


def placed(nodes=1, **components):
    placement = {("cluster", "component_placement", name): ranks for name, ranks in components.items()}
    return lift({("cluster", "num_nodes"): nodes} | placement, V0_3).get("hardware.cards")


@pytest.mark.parametrize(
    ("components", "cards"),
    [
        ({"actor,env,rollout": "0-7"}, 8),
        ({"actor": "0-3", "env": "0-3"}, 4),
        ({"actor": 0}, 1),
        ({"actor": "0:0-1"}, 2),
        ({"actor": "all"}, None),
        ({"actor": "0-3", "env": "4-7"}, None),
        ({"actor": "4-7"}, None),
        ({"actor": "${x}"}, None),
    ],
)
def test_cards_from_components_that_share_their_ranks(components, cards):
    assert placed(**components) == cards


def test_cards_are_those_of_a_node():
    assert placed(nodes=2, actor="0-7") == 4
    assert placed(nodes=3, actor="0-7") is None


def test_placement_on_named_groups_of_nodes_is_no_number_of_cards():
    key = ("cluster", "component_placement", "env")
    named = {(*key, "node_group"): "franka", (*key, "placement"): 0, ("cluster", "num_nodes"): 1}
    assert "hardware.cards" not in lift(named, V0_3)


def test_the_ranks_of_each_component():
    section = ("cluster", "component_placement")
    assert lift({(*section, "actor"): "0-3", (*section, "env,rollout"): "4-7"}, V0_3)[
        "hardware.placement"
    ] == {
        "actor": "0-3",
        "env,rollout": "4-7",
    }
    for other in (0, "${x}", None, "four"):
        assert "hardware.placement" not in lift({(*section, "actor"): "0-3", (*section, "env"): other}, V0_3)
    assert "hardware.placement" not in lift({(*section, "actor", "node_group"): "a"}, V0_3)


def mixed(model, *sets):
    leaves = {("actor", "model", "model_type"): model, ("data", "train_data_paths"): list(sets)}
    return lift(leaves, MAIN).get("data.mix")


def test_a_mix_of_data_sets_in_the_words_of_the_spec():
    one = {"dataset_path": "/a", "weight": 0.5, "embodiment_tag": "libero"}
    assert mixed("dreamzero", one) == ({"path": "/a", "weight": 0.5, "config": "libero"},)
    assert mixed("other", {"dataset_path": "/a"}) == ({"path": "/a"},)
    assert mixed("other", one) is None  # a key that the model does not have
    for wrong in ({"weight": 1.0}, {"dataset_path": "/path/to/a"}, {"dataset_path": "/a", "weight": 1}, "/a"):
        assert mixed("dreamzero", wrong) is None


def test_a_schedule_belongs_to_a_version():
    config = {(*OPTIM, "lr_scheduler"): "openpi_cosine"}
    assert lift(config, MAIN)["train.schedule"] == "openpi_cosine"
    assert "train.schedule" not in lift(config, V0_3)


def test_options_that_differ_between_loader_and_model_are_not_lifted():
    one, other = ("actor", "openpi_data", "repo_id"), ("actor", "model", "openpi_data", "repo_id")
    assert lift({one: "a", other: "a"}, V0_3)["data.options"] == {"repo_id": "a"}
    assert "data.options" not in lift({one: "a", other: "b"}, V0_3)
    assert "data.options" not in lift({one: "a"}, V0_3)
    assert lift({other: "b"}, MAIN)["data.options"] == {"repo_id": "b"}


@pytest.mark.parametrize(
    ("parameters", "worker", "lifted"), [(True, True, True), (True, False, None), (False, None, None)]
)
def test_offload_only_where_both_keys_agree(parameters, worker, lifted):
    config = {(*FSDP, "cpu_offload"): parameters, ("actor", "enable_offload"): worker}
    assert lift(config, V0_3).get("fsdp.cpu_offload") is lifted


def test_sharding_is_read_from_the_key_that_its_version_reads():
    config = {(*FSDP, "sharding_strategy"): "no_shard", (*FSDP, "reshard_after_forward"): False}
    assert lift({**config, (*FSDP, "strategy"): "fsdp"}, V0_3)["fsdp.sharding"] == "no_shard"
    assert lift({**config, (*FSDP, "strategy"): "fsdp2"}, V0_3)["fsdp.sharding"] == "shard_grad_op"
    assert "fsdp.sharding" not in lift(config, V0_3)


def test_a_whole_number_becomes_the_number_that_the_field_is():
    found = lift({(*OPTIM, "clip_grad"): 1}, V0_3)["train.grad_clip"]
    assert (type(found), found) == (float, 1.0)


def test_a_family_is_known_by_its_data_config():
    model = {("actor", "model", "model_type"): "openpi"}
    name = ("actor", "model", "openpi", "config_name")
    assert lift({**model, name: "pi05_libero"}, V0_3)["model.family"] == "pi05"
    assert "model.family" not in lift({**model, name: "pi05_franka_state"}, V0_3)  # main's alone
    assert "model.family" not in lift(model, V0_3)


def composed(version):
    for path in sorted((SHARED / version / "composed").rglob("*.json"))[::12]:
        yield dict(flat(json.loads(path.read_text(encoding="utf-8"))))


def flat(node, above=()):
    if isinstance(node, dict) and node:
        for name, value in node.items():
            yield from flat(value, (*above, name))
    else:
        yield above, node


@pytest.mark.parametrize(("folder", "version"), [("v0.3", V0_3), ("main", MAIN)])
def test_whatever_rlinf_ships_is_lifted_without_an_interpolation(folder, version):
    if not SHARED.is_dir():
        pytest.skip(f"what Hydra composes is not at hand: {SHARED} is absent")
    for config in composed(folder):
        found = lift(config, version)
        texts = [value for value in found.values() if isinstance(value, str)]
        assert not [text for text in texts if re.search(r"\$\{(?!oc\.env:)", text)]
