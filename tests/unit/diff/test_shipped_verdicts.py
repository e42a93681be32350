"""The shipped patch beside the bundle that it was written for, and beside others."""

import pytest

from vlac.diff.compute import compute
from vlac.diff.show import document

THINGS = {
    "cluster.component_placement.actor,env,rollout": "same",
    "actor.model.is_lora": "redundant",
    "actor.model.lora_rank": "redundant",
    "JAX_PLATFORMS": "same",
    "rlinf/models/__init__.py": "not needed",
}


def verdicts(comparison):
    return {item.name: item.verdict.value for item in comparison.differences}


@pytest.mark.parametrize("version", ["0.3", "main", "a4b6abe20"])
def test_nothing_of_the_shipped_patch_is_missing(compiled, shipped, version):
    comparison = compute(shipped, compiled(version))
    assert verdicts(comparison) == THINGS
    assert not comparison.has_differences


@pytest.mark.parametrize(("version", "line"), [("0.3", 257), ("main", 353), ("a4b6abe20", 268)])
def test_the_guard_is_one_of_two_reads_and_neither_can_fail(compiled, shipped, version, line):
    guard = compute(shipped, compiled(version)).differences[-1]
    assert "actor.model.is_lora" in guard.judgement.reason
    assert "neither of the two strict reads" in guard.judgement.reason
    assert f"rlinf/models/__init__.py:{line}" in guard.judgement.reason
    assert "rlinf/hybrid_engines/fsdp/strategy/fsdp.py:163" in guard.judgement.reason
    assert guard.judgement.reason.endswith("the patch guards one of them")


def test_alone_it_would_train_pi0_and_load_no_npu(bundle, shipped):
    model, switch, places = compute(shipped, bundle).lacks
    assert "the patch alone would train pi0" in model
    assert "config_name pi0_libero" in model
    assert "this spec trains pi05 (pi05_libero)" in model
    assert "nothing on a stock checkout's SFT path imports torch_npu" in switch
    assert "data.train_data_paths" in places
    assert "actor.model.model_path" in places


def test_what_only_the_bundle_sets_is_counted(bundle, shipped):
    comparison = compute(shipped, bundle)
    assert comparison.config_only_in_bundle["actor.model.openpi.config_name"] == "pi05_libero"
    assert comparison.variables_only_in_bundle["MUJOCO_GL"] == "osmesa"
    assert "JAX_PLATFORMS" not in comparison.variables_only_in_bundle
    assert "actor.optim.lr" not in comparison.config_only_in_bundle  # a stock checkout has the same


def test_another_number_of_cards_differs(compiled, shipped):
    comparison = compute(shipped, compiled(sets=["hardware.cards=4"]))
    assert verdicts(comparison) == THINGS | {"cluster.component_placement.actor,env,rollout": "differs"}
    placement = comparison.differences[0]
    assert (placement.patch, placement.judgement.bundle) == ("0-7", "0-3")
    assert comparison.has_differences


def test_on_the_cpu_the_placement_differs(compiled, shipped):
    comparison = compute(shipped, compiled(backend="cpu"))
    assert verdicts(comparison)["cluster.component_placement.actor,env,rollout"] == "differs"
    assert not any("torch_npu" in sentence for sentence in comparison.lacks)


def test_a_pi0_spec_is_what_a_stock_checkout_trains(compiled, shipped):
    pi0 = compiled(sets=["model.family=pi0", "data.config=pi0_libero"])
    assert not any("would train" in sentence for sentence in compute(shipped, pi0).lacks)
    other = compiled(sets=["model.family=pi0", "data.config=pi0_calvin"])
    assert any("another data config" in sentence for sentence in compute(shipped, other).lacks)


def test_a_variable_that_the_spec_leaves_to_the_shell(compiled, shipped):
    bundle = compiled(backend="cuda:H100", extra="env: {MUJOCO_GL: null}\n")
    assert "MUJOCO_GL" not in compute(shipped, bundle).variables_only_in_bundle


def test_the_document_has_the_agreed_form(bundle, shipped):
    entries = document(compute(shipped, bundle))["differences"]
    for entry in entries:
        assert ("key" in entry) != ("file" in entry)
        assert {"verdict", "patch", "bundle", "reason"} <= set(entry)
    assert entries[1]["key"] == "actor.model.is_lora"
    assert (entries[1]["patch"], entries[1]["bundle"]) == (False, False)
    assert entries[-1]["file"] == "rlinf/models/__init__.py"
