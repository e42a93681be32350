"""The Ascend backend: NPUs through torch_npu and CANN.

Data about the hardware (`devices`), its environment (`variables`, `rules`), its software (`stack`) and
its shell (`shell`); the code that goes into each worker lies in `worker/` and is copied, never imported here; `probe`
is imported when called.
"""

from __future__ import annotations

from pathlib import Path

from vlac.adapters import Adapter, NodeReport, WorkerFile
from vlac_ascend.devices import DEVICES, LACKS
from vlac_ascend.patches import NPU_NUMERICS
from vlac_ascend.rules import RULES
from vlac_ascend.shell import SHELL_SETUP
from vlac_ascend.signatures import SIGNATURES
from vlac_ascend.stack import INJECTIONS, STACK
from vlac_ascend.support import REPLACEMENTS, SUPPORT
from vlac_ascend.variables import VARIABLES


def _worker_file(name: str) -> WorkerFile:
    return WorkerFile(name, (Path(__file__).parent / "worker" / name).read_bytes())


def _probe() -> NodeReport:
    from vlac_ascend.probe import probe  # starts programs; seldom needed

    return probe()


adapter = Adapter(
    name="ascend",
    summary="Ascend NPUs through torch_npu and CANN",
    placement="devices",
    collective="hccl",
    devices=DEVICES,
    variables=VARIABLES,
    shell_setup=SHELL_SETUP,
    worker_files=(_worker_file("sitecustomize.py"), _worker_file("vlac_ascend_worker.py")),
    worker_hooks=("vlac_ascend_worker",),
    notes=(
        "transfer_to_npu disables torch.jit.script, maps float64 tensors to float32 and says so at start-up: "
        "these lines are not errors",
    ),
    patches=(NPU_NUMERICS,),
    support=SUPPORT,
    replacements=REPLACEMENTS,
    rules=RULES,
    stack=STACK,
    injections=INJECTIONS,
    lacks=LACKS,
    signatures=SIGNATURES,
    probe=_probe,
)
