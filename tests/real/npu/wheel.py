"""The torch_npu of constraints.txt, in a folder of its own beside the interpreter that trains."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
ASK = "import sys, torch; print(sys.implementation.cache_tag, torch.__version__.partition('+')[0], torch.version.cuda)"


class NotToBeHadError(Exception):
    """Why the wheel is not there."""


def installed(python: str) -> Path:
    """The folder with torch_npu for this interpreter's torch; one that is there is used again.

    A torch that is built for CUDA refuses torch_npu (ERR00007): it gets a CPU build beside it.
    Raises NotToBeHadError where pip does not find the wheel, or where the interpreter's torch is another.
    """
    plain = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    asked = subprocess.run([python, "-c", ASK], env=plain, capture_output=True, text=True, check=True)
    tag, torch, cuda = asked.stdout.split()
    version = pinned()
    if torch != version:
        raise NotToBeHadError(f"torch-npu {version} needs torch {version}; {python} has {torch}")
    folder = ROOT / f"build/torch-npu-{version}-{tag}"
    if not (folder / "complete").exists():
        pip_install(python, folder, version, cuda != "None")
        (folder / "complete").touch()
    return folder


def pinned() -> str:
    """The version in constraints.txt."""
    found = re.search(r"^torch-npu==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert found
    return found[1]


def pip_install(python: str, folder: Path, version: str, with_torch: bool) -> None:
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", str(folder)]
    command += [f"torch-npu=={version}"]
    if with_torch:
        command += [f"torch=={version}+cpu", "--extra-index-url", CPU_BUILDS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotToBeHadError(f"torch-npu {version} cannot be installed: {done.stderr.strip()[-300:]}")
