"""The NVIDIA GPU backend of vlac."""

from __future__ import annotations

from vlac.adapters import Adapter
from vlac_cuda.devices import DEVICES
from vlac_cuda.environment import VARIABLES

adapter = Adapter(
    name="cuda",
    summary="NVIDIA GPUs through CUDA and NCCL",
    placement="devices",
    collective="nccl",
    devices=DEVICES,
    variables=VARIABLES,
)
