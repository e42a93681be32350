"""The parameters of openpi's PyTorch models pi0 and pi0.5, as data: what a file of weights has to hold.

Source: openpi 15a9616, `models_pytorch/pi0_pytorch.py` and `gemma_pytorch.py` (the modules), `models/gemma.py`
(gemma_2b, gemma_300m), `models_pytorch/transformers_replace/` (the norms of pi0.5's expert are `dense` layers), and
transformers 4.53 `models/siglip/modeling_siglip.py` without a head. RLinf v0.3 loads with `strict=False`
(`rlinf/models/embodiment/openpi/__init__.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

VISION_LAYERS = 27
GEMMA_LAYERS = 18

_VLM = "paligemma_with_expert.paligemma"
_EXPERT = "paligemma_with_expert.gemma_expert.model"
_VISION = f"{_VLM}.model.vision_tower.vision_model"
_LANGUAGE = f"{_VLM}.model.language_model"

TIED = (f"{_VLM}.lm_head.weight", f"{_LANGUAGE}.embed_tokens.weight")
"""One tensor under two names: a file holds either. safetensors' `save_model` keeps the first."""

UNUSED = ("paligemma_with_expert.gemma_expert.lm_head.weight",)
"""In the model and in published files, but no forward pass uses it."""

MARKS = {
    "pi0": ("state_proj.weight", "action_time_mlp_in.weight"),
    "pi05": ("time_mlp_in.weight",),
}
"""Parameters that only this family has."""

_SIGLIP_LAYER = (
    "layer_norm1",
    "layer_norm2",
    "mlp.fc1",
    "mlp.fc2",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.q_proj",
    "self_attn.out_proj",
)
_GEMMA_LAYER = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)
_NORMS = ("input_layernorm", "post_attention_layernorm")
_PROJECTIONS = {
    "pi0": ("action_in_proj", "action_out_proj", "state_proj", "action_time_mlp_in", "action_time_mlp_out"),
    "pi05": ("action_in_proj", "action_out_proj", "time_mlp_in", "time_mlp_out"),
}


def expected_keys(family: str) -> frozenset[str]:
    """The names of all parameters that pi0 or pi05 uses, of the tied pair the first. KeyError for another family."""
    keys = [*_vision(), *_gemma(_LANGUAGE, adaptive=False), *_gemma(_EXPERT, adaptive=family == "pi05")]
    keys += _linear(f"{_VLM}.model.multi_modal_projector.linear")
    for name in _PROJECTIONS[family]:
        keys += _linear(name)
    return frozenset((*keys, TIED[0]))


def _vision() -> Iterator[str]:
    yield from _linear(f"{_VISION}.embeddings.patch_embedding")
    yield f"{_VISION}.embeddings.position_embedding.weight"
    for layer in range(VISION_LAYERS):
        for part in _SIGLIP_LAYER:
            yield from _linear(f"{_VISION}.encoder.layers.{layer}.{part}")
    yield from _linear(f"{_VISION}.post_layernorm")


def _gemma(model: str, *, adaptive: bool) -> Iterator[str]:
    for layer in range(GEMMA_LAYERS):
        yield from (f"{model}.layers.{layer}.{part}.weight" for part in _GEMMA_LAYER)
        for norm in _NORMS:
            yield from _norm(f"{model}.layers.{layer}.{norm}", adaptive=adaptive)
    yield from _norm(f"{model}.norm", adaptive=adaptive)


def _norm(name: str, *, adaptive: bool) -> tuple[str, ...]:
    return _linear(f"{name}.dense") if adaptive else (f"{name}.weight",)


def _linear(name: str) -> tuple[str, ...]:
    return f"{name}.weight", f"{name}.bias"
