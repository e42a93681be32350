"""What a configuration asks for that not every backend has: features by name, found by the keys that ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.adapters import Lack
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting, Value
    from vlac.rlinf.templates import Key


# rlinf/hybrid_engines/fsdp/fsdp_model_manager.py and rlinf/config.py, v0.3 and main
FEATURES: Mapping[str, Mapping[str, tuple[Value, ...]]] = {
    "flash attention package": {"attn_implementation": ("flash_attention_2", "flash_attention_3")},
    "liger kernels": {"use_liger_kernel": (True,)},
    "quantized weights": {"load_in_8bit": (True,), "load_in_4bit": (True,), "gptq_model": (True,)},
    "fp8": {"fp8": (True,), "fp8_e4m3": (True,), "fp8_hybrid": (True,)},
}
"""Features by the name that `Lack.feature` of an adapter uses: the last part of a key, at whatever place of the
configuration, and the values of it that ask for the feature.
"""


def lacking(plan: RunPlan, config: Mapping[Key, Setting]) -> Iterator[Diagnostic]:
    """What the configuration asks for and the backend lacks, at the place where a person wrote it."""
    for lack in plan.adapter.lacks:
        asked = FEATURES[lack.feature]
        for key, setting in config.items():
            if setting.value in asked.get(key[-1], ()):
                yield _lacks(plan, lack, key, setting)


def _lacks(plan: RunPlan, lack: Lack, key: Key, setting: Setting) -> Diagnostic:
    place = setting.origin.position
    message = (
        f"{'.'.join(key)}: {setting.value} asks for {lack.feature}, which backend {plan.adapter.name} lacks"
    )
    written = next(
        (one for one in plan.loaded.writings() if place is not None and one.position == place), None
    )
    excerpt = written.excerpt if written else None
    return Diagnostic("backend-lacks", f"{message}: {lack.why}", lack.severity, place, lack.instead, excerpt)
