import pytest

from vlac.errors import SpecError


def leaves(bundle):
    return {".".join(key): setting for key, setting in bundle.config.items()}


def test_an_existing_key_keeps_its_type_and_an_integer_becomes_a_float(compiled):
    found = leaves(compiled(overrides="{actor.model.num_steps: 8, actor.model.openpi.noise_level: 1}"))
    assert found["actor.model.num_steps"].value == 8
    assert (
        type(found["actor.model.openpi.noise_level"].value),
        found["actor.model.openpi.noise_level"].value,
    ) == (float, 1.0)


def test_the_chain_keeps_what_was_overridden(compiled):
    chain = leaves(compiled(overrides="{actor.model.num_steps: 8}"))["actor.model.num_steps"].chain
    assert [(value, origin.layer.value) for value, origin in chain] == [(5, "rlinf default"), (8, "override")]


def test_plus_adds_and_tilde_deletes(compiled):
    found = leaves(
        compiled(overrides="{+actor.optim.num_cycles: 0.25, ~actor.fsdp_config.amp_autocast: null}")
    )
    assert found["actor.optim.num_cycles"].value == 0.25
    assert not any(key.startswith("actor.fsdp_config.amp_autocast") for key in found)


def test_a_mapping_merges_and_a_plus_mapping_adds(compiled):
    found = leaves(
        compiled(overrides="{actor.fsdp_config.grad_scaler: {enabled: true}, +algorithm: {adv_type: gae}}")
    )
    assert found["actor.fsdp_config.grad_scaler.enabled"].value is True
    assert found["algorithm.adv_type"].value == "gae"


def test_null_is_free_in_both_directions(compiled):
    found = leaves(
        compiled(overrides="{actor.fsdp_config.backward_prefetch: pre, actor.model.num_steps: null}")
    )
    assert found["actor.fsdp_config.backward_prefetch"].value == "pre"
    assert found["actor.model.num_steps"].value is None


def test_the_schedule_follows_num_cycles(compiled):
    bundle = compiled(overrides="{+actor.optim.num_cycles: 1.0}", train="{steps: 100, lr: 1e-3}")
    assert bundle.plan.number("lr_last_step") == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("override", "code"),
    [
        ("{actor.micro_batch_size: 8}", "override-of-field"),
        ("{actor: {micro_batch_size: 8}}", "override-of-field"),
        ("{cluster.component_placement: {actor: 0-3}}", "override-of-field"),
        ("{'cluster.component_placement.\"actor,env,rollout\"': 0-3}", "override-of-field"),
        ("{~actor.optim: null}", "override-of-field"),
        ("{actor.model.num_stepz: 8}", "override-unknown"),
        ("{actor.model.num_steps: many}", "override-type"),
        ("{actor.model.use_proprio: 1}", "override-type"),
        ("{+actor.model.num_steps: 8}", "override-exists"),
        ("{~actor.model.num_steps: 3}", "spec-override-key"),
        ("{'actor.fsdp_config.backward_prefetch[0]': pre}", "override-unknown"),
        ("{+actor.model.num_steps.inner: 1}", "override-type"),
        ("{+x.y: '${actor.nowhere}'}", "override-unresolved"),
        ("{+x.y: '${x.y}'}", "override-unresolved"),
        ("{+x.y: '${x.z}', +x.z: '${x.y}'}", "override-unresolved"),
        ("{+x.y: '???'}", "value-uncarriable"),
        ("{+hydra.run.dir: /tmp}", "override-reserved"),
        ("{+actor.model.openpi_data.extra_delta_transform: true}", "override-of-field"),
        ("{+cluster.component_placement.actor: 0-3}", "override-of-field"),
        ("{+a.t: [1], '~a.t[0]': null}", "spec-override-key"),
        ("{+a.t: [1], '+a.t[1]': 2}", "spec-override-key"),
        ("{+a.t: [1], 'a.t[0]': x}", "override-type"),
        ("{+a.t: [{b: 1}], 'a.t[0].c': 2}", "override-unknown"),
        ("{+a.t: [1], 'a.t[1]': 2}", "override-unknown"),
        ("{+x.y: '${.nowhere}'}", "override-unresolved"),
        ("{+x.y: '${..actor.nowhere}'}", "override-unresolved"),
        ("{+x.y: '${actor[model].nowhere}'}", "override-unresolved"),
        ("{+x.y: '${.y}'}", "override-unresolved"),
        ("{+x.y: '${x}'}", "override-unresolved"),
        ("{+x.y: '${z}', +z.a: '${x.y}'}", "override-unresolved"),
        ("{+x.t: [1], +x.y: '${x.t[1]}'}", "override-unresolved"),
    ],
)
def test_refused_with_its_place(refused, override, code):
    found = refused(overrides=override)
    assert set(found) == {code}
    assert found[code].position.line == 8


def test_interpolations_into_keys_and_sections_are_fine(compiled):
    found = leaves(
        compiled(
            overrides="{+x.y: '${actor.model.num_steps}', +x.z: '${oc.env:HOME}/a', +x.w: '${actor.optim}'}"
        )
    )
    assert found["x.y"].value == "${actor.model.num_steps}"


def test_a_deleted_key_that_others_refer_to_is_told_where_it_was_deleted(refused):
    found = refused(overrides="{~actor.model.action_dim: null}")["override-unresolved"]
    assert str(found.position) == "spec.yaml:8:38"
    assert "actor.model.openpi.action_env_dim: nothing is at actor.model.action_dim" in found.message


def test_a_circle_through_a_key_of_rlinf_is_told_once(compiled):
    with pytest.raises(SpecError) as caught:
        compiled(overrides="{actor.model.num_steps: '${actor.model.openpi.num_steps}'}")
    assert [str(problem.position) for problem in caught.value.diagnostics] == ["spec.yaml:8:36"]


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("{+x.y: '${.t[1]}', +x.t: [1, 2]}", 2),
        ("{+x.y: '${..actor.model.num_steps}'}", 5),
        ("{+x.y: '${actor[model][num_steps]}'}", 5),
        ("{+x.y: '${x.t.0.a}', +x.t: [{a: 7}]}", 7),
        ("{actor.model.openpi.noise_level: '${..num_steps}', +x.y: '${actor.model.openpi.noise_level}'}", 5),
    ],
)
def test_what_counts_as_resolved_is_what_omegaconf_resolves(compiled, override, value):
    omegaconf = pytest.importorskip("omegaconf")
    config = omegaconf.OmegaConf.create(compiled(overrides=override).files["config.yaml"].decode())
    assert config.x.y == value


def test_an_item_of_a_list_keeps_its_type(compiled):
    found = leaves(compiled(overrides="{+a.t: [1, {b: 2.5}], 'a.t[1].b': 3}"))["a.t"].value
    assert found == [1, {"b": 3.0}] and type(found[1]["b"]) is float
