"""What a configuration asks for and the backend lacks."""


def test_what_an_npu_cannot_do_is_refused_where_it_is_asked_for(refused):
    found = refused(overrides="{+actor.model.load_in_8bit: true}")["backend-lacks"]
    assert str(found.position) == "spec.yaml:8:40"
    assert "quantized weights" in found.message
    assert refused(overrides="{actor.fsdp_config.use_liger_kernel: true}").keys() == {"backend-lacks"}
    assert refused(overrides="{+actor.model.fp8: true}").keys() == {"backend-lacks"}


def test_flash_attention_is_a_warning_because_transformers_may_replace_it(compiled):
    found = compiled(overrides="{+actor.model.attn_implementation: flash_attention_2}").diagnostics
    assert [d.severity for d in found if d.code == "backend-lacks"] == ["warning"]


def test_other_values_and_other_backends_pass(compiled):
    for value in ("{actor.fsdp_config.use_liger_kernel: false}", "{+actor.model.attn_implementation: sdpa}"):
        assert "backend-lacks" not in {d.code for d in compiled(overrides=value).diagnostics}
    cuda = compiled(overrides="{actor.fsdp_config.use_liger_kernel: true}", backend="cuda:H100")
    assert "backend-lacks" not in {d.code for d in cuda.diagnostics}
