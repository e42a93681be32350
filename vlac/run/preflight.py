"""What must be there before a run starts; all that is missing is told at once, and nothing was started (exit 3)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.bundle import launch_sh
from vlac.errors import MachineError
from vlac.run import rlinf_files
from vlac.run.launch import is_program, placeholders
from vlac.run.patched import unpatched
from vlac.run.shell import to_unset
from vlac.run.supervise import SCRATCH_ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.run.launch import Launch

_NEEDED = ("ray", "torch", "hydra")


def preflight(launch: Launch) -> None:
    """Raise `MachineError` with everything that is missing on this machine."""
    missing = list(_missing(launch))
    if missing:
        raise MachineError(f"this machine cannot run it: {'; '.join(missing)}")


def _missing(launch: Launch) -> Iterator[str]:
    unset = [name for name in launch_sh.needed_variables(launch.plan) if not launch.variables.get(name)]
    yield from (f"{name} is not set, and a path of the run begins with it: export it" for name in unset)
    yield from (
        f"secret {name} is not set: export it" for name in launch.plan.secrets if not launch.shell.get(name)
    )
    yield from to_unset(launch)
    yield from (f"{key} is a placeholder: write the real path" for key in placeholders(launch.bundle))
    if not is_program("bash"):
        yield "bash is not installed"
    if not os.access(SCRATCH_ROOT, os.W_OK | os.X_OK):
        yield f"{SCRATCH_ROOT} is not writable, where Ray's sockets go"
    if not unset:
        yield from _missing_files(launch)


def _missing_files(launch: Launch) -> Iterator[str]:
    if launch.checkout and not launch.checkout.is_dir():
        yield f"rlinf.path is not a folder: {launch.checkout}"
        return
    yield from _missing_entry(launch)
    if not is_program(launch.python):
        yield f"no interpreter {launch.python}: name one with rlinf.python"
    elif launch.checkout is None and rlinf_files.ask(launch.python) == {}:
        yield f"{launch.python} has no rlinf: pip install 'vla-compiler[run]', or name another with rlinf.python"
    elif absent := _absent_packages(launch.python):
        yield f"{launch.python} has no {', no '.join(absent)}: name the checkout's interpreter with rlinf.python"
    else:
        yield from unpatched(launch)
    if launch_sh.nodes(launch.plan) > 1 and not launch.variables.get("RAY_ADDRESS"):
        yield "a run on several nodes needs a Ray over them: start it and export RAY_ADDRESS (launch.sh says how)"


def _missing_entry(launch: Launch) -> Iterator[str]:
    entry = launch_sh.entry(launch.plan)
    if not entry:
        yield "no entry script of RLinf is known for this base: start it by hand with the bundle's config.yaml"
    elif entry != launch_sh.BUNDLE_ENTRY and launch.checkout is None:
        yield f"{entry} is in an RLinf checkout: write rlinf.path"
    elif entry != launch_sh.BUNDLE_ENTRY and not launch.entry(Path()).is_file():
        yield f"no entry script {launch.entry(Path())}: is rlinf.path a checkout of RLinf?"


def _absent_packages(python: str) -> list[str]:
    """What the interpreter of a checkout lacks to start at all; empty where it does not answer, which Ray will tell."""
    code = "import importlib.util as u, sys; print(*(m for m in sys.argv[1:] if u.find_spec(m) is None))"
    try:
        answer = subprocess.run(
            [python, "-c", code, *_NEEDED], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return answer.stdout.split()
