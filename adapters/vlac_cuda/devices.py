"""The NVIDIA cards that can train: names, the memory that the driver reports, and what else they are called.

Memory is `memory.total` of nvidia-smi, which is what torch can see at most; it differs from the number in
the product name (45.0 GiB of an L40S's 48). Cards before Ampere have no bfloat16 and are left out.
"""

from __future__ import annotations

from vlac.adapters import Device


def _card(name: str, mib: int, page: str, *aliases: str) -> Device:
    source = f"nvidia-smi, memory.total {mib} MiB; NVIDIA {page}"
    return Device(name, round(mib / 1024, 1), source, cards_per_node=8, aliases=aliases)


DEVICES: tuple[Device, ...] = (
    _card("A100-40GB", 40960, "A100 data sheet", "A100-40G", "A100-SXM4-40GB", "A100-PCIE-40GB"),
    _card("A100-80GB", 81920, "A100 data sheet", "A100-80G", "A100-SXM4-80GB", "A100 80GB PCIe"),
    _card("A800", 81920, "A800 data sheet", "A800-80GB", "A800-SXM4-80GB", "A800 80GB PCIe"),
    _card("H100", 81559, "H100 data sheet", "H100-80GB", "H100 80GB HBM3", "H100 PCIe"),
    _card("H800", 81559, "H800 data sheet", "H800-80GB", "H800 PCIe"),
    _card("H20", 97871, "H20 data sheet", "H20-96GB"),
    _card("H200", 143771, "H200 data sheet", "H200-141GB", "H200 NVL"),
    _card("L40S", 46068, "L40S data sheet", "L40S-48GB"),
    _card("RTX4090", 24564, "GeForce RTX 4090 page", "RTX-4090", "GeForce RTX 4090"),
)
