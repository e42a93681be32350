"""How long `vlac diagnose` takes for a large log, and how much memory: as a whole process.

    python benchmarks/diagnose.py [--megabytes N]

The log is made up as eight ranks and RLinf's bar write one, 1 % of its lines look suspicious, and its last line is the
fault. Three forms: one log of all ranks; a log that is one line of redrawn bars; lines of which no two are alike.
Exit 1 where the fault is not found or a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS_PER_100_MB, MEBIBYTES = 30.0, 64.0
FAULT = "\nTraceback (most recent call last):\n  File 'x.py', line 1\nOSError: [Errno 28] No space left on device\n"
BAR = "\rGlobal Step:  10%|{full}| {step}/9000000 [01:01<514:18:22, 61.72s/it, time/step=61.7, train/loss=0.0633]"


def main() -> int:
    """Measure each form and print the table; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=200)
    megabytes = parser.parse_args().megabytes
    print(f"| {megabytes} MB | s of CPU | peak MiB | |\n| --- | --- | --- | --- |")
    missed = 0
    for name, line in (("eight ranks", _rank), ("one line of bars", _bar), ("no two lines alike", _odd)):
        with tempfile.TemporaryDirectory() as folder:
            seconds, memory, found = _measure(Path(folder) / "run.log", line, megabytes)
        is_good = (
            found == "machine-disk-full"
            and seconds <= SECONDS_PER_100_MB * megabytes / 100
            and memory <= MEBIBYTES
        )
        missed += not is_good
        print(f"| {name} | {seconds:.1f} | {memory:.0f} | {'ok' if is_good else f'MISSED ({found})'} |")
    return 1 if missed else 0


def _measure(
    path: Path, line: Callable[[random.Random, int], str], megabytes: int
) -> tuple[float, float, str]:
    """Seconds of CPU and MiB at the peak of the process, and the id of what it found."""
    draw = random.Random(1)
    size = number = 0
    with path.open("w", encoding="utf-8") as log:
        while size < megabytes * 1_000_000:
            number += 1
            size += log.write(line(draw, number))
        log.write(FAULT)
    before = _used()
    command = [sys.executable, "-c", _CHILD, "diagnose", "--json", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return _used() - before, int(ran.stderr) / 1024, json.loads(ran.stdout)["diagnosis"]["id"]


# Peak memory is VmHWM, read by the process itself: what wait4 tells is at least what the parent held when it forked.
_CHILD = """
import re, sys
from vlac.cli import main
code = main()
sys.stdout.flush()
sys.stderr.write(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1))
sys.exit(code)
"""


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _rank(draw: random.Random, number: int) -> str:
    rank, kind = draw.randrange(8), draw.random()
    if kind < 0.02:
        return BAR.format(full="█" * 10, step=number // 50)
    clock = f"12:{number // 6000 % 60:02}:{number // 100 % 60:02}"
    head = f"\x1b[36m(ActorGroup(rank={rank}) pid={25000 + rank})\x1b[0m "
    if kind < 0.03:
        return (
            f"{head}[WARNING {clock} ActorGroup-Rank-{rank}][data.py:12] Error rate {draw.random()} is high\n"
        )
    return f"{head}[INFO {clock} ActorGroup-Rank-{rank}][worker.py:88] batch took {draw.random()} s, {rank} left\n"


def _bar(draw: random.Random, number: int) -> str:
    return BAR.format(full="█" * draw.randrange(1, 10), step=number)


def _odd(draw: random.Random, number: int) -> str:
    return f"[INFO 12:00:00 ActorGroup-Rank-0] {number} {''.join(draw.choices('abcdefghijklmnop ', k=80))}\n"


if __name__ == "__main__":
    sys.exit(main())
