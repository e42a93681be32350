"""The Ascend cards that can train: names as npu-smi and acl spell them, memory, ranks a card.

Sources: the HBM column of `npu-smi info` for the A2 cards (65536 MB on a 910B3, driver 24.1 and 25.2);
`acl.get_soc_name()` and CANN's platform_config/*.ini for the SoC names.
"""

from __future__ import annotations

from vlac.adapters import Device, Lack

_A2 = "npu-smi info, HBM-Usage(MB); SoC name from acl.get_soc_name() (CANN 8.3, platform_config/{soc}.ini)"
_A3 = (
    "npu-smi info of driver 25.2: each card shows two chips of 65536 MB, each a device of its own; "
    "SoC names from CANN's platform_config/Ascend910_93*.ini"
)

_A3_NAMES = tuple(f"Ascend910_{number}" for number in (9391, 9392, 9381, 9382, 9372, 9362, 9363))


def _reported(name: str) -> tuple[tuple[str, str], ...]:
    return ("npu-smi", name), ("acl", f"Ascend{name}")


DEVICES: tuple[Device, ...] = (
    Device(
        "910B1",
        64,
        _A2.format(soc="Ascend910B1"),
        cards_per_node=8,
        aliases=("Ascend910B1",),
        reported=_reported("910B1"),
    ),
    Device(
        "910B2",
        64,
        _A2.format(soc="Ascend910B2"),
        cards_per_node=8,
        aliases=("Ascend910B2", "910B2C", "Ascend910B2C"),
        reported=(*_reported("910B2"), *_reported("910B2C")),
    ),
    Device(
        "910B3",
        64,
        _A2.format(soc="Ascend910B3"),
        cards_per_node=8,
        aliases=("Ascend910B3",),
        reported=_reported("910B3"),
    ),
    Device(
        "910B4",
        32,
        _A2.format(soc="Ascend910B4"),
        cards_per_node=8,
        aliases=("Ascend910B4",),
        reported=_reported("910B4"),
    ),
    Device(
        "910C",
        128,
        _A3,
        cards_per_node=8,
        ranks_per_card=2,
        aliases=("Ascend910C", *_A3_NAMES),
        reported=(("npu-smi", "Ascend910"), *(("acl", name) for name in _A3_NAMES)),
    ),
)

_A2_AND_A3 = "Ascend/pytorch 9e73e708a, documentation; hardware of Atlas A2 and A3"

LACKS: tuple[Lack, ...] = (
    Lack("fp8", "no A2 or A3 card computes in fp8", "leave it out and compute in bf16", _A2_AND_A3),
    Lack(
        "quantized weights",
        "bitsandbytes and GPTQ have no kernels for the NPU",
        "leave it out and take the unquantized weights",
        "ms-swift 3602360a5, NPU-support.md",
    ),
    Lack(
        "liger kernels",
        "liger's kernels are written for CUDA",
        "leave it out, or write false",
        "ms-swift 3602360a5, NPU-support.md",
    ),
    Lack(
        "flash attention package",
        "there is no flash-attn package for the NPU; transformers 4.57 puts a kernel of torch_npu in its place, "
        "one that does not know the NPU fails",
        "write sdpa or eager",
        "transformers 4.57, modeling_flash_attention_utils.py and integrations/npu_flash_attention.py",
        severity="warning",
    ),
)
