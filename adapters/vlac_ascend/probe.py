"""What npu-smi says about the cards of this node."""

from __future__ import annotations

import re
import subprocess

from vlac.adapters import NodeReport
from vlac_ascend.devices import DEVICES

# "| 0     910B3               | OK            | 101.8 ..." opens a chip; the next row holds its memory.
_CHIP = re.compile(r"^\|\s*(?P<card>\d+)\s+(?P<name>[A-Za-z0-9_-]+)\s*\|\s*(?P<health>[A-Za-z]+)\s*\|")
_DRIVER = re.compile(r"^\|\s*npu-smi\s+\S+\s+Version:\s*(?P<version>\S+)", re.MULTILINE)
_TIMEOUT_S = 30


def probe() -> NodeReport:
    """The cards of this node by their names in vlac's table; remarks where npu-smi cannot tell."""
    command = ["npu-smi", "info"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except FileNotFoundError:
        return NodeReport(
            remarks=("npu-smi is not on PATH: no Ascend driver, or not mounted in this container",)
        )
    except subprocess.TimeoutExpired:
        return NodeReport(remarks=(f"npu-smi info gave no answer within {_TIMEOUT_S} s",))
    if ran.returncode != 0:
        said = (ran.stdout + ran.stderr).strip() or "nothing"
        return NodeReport(remarks=(f"npu-smi info ended with {ran.returncode} and said: {said}",))
    return parse(ran.stdout)


def parse(table: str) -> NodeReport:
    """Read the table of `npu-smi info`: one device a card, a remark for each chip that is not OK."""
    chips: dict[str, list[str]] = {}
    remarks = [f"driver {found['version']}" for found in _DRIVER.finditer(table)]
    for line in table.splitlines():
        found = _CHIP.match(line)
        if not found:
            continue
        chips.setdefault(found["card"], []).append(found["name"])
        if found["health"] != "OK":
            remarks.append(f"card {found['card']} reports health {found['health']}")
    devices = tuple(_device(names) for names in chips.values())
    return NodeReport(devices, tuple(remarks))


def _device(chips: list[str]) -> str:
    """The table's name of a card; the two chips of a 910C both call themselves Ascend910."""
    if len(chips) == 2 and chips[0] == "Ascend910":
        return "910C"
    for device in DEVICES:
        if chips[0] in (device.name, *device.aliases):
            return device.name
    return chips[0]
