"""Refuse to train in a worker whose torch.cuda is not the NPU."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def register() -> None:
    """Check that transfer_to_npu is active in this worker; every worker calls this once.

    Raises SystemExit where it is not. RLinf catches `Exception` around its extension module and goes on
    (`load_user_extension_module` in rlinf/scheduler/cluster/utils.py, v0.3); training would then run
    without mixed precision, or fail much later. A worker that was given no accelerator is left alone.
    """
    if os.environ.get("ACCELERATOR_TYPE") == "NO_ACCEL":
        return
    import torch

    home = getattr(torch.cuda.device_count, "__module__", None) or "torch"
    if home.split(".")[0] == "torch_npu":
        return
    raise SystemExit(
        f"vlac: torch.cuda is not the NPU in this worker (torch.cuda.device_count comes from {home}): "
        f"transfer_to_npu was not run at the end of `import torch`. {_reason()}"
    )


def _reason() -> str:
    """The likely cause, as far as this process can tell."""
    from importlib.util import find_spec

    if find_spec("torch_npu") is None:
        return f"{sys.executable} has no torch_npu."
    if not Path(__file__).with_name("sitecustomize.py").exists():
        return _variable()
    hook = getattr(sys.modules.get("sitecustomize"), "__file__", None)
    if hook is None or Path(hook).parent != Path(__file__).parent:
        return f"sitecustomize is {hook}, not the one beside {__file__}: see PYTHONPATH."
    return "The import hook is in place but did not run."


def _variable() -> str:
    """The run relies on the variable alone, because hardware.stack names a torch_npu that reads it."""
    names = ("TORCH_TRANSFER_TO_NPU", "TORCH_DEVICE_BACKEND_AUTOLOAD")
    values = ", ".join(f"{name}={os.environ.get(name, '(not set)')}" for name in names)
    return (
        f"This bundle is for a torch_npu that does it by itself ({values}): see torch_npu in hardware.stack."
    )
