"""The Ascend cards that can train: names as npu-smi and acl spell them, memory, ranks a card.

Sources: the HBM column of `npu-smi info` for the A2 cards (65536 MB on a 910B3, driver 24.1 and 25.2);
`acl.get_soc_name()` and CANN's platform_config/*.ini for the SoC names.
"""

from __future__ import annotations

from vlac.adapters import Device

_A2 = "npu-smi info, HBM-Usage(MB); SoC name from acl.get_soc_name() (CANN 8.3, platform_config/{soc}.ini)"
_A3 = (
    "npu-smi info of driver 25.2: each card shows two chips of 65536 MB, each a device of its own; "
    "SoC names from CANN's platform_config/Ascend910_93*.ini"
)

DEVICES: tuple[Device, ...] = (
    Device("910B1", 64, _A2.format(soc="Ascend910B1"), cards_per_node=8, aliases=("Ascend910B1",)),
    Device(
        "910B2",
        64,
        _A2.format(soc="Ascend910B2"),
        cards_per_node=8,
        aliases=("Ascend910B2", "910B2C", "Ascend910B2C"),
    ),
    Device("910B3", 64, _A2.format(soc="Ascend910B3"), cards_per_node=8, aliases=("Ascend910B3",)),
    Device(
        "910B4",
        32,
        _A2.format(soc="Ascend910B4"),
        cards_per_node=8,
        aliases=("Ascend910B4",),
    ),
    Device(
        "910C",
        128,
        _A3,
        cards_per_node=8,
        ranks_per_card=2,
        aliases=(
            "Ascend910C",
            "Ascend910_9391",
            "Ascend910_9392",
            "Ascend910_9381",
            "Ascend910_9382",
            "Ascend910_9372",
            "Ascend910_9362",
            "Ascend910_9363",
        ),
    ),
)
