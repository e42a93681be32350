"""The CUDA backend: NVIDIA GPUs and NCCL. RLinf and openpi were written for it, so there is little to set."""

from __future__ import annotations

from vlac.adapters import Adapter, NodeReport
from vlac_cuda.devices import DEVICES
from vlac_cuda.environment import VARIABLES
from vlac_cuda.signatures import SIGNATURES


def _probe() -> NodeReport:
    from vlac_cuda.probe import probe  # loads the driver or starts a program; seldom needed

    return probe()


adapter = Adapter(
    name="cuda",
    summary="NVIDIA GPUs through CUDA and NCCL",
    placement="devices",
    collective="nccl",
    devices=DEVICES,
    variables=VARIABLES,
    notes=("cards before Ampere are not listed: they have no bfloat16, which pi0 and pi0.5 train in",),
    signatures=SIGNATURES,
    probe=_probe,
)
