"""The environment of a training on Ascend nodes: what vlac sets, and what it knows and leaves alone.

RLinf copies what the driver's environment has over that of `ray start` to all nodes, so a value that belongs to one
node is set there and not in the driver. What RLinf sets by itself in each worker is left to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac_ascend.variables.cann import CANN
from vlac_ascend.variables.collectives import COLLECTIVES
from vlac_ascend.variables.network import NETWORK
from vlac_ascend.variables.process import PROCESS
from vlac_ascend.variables.torch_npu import TORCH_NPU

if TYPE_CHECKING:
    from vlac.adapters import Variable

VARIABLES: tuple[Variable, ...] = (*PROCESS, *TORCH_NPU, *COLLECTIVES, *NETWORK, *CANN)
"""Every variable that matters to FSDP training on one or more nodes."""

BY_NAME = {variable.name: variable for variable in VARIABLES}
"""Variables by name."""
