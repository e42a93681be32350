"""How long the commands of vlac take as whole processes, beside what they should be compared with.

    python benchmarks/startup.py [--rounds N] [--rlinf CHECKOUT]

Every command runs once a round, so that a busy moment hits all of them; the table shows medians. Times of one
machine mean little on another: the bars are ratios. Exit 1 where a bar is missed. Standard library only; the
Hydra line needs hydra-core and RLinf's configuration files, and says so where they are absent.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
SPEC = ROOT / "specs" / "pi05_libero10_8x910b3.yaml"
CONFIGS = ROOT.parent / "shared" / "rlinf" / "v0.3" / "configs"

HELP_RATIO = 3.5
COMPOSE_RATIO = 0.9
COMPOSE_AIM = 0.75
MEMORY_MIB = 45.0
API_MS = 10.0
API_SPECS = 300

FLOOR = """
from pydantic import BaseModel
import ruamel.yaml
class Model(BaseModel):
    name: str
Model(name="x")
"""

COMPOSE = """
import sys
from hydra import compose, initialize_config_dir
with initialize_config_dir(config_dir=sys.argv[1], version_base="1.1"):
    compose("libero_sft_openpi")
"""

# A fresh text each time: another name, length, rate, batch and backend.
API = f"""
import sys, time
text = open(sys.argv[1], encoding="utf-8").read()
hardware = ("ascend, device: 910B3", "cuda, device: H100")
texts = [
    text.replace("pi05-libero10-sft", f"run-{{i}}")
    .replace("steps: 30000", f"steps: {{20000 + i}}")
    .replace("2.5e-5", f"{{1 + i}}e-7")
    .replace("micro_batch: 4", f"micro_batch: {{(1, 2, 4, 8)[i % 4]}}")
    .replace("ascend, device: 910B3", hardware[i % 2])
    for i in range({API_SPECS})
]
start = time.perf_counter()
import vlac
bundles = [vlac.compile_text(one, folder=".") for one in texts]
took = time.perf_counter() - start
assert len({{bundle.files["vlac.lock.json"] for bundle in bundles}}) == {API_SPECS}
print(1000 * took / {API_SPECS})
"""

# `wait4` counts what the parent held when it forked; the kernel's high-water mark of the process itself does not.
PEAK = """
import atexit, sys
def peak():
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")), file=sys.stderr)
atexit.register(peak)
"""


@dataclass
class Case:
    """One command: its line in the table, how to start it, and the same as Python code, for its memory."""

    title: str
    command: Sequence[str]
    code: str
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Median of the whole process, in seconds."""
        return statistics.median(self.seconds)


def main() -> int:
    """Measure, print the table and the bars; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15, help="how often each command runs (default: 15)")
    parser.add_argument("--rlinf", type=Path, help="an RLinf checkout, for the Hydra line")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = _cases(Path(folder), arguments.rlinf or CONFIGS)
        _measure(cases, arguments.rounds)
        peaks = [_peak(case) for case in cases]
    per_spec = float(_run([sys.executable, "-c", API, str(SPEC)], {}).stdout)
    _print_table(cases, peaks)
    return _judge({case.title: case for case in cases}, peaks[2], per_spec)


def _cases(folder: Path, rlinf: Path) -> list[Case]:
    python, vlac = sys.executable, str(Path(sys.executable).with_name("vlac"))
    compile_arguments = ["compile", str(SPEC), "-o", str(folder / "bundle")]
    call = "import sys; from vlac.cli import main; sys.exit(main(sys.argv[1:]))"
    cases = [
        Case("python -c pass", [python, "-c", "pass"], "pass"),
        Case("vlac --help", [vlac, "--help"], call, ["--help"]),
        Case("vlac compile", [vlac, *compile_arguments], call, compile_arguments),
        Case("floor: imports of pydantic (one model) and ruamel.yaml", [python, "-c", FLOOR], FLOOR),
    ]
    config = rlinf / "examples" / "sft" / "config"
    if importlib.util.find_spec("hydra") and config.is_dir():
        setting = {"EMBODIED_PATH": str(config.parent), "REPO_PATH": str(rlinf)}
        command = [python, "-c", COMPOSE, str(config)]
        cases.append(Case("Hydra composes libero_sft_openpi", command, COMPOSE, [str(config)], setting))
    return cases


def _measure(cases: Sequence[Case], rounds: int) -> None:
    for case in cases:  # warm the disk cache and the byte code
        _run(case.command, case.environment)
    for _ in range(rounds):
        for case in cases:
            start = time.perf_counter()
            _run(case.command, case.environment)
            case.seconds.append(time.perf_counter() - start)


def _peak(case: Case) -> float | None:
    """Peak resident memory in MiB, None where the system does not tell."""
    if not Path("/proc/self/status").exists():
        return None
    ran = _run([sys.executable, "-c", PEAK + case.code, *case.arguments], case.environment)
    return int(ran.stderr.splitlines()[-1]) / 1024


def _run(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, **environment}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its byte code
    return subprocess.run(command, env=variables, check=True, capture_output=True, text=True)


def _print_table(cases: Sequence[Case], peaks: Sequence[float | None]) -> None:
    unit = cases[0].median
    print(f"{'whole process':56}{'median ms':>10}{'min':>8}{'x pass':>8}{'peak MiB':>10}")
    for case, peak in zip(cases, peaks, strict=True):
        times = f"{1000 * case.median:10.1f}{1000 * min(case.seconds):8.1f}{case.median / unit:8.1f}"
        print(f"{case.title:56}{times}{'-' if peak is None else f'{peak:.1f}':>10}")
    print()


def _judge(cases: Mapping[str, Case], memory: float | None, per_spec: float) -> int:
    unit, compile_time = cases["python -c pass"].median, cases["vlac compile"].median
    compose = cases.get("Hydra composes libero_sft_openpi")
    ratio = compile_time / compose.median if compose else None
    kept = [
        _bar("vlac --help / python -c pass", cases["vlac --help"].median / unit, HELP_RATIO),
        _bar(f"vlac compile / Hydra compose (aim {COMPOSE_AIM})", ratio, COMPOSE_RATIO),
        _bar("vlac compile, peak MiB", memory, MEMORY_MIB),
        _bar(f"API, ms a spec over {API_SPECS} different specs", per_spec, API_MS),
    ]
    if compose is None:
        print("\nnot checked: Hydra compose needs hydra-core and RLinf's files (--rlinf CHECKOUT)")
    return 0 if all(kept) else 1


def _bar(title: str, value: float | None, limit: float) -> bool:
    if value is None:
        print(f"{title:56}{'-':>10}  bar {limit:g}  not checked")
        return True
    kept = value <= limit
    print(f"{title:56}{value:10.2f}  bar {limit:g}  {'kept' if kept else 'MISSED'}")
    return kept


if __name__ == "__main__":
    sys.exit(main())
