"""A machine that seems to have eight 910B3, and the runs of compiled bundles on it."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import vlac
from vlac.bundle.write import write

PROBE = Path(__file__).with_name("npu_probe.py")
SPEC = """\
vlac: 1
name: npu
rlinf: {{version: "0.3"}}
model: {{family: demo}}
hardware: {{backend: ascend, device: 910B3, cards: {cards}, stack: {{torch_npu: "{torch_npu}"}}}}
train: {{steps: 1, micro_batch: 1, global_batch: {cards}, lr: 1.0e-3}}
fsdp: {{version: {fsdp}}}
checkpoints: {{every: never}}
overrides: {{actor.fsdp_config.amp_autocast.enabled: true}}
"""


@dataclass(frozen=True)
class Machine:
    """The interpreter that trains, whether it has jax, and the folders with torch_npu and the stand-ins for CANN."""

    python: str
    has_jax: bool
    wheel: Path
    cann: Path

    def variables(self, folder: Path) -> dict[str, str]:
        """What the shell of a user has: where CANN is, and torch_npu installed. The rest is the bundle's.

        Without torch_npu's cache each block comes from the stand-ins, as zeros: what no operator wrote stays a number
        that RLinf can take a root of.
        """
        return {
            "PYTORCH_NO_NPU_MEMORY_CACHING": "1",
            "PATH": f"{Path(self.python).parent}:/usr/bin:/bin",
            "HOME": str(folder),
            "LD_LIBRARY_PATH": "",
            "PYTHONPATH": str(self.wheel),
            "ASCEND_TOOLKIT_HOME": str(self.cann),
            "VLAC_SPEC_DIR": str(folder),
        }


class Bundle:
    """A compiled bundle in a folder, with the probe as the last of its worker hooks."""

    def __init__(self, folder: Path, cards: int, torch_npu: str, fsdp: int) -> None:
        self.folder = folder
        text = SPEC.format(cards=cards, torch_npu=torch_npu, fsdp=fsdp)
        compiled = vlac.compile_text(text, folder=folder)
        self.injection = compiled.plan.derived["injection"].value
        self.path = folder / "bundle"
        write(compiled.files, compiled.executable, self.path)
        shutil.copy(PROBE, self.path / "bootstrap")
        self.edit("run.env", r"^(export VLAC_WORKER_HOOKS=.*)$", r"\1,npu_probe")

    def edit(self, file: str, pattern: str, replacement: str) -> None:
        """Change a file of the bundle where the pattern is found, which has to be once."""
        text = (self.path / file).read_text()
        text, times = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert times == 1, f"{pattern} is {times} times in {file}"
        (self.path / file).write_text(text)

    def take_out_variable(self, name: str) -> None:
        self.edit("run.env", rf"^export {name}=.*\n", "")


@dataclass(frozen=True)
class Outcome:
    """The exit status of launch.sh, None where it was ended because it said what it was waited for."""

    status: int | None
    output: str
    facts: dict[str, dict[str, object]]
    seconds: float


def run(machine: Machine, bundle: Bundle, end_at: str = "", limit: float = 900) -> Outcome:
    """Start the bundle's launch.sh; ask it to end when the text `end_at` appears, or when the time is over.

    A worker that dies early leaves RLinf's driver waiting: `vlac run` ends such a run, launch.sh alone does not.
    """
    begin, log = time.monotonic(), bundle.folder / "output"
    with log.open("w") as output:
        script = subprocess.Popen(
            ["bash", str(bundle.path / "launch.sh")],
            cwd=bundle.folder,
            env=machine.variables(bundle.folder),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    was_ended = False
    while script.poll() is None:
        time.sleep(0.5)
        seen = bool(end_at) and end_at in log.read_text(errors="replace")
        if not was_ended and (seen or time.monotonic() - begin > limit):
            script.send_signal(signal.SIGTERM)
            was_ended = True
    status = None if was_ended else script.returncode
    facts = {
        path.stem: json.loads(path.read_text()) for path in bundle.folder.glob("results/npu/1/facts/*.json")
    }
    return Outcome(status, log.read_text(errors="replace"), facts, time.monotonic() - begin)


def ask(machine: Machine, bundle: Bundle, code: str) -> subprocess.CompletedProcess[str]:
    """One process with exactly the environment that launch.sh makes: CANN's set_env.sh, run.env, bootstrap/."""
    script = f"source {machine.cann}/set_env.sh; source {bundle.path}/run.env; "
    script += f'export PYTHONPATH={bundle.path}/bootstrap:$PYTHONPATH; exec {machine.python} -c "$1"'
    variables = {**machine.variables(bundle.folder), "VLAC_RUN_DIR": str(bundle.folder)}
    command = ["bash", "-c", script, "bash", code]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)


def has_jax(python: str) -> bool:
    """Only openpi needs it, so an interpreter that trains may be without."""
    code = "import importlib.util as u, sys; sys.exit(u.find_spec('jax') is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def has_compiler() -> bool:
    return bool(shutil.which("cc") and shutil.which("readelf"))
