"""The NVIDIA cards that can train: names as nvidia-smi spells them, and memory."""

from __future__ import annotations

from vlac.adapters import Device

DEVICES: tuple[Device, ...] = (
    Device("A100-80GB", 80, "NVIDIA A100 data sheet", cards_per_node=8, aliases=("A100-80G",)),
    Device("A100-40GB", 40, "NVIDIA A100 data sheet", cards_per_node=8, aliases=("A100-40G",)),
    Device("H100", 80, "NVIDIA H100 data sheet", cards_per_node=8),
)
