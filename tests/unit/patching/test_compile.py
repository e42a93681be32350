"""Patches in specs: what can be listed, what the bundle holds, what the plan says, what a configuration needs."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.patching.conftest import MODELS, STRATEGY, plant
from vlac.bundle.lock import NAME
from vlac.cli import main
from vlac.compiler import compile_spec_text
from vlac.errors import SpecError
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.guards import IS_LORA, needs_guards
from vlac.rlinf.source_patches import is_for, missing_patches, offers, rlinf_variant, trees_of, unknown_files
from vlac.rlinf.trees.target import TreeTarget
from vlac.rlinf.versions import VERSIONS


def verdicts(bundle):
    found = offers(bundle.plan, bundle.config)
    return {offer.patch.id: (offer.is_listed, offer.verdict) for offer in found}


def test_without_patches_the_bundle_has_no_patch(compiled):
    bundle = compiled()
    assert not [name for name in bundle.files if name.endswith(".patch")]
    assert "patches" not in json.loads(bundle.files[NAME])["target"]
    assert verdicts(bundle) == {"guards": (False, "not needed"), "npu-numerics": (False, "optional")}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_bundle_holds_exactly_what_is_listed(compiled, version):
    rlinf = f'{{version: "{version}"}}'
    guards = compiled(rlinf=rlinf, patches="[guards]").files
    assert "openpi.patch" not in guards
    assert guards["rlinf.patch"].count(b"\n--- a/") == 2
    both = compiled(rlinf=rlinf, patches="[npu-numerics, guards]")
    assert both.files["rlinf.patch"].count(b"\n--- a/") + both.files["rlinf.patch"].startswith(b"---") == 4
    assert both.files["openpi.patch"].count(b"\n--- a/") == 1
    assert json.loads(both.files[NAME])["target"]["patches"] == ["guards", "npu-numerics"]
    assert {"rlinf.patch", "openpi.patch"} < json.loads(both.files[NAME])["files"].keys()
    assert (
        compiled(rlinf=rlinf, patches="[guards, npu-numerics]").files["rlinf.patch"]
        == both.files["rlinf.patch"]
    )


def test_the_patch_of_each_version_is_another(compiled):
    texts = {
        compiled(rlinf=f'{{version: "{version}"}}', patches="[guards]")
        .files["rlinf.patch"]
        .partition(b"--- a/")[2]
        for version in VERSIONS
    }
    assert len(texts) == len(VERSIONS)


def test_a_patch_of_another_backend_is_unknown(refused):
    problem = refused(hardware="{backend: cuda, device: H100, cards: 8}", patches="[npu-numerics]")[
        "spec-unknown-patch"
    ]
    assert problem.message == "RLinf 0.3 on backend cuda has no patch 'npu-numerics'"
    assert problem.hint == "known: guards"
    assert problem.position.line == 8


def test_a_misspelt_patch_gets_the_nearest_name(refused):
    assert refused(patches="[guard]")["spec-unknown-patch"].hint.startswith("did you mean guards?")


def test_a_patch_that_the_run_never_reaches_is_a_warning():
    text = (
        'vlac: 1\nname: t\nrlinf: {version: "0.3"}\nmodel: {family: demo}\n'
        "hardware: {backend: ascend, device: 910B3, cards: 8}\ntrain: {steps: 10}\npatches: [npu-numerics]\n"
    )
    try:
        found = compile_spec_text(text, Path("/")).diagnostics
    except SpecError as problem:
        found = problem.diagnostics
    (told,) = [one for one in found if one.code == "spec-field-ignored" and "npu-numerics" in one.message]
    assert told.severity == "warning"
    assert "openpi alone" in told.message


@pytest.fixture
def without_is_lora(compiled):
    bundle = compiled()
    config = {key: setting for key, setting in bundle.config.items() if key != IS_LORA}
    return bundle.plan, config


def test_a_configuration_without_is_lora_needs_guards(without_is_lora):
    plan, config = without_is_lora
    (problem,) = missing_patches(plan, config)
    assert problem.code == "patch-needed"
    assert problem.severity == "error"
    assert "rlinf/models/__init__.py:257" in problem.message
    assert problem.hint.startswith("add `patches: [guards]`")
    assert next(iter(offers(plan, config))).verdict == "needed"


def test_a_listed_patch_is_enough(without_is_lora, compiled):
    _, config = without_is_lora
    assert list(missing_patches(compiled(patches="[guards]").plan, config)) == []


def test_the_line_to_add_keeps_what_is_listed(without_is_lora, compiled):
    _, config = without_is_lora
    plan = compiled(patches="[npu-numerics]").plan
    (problem,) = missing_patches(plan, config)
    assert problem.hint.startswith("add `patches: [npu-numerics, guards]`")
    assert problem.position.line == 8


def test_the_key_itself_is_enough(without_is_lora):
    plan, config = without_is_lora
    config[IS_LORA] = Setting(value=False, origin=Origin(Layer.SPEC, "written"))
    assert list(missing_patches(plan, config)) == []


def test_megatron_reads_no_is_lora(without_is_lora):
    _, config = without_is_lora
    backend = ("actor", "training_backend")
    assert needs_guards(config)
    assert not needs_guards(config | {backend: replace(config[backend], value="megatron")})
    assert not needs_guards({("runner", "task_type"): config[backend]})


def test_plan_tells_what_each_would_do(capsys, tmp_path):
    from tests.unit.conftest import text

    spec = tmp_path / "s.yaml"
    spec.write_text(text(patches="[npu-numerics]"))
    assert main(["plan", str(spec)]) == 0
    told = capsys.readouterr().out.partition("source patches\n")[2]
    assert (
        "  guards        not listed, not needed  the compiled configuration has actor.model.is_lora\n" in told
    )
    assert "  npu-numerics  listed, optional        pi0 and pi0.5 count positions in int32" in told
    assert "trained pi0.5 on a 910B3 with CANN 8.3 without it" in told
    assert main(["plan", str(spec), "--json"]) == 0
    assert [one["verdict"] for one in json.loads(capsys.readouterr().out)["patches"]] == [
        "not needed",
        "optional",
    ]


@pytest.fixture
def own(tree, compiled):
    """A version that is the small tree, which nobody has seen; nearest is 0.3."""
    recognised = SimpleNamespace(tree=tree, nearest=SimpleNamespace(version=SimpleNamespace(name="0.3")))
    return replace(compiled().plan.version, name="own", tree=TreeTarget(recognised, is_own=True))


def test_in_a_tree_that_nobody_has_seen_the_files_decide(patches, tree, own):
    assert trees_of(own) is None
    assert rlinf_variant(patches.one, own).tree == "0.3"
    assert unknown_files(patches.one, own) == ()
    plant(tree, (MODELS, STRATEGY), patches.newer)
    assert rlinf_variant(patches.one, own).tree == "main"
    assert unknown_files(patches.one, own) == ()
    (tree / MODELS).write_text("mine\n")
    assert rlinf_variant(patches.one, own).tree == "0.3"
    assert unknown_files(patches.one, own) == (MODELS, STRATEGY)


def test_a_patch_has_to_be_made_for_the_version(patches, compiled):
    made = replace(patches.one, variants=patches.one.variants[1:])
    assert not is_for(made, compiled().plan.version)
    assert is_for(patches.one, compiled().plan.version)
