"""The CPU backend of vlac: the same training as processes of a node, for tests and small models."""

from __future__ import annotations

from pathlib import Path

from vlac.adapters import Adapter, Preference, Requirement, WorkerFile
from vlac_cpu.environment import VARIABLES

_WHY_FSDP2 = "FSDP1 as RLinf calls it wants a device id and synchronises module states on the device"
_FSDP2_SOURCE = "RLinf v0.3, rlinf/hybrid_engines/fsdp/strategy/fsdp.py"
_WORKER = Path(__file__).parent / "worker" / "vlac_cpu_worker.py"

adapter = Adapter(
    name="cpu",
    summary="CPU processes with gloo: no accelerator needed",
    placement="processes",
    collective="gloo",
    variables=VARIABLES,
    preferences=(Preference("fsdp.version", 2, _WHY_FSDP2, _FSDP2_SOURCE),),
    requirements=(Requirement("fsdp.version", (2,), _WHY_FSDP2, _FSDP2_SOURCE),),
    worker_files=(WorkerFile(_WORKER.name, _WORKER.read_bytes()),) if _WORKER.exists() else (),
    worker_hooks=("vlac_cpu_worker",) if _WORKER.exists() else (),
)
