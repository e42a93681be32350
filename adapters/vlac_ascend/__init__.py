"""The Ascend NPU backend of vlac."""

from __future__ import annotations

from vlac.adapters import Adapter
from vlac_ascend.devices import DEVICES
from vlac_ascend.environment import VARIABLES
from vlac_ascend.shell import SHELL_SETUP

adapter = Adapter(
    name="ascend",
    summary="Ascend NPUs through torch_npu and CANN",
    placement="devices",
    collective="hccl",
    devices=DEVICES,
    variables=VARIABLES,
    shell_setup=SHELL_SETUP,
)
