"""The GPUs of this node: from the driver through cuda-python, or from nvidia-smi where that is absent."""

from __future__ import annotations

import csv
import subprocess
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vlac.adapters import NodeReport
from vlac_cuda.devices import DEVICES

if TYPE_CHECKING:
    from collections.abc import Sequence

_TIMEOUT_S = 30
_QUERY = ("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")
_NAME_BYTES = 256


class ProbeError(Exception):
    """One way of asking did not work; the message says why."""


@dataclass(frozen=True)
class Gpu:
    """One GPU as the driver describes it; `driver` is a version in the words of whoever was asked."""

    name: str
    memory_mib: int
    driver: str


def probe() -> NodeReport:
    """The GPUs of this node by their names in vlac's table; remarks on memory, driver and failed ways."""
    try:
        return _report(_from_driver())
    except ProbeError as error:
        without_driver = str(error)
    try:
        return _report(_from_nvidia_smi(), without_driver)
    except ProbeError as error:
        return NodeReport(remarks=(without_driver, str(error)))


def _report(gpus: Sequence[Gpu], *failed: str) -> NodeReport:
    seen = dict.fromkeys(f"{gpu.name}: {gpu.memory_mib} MiB, {gpu.driver}" for gpu in gpus)
    return NodeReport(tuple(_device(gpu) for gpu in gpus), (*failed, *seen))


def _from_driver() -> list[Gpu]:
    """Ask libcuda through cuda-python; CUDA_VISIBLE_DEVICES counts here."""
    driver = _bindings()
    _call(driver.cuInit, 0)
    version = _call(driver.cuDriverGetVersion)
    text = f"CUDA {version // 1000}.{version % 1000 // 10}"
    handles = [_call(driver.cuDeviceGet, index) for index in range(_call(driver.cuDeviceGetCount))]
    return [
        Gpu(_name(driver, handle), _call(driver.cuDeviceTotalMem, handle) >> 20, text) for handle in handles
    ]


def _bindings() -> Any:  # noqa: ANN401  # a generated extension module without types
    """The driver bindings of cuda-python: `cuda.bindings.driver` since 12.6.1, `cuda.cuda` before."""
    try:
        return import_module("cuda.bindings.driver")
    except ImportError:
        pass
    try:
        return import_module("cuda.cuda")
    except ImportError as error:
        raise ProbeError("cuda-python is not installed") from error


def _call(function: Any, *arguments: Any) -> Any:  # noqa: ANN401  # as above
    """Call a binding, which returns its status and then the value, and raises where libcuda is missing."""
    try:
        status, *values = function(*arguments)
    except RuntimeError as error:
        raise ProbeError(f"the CUDA driver does not load: {error}") from error
    if int(status) != 0:
        raise ProbeError(f"{function.__name__} ended with {getattr(status, 'name', status)}")
    return values[0] if values else None


def _name(driver: Any, handle: Any) -> str:  # noqa: ANN401  # as above
    raw: bytes = _call(driver.cuDeviceGetName, _NAME_BYTES, handle)
    return raw.split(b"\0")[0].decode()


def _from_nvidia_smi() -> list[Gpu]:
    """Ask nvidia-smi, which shows all GPUs whatever CUDA_VISIBLE_DEVICES says."""
    try:
        ran = subprocess.run(_QUERY, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except FileNotFoundError as error:
        raise ProbeError("nvidia-smi is not on PATH: no NVIDIA driver, or not mounted here") from error
    except subprocess.TimeoutExpired as error:
        raise ProbeError(f"nvidia-smi gave no answer within {_TIMEOUT_S} s") from error
    if ran.returncode != 0:
        said = (ran.stdout + ran.stderr).strip() or "nothing"
        raise ProbeError(f"nvidia-smi ended with {ran.returncode} and said: {said}")
    return parse(ran.stdout)


def parse(table: str) -> list[Gpu]:
    """Read `nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader,nounits`.

    Raises ProbeError for a row that is not a name, a number of MiB and a version.
    """
    gpus = []
    for row in csv.reader(table.splitlines(), skipinitialspace=True):
        if len(row) != 3 or not row[1].strip().isdigit():
            raise ProbeError(f"nvidia-smi said something unknown: {', '.join(row)!r}")
        gpus.append(Gpu(row[0].strip(), int(row[1]), f"driver {row[2].strip()}"))
    return gpus


def _device(gpu: Gpu) -> str:
    """The table's name of a GPU, or its own name where the table has none."""
    name = gpu.name.removeprefix("NVIDIA ")
    for device in DEVICES:
        if name in (device.name, *device.aliases):
            return device.name
    return name
