"""What the cpu backend does in each worker process, so that RLinf trains on a machine without accelerators.

RLinf 0.3.0 places workers on such a node but gives them no device: ``Worker.torch_device_type`` and
``Worker.torch_platform`` are ``None`` (``AcceleratorUtil`` in rlinf/scheduler/hardware/accelerators/accelerator.py).
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

COLLECTIVES = "gloo"


def register() -> None:
    """Give RLinf's workers the CPU as their device and gloo as their collectives; calling it again is harmless."""
    import torch
    from rlinf.scheduler import Worker

    Worker.torch_device_type = "cpu"
    Worker.torch_platform = cpu_platform()
    # `FSDPSftWorker.__init__` of 0.3.0 calls these two directly; a torch without a GPU raises there.
    torch.cuda.set_device = _nothing
    torch.cuda.current_device = _cpu
    _default_to_gloo()


def cpu_platform() -> SimpleNamespace:
    """Return the functions of ``torch.cuda`` that RLinf calls in SFT, for a machine that has no such device."""
    return SimpleNamespace(
        is_available=_false,
        is_initialized=_false,
        device_count=_zero,
        current_device=_cpu,
        set_device=_nothing,
        synchronize=_nothing,
        empty_cache=_nothing,
        ipc_collect=_nothing,
    )


def _default_to_gloo() -> None:
    """Make ``init_process_group()`` without a backend choose gloo.

    A CUDA build of torch (2.13, ``BackendConfig`` in torch/distributed/distributed_c10d.py) chooses by what it was
    built for, so NCCL also where there is no GPU; RLinf's device mesh initialises it without naming a backend.
    """
    import torch.distributed
    from torch.distributed import device_mesh, distributed_c10d

    original = distributed_c10d.init_process_group
    if getattr(original, "defaults_to_gloo", False):
        return

    @functools.wraps(original)
    def init_process_group(backend: str | None = None, *args: object, **kwargs: object) -> None:
        original(backend or COLLECTIVES, *args, **kwargs)

    init_process_group.defaults_to_gloo = True  # type: ignore[attr-defined]
    for module in (distributed_c10d, device_mesh, torch.distributed):
        module.init_process_group = init_process_group


def _nothing(*_: object, **__: object) -> None:
    return None


def _false() -> bool:
    return False


def _zero() -> int:
    return 0


def _cpu() -> torch.device:
    import torch

    return torch.device("cpu")
