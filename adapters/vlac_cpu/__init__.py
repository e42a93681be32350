"""The CPU backend: ranks are processes of one node and talk through gloo, no accelerator needed.

For trying out, for tests and for small models. RLinf gives a worker without an accelerator no device; the
code in `worker/`, copied into each bundle, gives it the CPU.
"""

from __future__ import annotations

from pathlib import Path

from vlac.adapters import Adapter, NodeReport, Preference, Requirement, WorkerFile
from vlac_cpu.environment import VARIABLES

_WORKER = "vlac_cpu_worker"
_WHY_FSDP2 = "RLinf calls FSDP1 with the number of a device and lets it synchronise there; a CPU has none"
_FSDP2_SOURCE = "RLinf v0.3, rlinf/hybrid_engines/fsdp/strategy/fsdp.py (device_id, sync_module_states)"


def _worker_file(name: str) -> WorkerFile:
    return WorkerFile(name, (Path(__file__).parent / "worker" / name).read_bytes())


def _probe() -> NodeReport:
    from vlac_cpu.probe import probe

    return probe()


adapter = Adapter(
    name="cpu",
    summary="CPU processes with gloo: no accelerator needed",
    placement="processes",
    collective="gloo",
    variables=VARIABLES,
    preferences=(Preference("fsdp.version", 2, _WHY_FSDP2, _FSDP2_SOURCE),),
    requirements=(Requirement("fsdp.version", (2,), _WHY_FSDP2, _FSDP2_SOURCE),),
    worker_files=(_worker_file(f"{_WORKER}.py"),),
    worker_hooks=(_WORKER,),
    notes=(
        "meant for family demo and tests; a full-size pi0 or pi0.5 compiles but is out of reach for a CPU",
    ),
    probe=_probe,
)
