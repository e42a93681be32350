"""What RLinf loads into each worker process: ``RLINF_EXT_MODULE=vlac_worker``.

RLinf loads one extension module; a run can need several (a backend's, a model's). ``VLAC_WORKER_HOOKS`` names them,
separated by commas, and ``register()`` calls theirs in that order.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback

HOOKS_VARIABLE = "VLAC_WORKER_HOOKS"


def register() -> None:
    """Import each hook and call its ``register()``; end the process where one fails.

    RLinf calls this in ``Worker.__new__``, after the worker chose its device, and swallows what it raises: an
    ``ImportError`` becomes a warning, any other exception a log line (``load_user_extension_module`` in
    rlinf/scheduler/cluster/utils.py, 0.3.0). The worker would then train without its backend or model.
    """
    for name in hook_names():
        _call(name)


def hook_names() -> list[str]:
    """Return the modules that ``VLAC_WORKER_HOOKS`` names."""
    return [name.strip() for name in os.environ.get(HOOKS_VARIABLE, "").split(",") if name.strip()]


def _call(name: str) -> None:
    try:
        importlib.import_module(name).register()
    except BaseException:
        _end_process(name)


def _end_process(name: str) -> None:
    traceback.print_exc()
    print(
        f"vlac_worker: worker hook {name!r} ({HOOKS_VARIABLE}) failed; this process ends",
        file=sys.stderr,
        flush=True,
    )
    # Nothing that is raised gets past RLinf and Ray for certain; a process that is gone does.
    os._exit(1)
