"""The demonstration behind `make demo`: compile, diff and a real training on this machine's CPU, then a summary.

    python scripts/demo.py

Each step is a command that can be typed by hand; it is printed before it runs. Ends with 1 where a step fails.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VLAC = Path(sys.executable).with_name("vlac")
ASCEND = "specs/pi05_libero10_8x910b3.yaml"
TINY = "specs/tiny_cpu.yaml"


@dataclass(frozen=True)
class Step:
    """One command of vlac, what it shows, and the exit codes that are no failure."""

    title: str
    arguments: tuple[str, ...]
    meaning: str
    fine: tuple[int, ...] = (0,)


STEPS = (
    Step(
        "Compile: nine lines of spec for 8 x Ascend 910B3",
        ("compile", ASCEND),
        "build/pi05-libero10-sft holds a complete RLinf config, environment, launch script and lock",
    ),
    Step(
        "Diff: the hand-written patch for the same run, by meaning",
        ("diff", ASCEND),
        "what each line of the shipped patch is worth next to the compiled bundle",
        fine=(0, 1),  # 1: a difference was found
    ),
    Step(
        "Run: the same compiler, another spec, a real RLinf training on this CPU",
        ("run", TINY),
        "unmodified RLinf trained a small VLA on eight ranks, and vlac checked the result",
    ),
)


def main() -> int:
    """Run the steps until one fails, and say what happened."""
    done: list[tuple[Step, float]] = []
    for number, step in enumerate(STEPS, start=1):
        print(f"\n== {number}/{len(STEPS)}  {step.title}\n   $ vlac {' '.join(step.arguments)}\n", flush=True)
        start = time.monotonic()
        code = subprocess.run([VLAC, *step.arguments], cwd=ROOT, check=False).returncode
        if code not in step.fine:
            print(f"\nstep {number} failed: vlac {step.arguments[0]} ended with {code}", file=sys.stderr)
            return 1
        done.append((step, time.monotonic() - start))
    print(_summary(done))
    return 0


def _summary(done: list[tuple[Step, float]]) -> str:
    lines = ["", "== Done", ""]
    for step, seconds in done:
        lines.append(f"   {step.arguments[0]:8}{seconds:6.1f} s  {step.meaning}")
    return "\n".join(
        [
            *lines,
            "",
            f"   Read next: build/pi05-libero10-sft/config.yaml, `.venv/bin/vlac plan {ASCEND}`, README.md.",
            "   Your own run: `.venv/bin/vlac init --backend ascend -o my.yaml`. The tests: `make test`.",
            "   Everything is inside this folder (.venv, build, specs/results); `make clean` removes it.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
