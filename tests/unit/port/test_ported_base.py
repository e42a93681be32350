"""A base compiled for Ascend: keys replaced with their reason, variables added, refusals and doubts told."""

from pathlib import Path

import pytest

from vlac.compiler import compile_spec_text
from vlac.errors import SpecError
from vlac.rlinf.compose import Composed, Composition, Layout

BASE = "examples/embodiment/config/run.yaml"
CONFIG = {
    "runner.task_type": "embodied",
    "runner.max_epochs": 10,
    "cluster.num_nodes": 1,
    "cluster.component_placement.actor,env,rollout": "0-7",
    "algorithm.loss_type": "actor_critic",
    "algorithm.adv_type": "gae",
    "rollout.generation_backend": "huggingface",
    "rollout.enable_torch_compile": True,
    "actor.training_backend": "fsdp",
    "actor.micro_batch_size": 4,
    "actor.global_batch_size": 128,
    "actor.model.model_path": "/weights",
    "actor.model.is_lora": False,
}
SPEC = """\
vlac: 1
name: ported
rlinf: {version: main}
base: %s
hardware: {backend: %s, cards: 8}
%s
"""


@pytest.fixture
def compiled(monkeypatch):
    """Compile a base without Hydra: the composition is made here. Returns the bundle."""

    def run(model="openpi", simulator="libero", backend="ascend, device: 910B3", more=""):
        own = {
            "actor.model.model_type": model,
            "env.train.env_type": simulator,
            "env.eval.env_type": simulator,
        }
        values = {tuple(name.split(".")): value for name, value in (CONFIG | own).items()}
        leaves = {key: Composed(value, BASE, line) for line, (key, value) in enumerate(values.items(), 1)}
        tree = Path("/tree")
        composed = Composition(Layout(tree / BASE, tree, (tree / BASE).parents[1]), leaves, ())
        monkeypatch.setattr("vlac.rlinf.compose.compose", lambda *_: composed)
        return compile_spec_text(SPEC % (BASE, backend, more), Path("/"), tree=tree)

    return run


def told(bundle):
    return {diagnostic.code: diagnostic for diagnostic in bundle.diagnostics}


def test_a_replaced_key_shows_what_was_there_and_why_it_went(compiled):
    bundle = compiled()
    setting = bundle.config[("rollout", "enable_torch_compile")]
    assert [(value, origin.layer.value) for value, origin in setting.chain] == [
        (True, "base"),
        (False, "adapter"),
    ]
    assert setting.chain[0][1].reason.startswith(f"{BASE}:")
    assert "triton-ascend" in setting.origin.reason
    assert b"enable_torch_compile: false" in bundle.files["config.yaml"].lower()


def test_what_is_known_with_a_caveat_warns_with_its_source(compiled):
    warning = told(compiled())["port-warning"]
    assert not warning.is_error
    assert "PR #742" in (warning.hint or "")
    assert warning.position is not None and warning.position.line == 4


def test_what_works_says_nothing(compiled):
    assert not [code for code in told(compiled(model="gr00t")) if code.startswith("port-")]


def test_what_nobody_reports_compiles_and_says_unknown(compiled):
    warning = told(compiled(model="starvla"))["port-unknown"]
    assert "unknown" in warning.message and "starvla, rl, ppo, libero" in warning.message


def test_what_cannot_run_is_refused_with_what_to_do_instead(compiled):
    with pytest.raises(SpecError) as caught:
        compiled(simulator="isaaclab")
    (refusal,) = [found for found in caught.value.diagnostics if found.code == "port-refused"]
    assert "NVIDIA RTX" in refusal.message
    assert "LIBERO" in (refusal.hint or "")


def test_another_backend_has_no_opinion(compiled):
    bundle = compiled(simulator="isaaclab", backend="cuda, device: H100")
    assert bundle.config[("rollout", "enable_torch_compile")].value is True
    assert not [code for code in told(bundle) if code.startswith("port-")]


def test_overrides_are_judged_too(compiled):
    physics = "overrides: {+env.train.init_params.sim_backend: cpu, +env.eval.init_params.sim_backend: cpu}"
    with pytest.raises(SpecError):
        compiled(simulator="maniskill")
    assert "port-unknown" in told(compiled(simulator="maniskill", more=physics))


def test_an_override_cannot_bring_back_what_the_backend_lacks(compiled):
    with pytest.raises(SpecError) as caught:
        compiled(more="overrides: {rollout.enable_torch_compile: true}")
    (found,) = [one for one in caught.value.diagnostics if one.is_error]
    assert found.code == "backend-requires"
    assert found.position is not None and found.position.line == 6


def test_a_model_that_compiles_by_itself_gets_the_variable_that_stops_it(compiled):
    assert b"TORCHDYNAMO_DISABLE=1" in compiled(model="openpi_rlinf").files["run.env"]
    assert b"TORCHDYNAMO_DISABLE" not in compiled().files["run.env"]


def test_the_user_owns_that_variable_too(compiled):
    bundle = compiled(model="openpi_rlinf", more='env: {TORCHDYNAMO_DISABLE: "0"}')
    (variable,) = [one for one in bundle.plan.environment if one.name == "TORCHDYNAMO_DISABLE"]
    assert variable.value == "0"
