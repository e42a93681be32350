"""`base`: what nobody writes stays as composed, what is written lowers as in the table."""

from __future__ import annotations

import json
import shutil

import pytest
from omegaconf import OmegaConf

from vlac.bundle.explain import explain
from vlac.errors import SpecError
from vlac.plan.origins import Layer
from vlac.rlinf.compose import compose

CUDA = "hardware: {backend: cuda, device: H100, cards: 8}\n"


def changed(bundle, tree, config="embodiment/config/ppo.yaml"):
    """The leaves that differ from the composition."""
    composed = compose(tree / "RLinf/examples" / config).values
    mine = {key: setting.value for key, setting in bundle.config.items()}
    keys = composed.keys() | mine.keys()
    return {
        ".".join(key): mine.get(key, "(none)")
        for key in keys
        if composed.get(key, "(none)") != mine.get(key, "(none)")
    }


def messages(more, compiled, *changes, **options):
    with pytest.raises(SpecError) as caught:
        compiled(more, *changes, **options)
    return [(d.code, str(d.position).rpartition("/")[2], d.message) for d in caught.value.diagnostics]


def test_base_alone_is_the_composition_and_nothing_to_start(compiled, tree):
    bundle = compiled()
    assert changed(bundle, tree) == {}
    assert set(bundle.files) == {"config.yaml", "vlac.lock.json"}
    emitted = OmegaConf.to_container(OmegaConf.create(bundle.files["config.yaml"].decode()), resolve=False)
    emitted.pop("hydra")
    assert emitted == compose(tree / "RLinf/examples/embodiment/config/ppo.yaml").nested()


def test_a_leaf_has_the_line_of_the_tree_that_decided_it(compiled):
    origin = compiled().config["actor", "model", "is_lora"].origin
    assert (origin.layer, origin.reason) == (Layer.BASE, "examples/embodiment/config/model/pi0_5.yaml:3")


def test_the_lock_holds_the_hashes_of_the_files_that_were_read(compiled):
    base = json.loads(compiled().files["vlac.lock.json"])["target"]["base"]
    assert base["config"] == "examples/embodiment/config/ppo.yaml"
    assert sorted(base["files"]) == [
        "examples/embodiment/config/model/pi0_5.yaml",
        "examples/embodiment/config/ppo.yaml",
        "examples/embodiment/config/training_backend/fsdp.yaml",
    ]
    assert json.loads(compiled("", ("1234", "1235")).files["vlac.lock.json"])["target"]["base"] != base


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("train: {micro_batch: 16}\n", {"actor.micro_batch_size": 16}),
        ("train: {steps: 100}\n", {"runner.max_steps": 100}),
        ("model: {tune: full}\n", {"actor.model.openpi.train_expert_only": False}),
        ("data: {config: pi05_maniskill}\n", {"actor.model.openpi.config_name": "pi05_maniskill"}),
        (
            "fsdp: {version: 2, sharding: full_shard}\n",
            {"actor.fsdp_config.strategy": "fsdp2"},
        ),
        ("checkpoints: {every: never}\n", {"runner.save_interval": -1}),
        ("output: /data/runs\n", {"runner.logger.log_path": "/data/runs"}),
        ("overrides: {+env.train.options.a: 8}\n", {"env.train.options": "(none)", "env.train.options.a": 8}),
        ("overrides: {env.train.total_num_envs: 8}\n", {"env.train.total_num_envs": 8}),
    ],
)
def test_a_written_field_changes_its_key_alone(compiled, tree, more, expected):
    assert changed(compiled(more), tree) == expected


def test_the_rollout_goes_on_loading_the_weights_of_the_actor(compiled, tree):
    more = "model: {weights: /data/pi05}\n"
    both = {"actor.model.model_path": "/data/pi05", "rollout.model.model_path": "/data/pi05"}
    assert changed(compiled(more), tree) == both
    other = compiled(
        more, ("rollout:\n  model: {model_path: /path/to/model", "rollout:\n  model: {model_path: /other")
    )
    assert other.config["rollout", "model", "model_path"].value == "/other"


def test_an_explanation_shows_the_base_below_the_spec(compiled):
    chain = explain(compiled("train: {micro_batch: 16}\n"), "actor.micro_batch_size").setting.chain
    assert [(value, origin.layer) for value, origin in chain] == [(32, Layer.BASE), (16, Layer.SPEC)]


def test_a_backend_brings_what_starts_the_run(compiled, tree):
    bundle = compiled(CUDA)
    assert changed(bundle, tree) == {"cluster.component_placement.actor,env,rollout": "0-7"}
    launch = bundle.files["launch.sh"].decode()
    assert "_entry=examples/embodiment/train_embodied_agent.py\n" in launch
    assert "_example=examples/embodiment\n" in launch


def test_what_an_adapter_prefers_goes_over_the_base(compiled, tree):
    bundle = compiled("hardware: {backend: cpu, cards: 2}\n")
    assert changed(bundle, tree) == {
        "cluster.component_placement.actor,env,rollout": "0:0-1",
        "actor.fsdp_config.strategy": "fsdp2",
    }


def test_another_tree_is_read_instead_of_the_one_in_the_spec(compiled, tree):
    spec = "vlac: 1\nname: mine\nrlinf: {version: main, path: /cluster/RLinf}\nbase: examples/sft/config/tune.yaml\n"
    bundle = compiled(spec=spec, tree=tree / "RLinf")
    assert bundle.plan.text("rlinf.path") == "/cluster/RLinf"
    assert changed(bundle, tree, "sft/config/tune.yaml") == {}


def test_the_bytes_do_not_depend_on_where_the_tree_lies(compiled, tree, tmp_path):
    shutil.copytree(tree / "RLinf", tmp_path / "checkout")
    assert compiled(CUDA, tree=tmp_path / "checkout").files == compiled(CUDA).files


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ("model: {family: pi0}\n", "base-other-family", "trains pi05"),
        ("data: {config: pi0_libero}\n", "data-other-family", "family pi0"),
        ("train: {micro_batch: 24}\n" + CUDA, "batch-indivisible", "24 x 8 ranks"),
        ("fsdp: {version: 2}\n", "fsdp-sharding", "always shards"),
        ("eval: {every: 7}\n", "eval-every", "does not divide"),
        ("overrides: {actor.micro_batch_size: 8}\n", "override-of-field", "train.micro_batch"),
        ("data: {mix: [{path: /data/a}]}\n", "data-mix", "one data set"),
    ],
)
def test_what_contradicts_the_base_is_refused(compiled, more, code, words):
    (found,) = messages(more, compiled)
    assert found[0] == code
    assert words in found[2]


@pytest.mark.parametrize("engine", ["megatron", "null"])
def test_fsdp_is_refused_where_the_base_shards_nothing(compiled, engine):
    change = ("training_backend: fsdp", f"training_backend: {engine}")
    found = messages("fsdp: {version: 2, sharding: full_shard}\n", compiled, change)
    assert [code for code, _, _ in found] == ["spec-field-refused"] * 2


@pytest.mark.parametrize(
    ("text", "value"),
    [('"${actor.global_batch_size}"', "${actor.global_batch_size}"), ("null", None), ("-5", -5)],
)
def test_an_override_stands_where_the_field_cannot_hold_the_value(compiled, text, value):
    bundle = compiled(f"overrides: {{actor.micro_batch_size: {text}}}\n")
    assert bundle.config["actor", "micro_batch_size"].value == value
    assert "override-beside-field" in {d.code for d in bundle.diagnostics}


def test_a_base_that_cannot_be_had_is_the_only_problem(compiled):
    gone = "vlac: 1\nname: mine\nrlinf: {version: main%s}\nbase: examples/embodiment/config/%s.yaml\n"
    cases = (
        (gone % ("", "ppo"), "spec-missing"),
        (gone % (", path: /nowhere", "ppo"), "base-no-checkout"),
        (gone % (", path: '${oc.env:HOME}/RLinf'", "ppo"), "base-no-checkout"),
        (gone % (", path: ./RLinf", "pppo"), "base-missing"),
    )
    for spec, code in cases:
        assert [found[0] for found in messages("", compiled, spec=spec)] == [code], spec
    (broken,) = messages("", compiled, ("model/pi0_5@", "model/pi9@"))
    assert broken[0] == "base-broken"
    assert "model/pi9" in broken[2]
