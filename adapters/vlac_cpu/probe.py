"""The cores and the memory of this machine."""

from __future__ import annotations

import os
from pathlib import Path

from vlac.adapters import NodeReport

_MEMINFO = Path("/proc/meminfo")


def probe() -> NodeReport:
    """No devices; remarks on the cores this process may use and, on Linux, the memory that is free."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    remarks = [f"{cores} cores"]
    if _MEMINFO.exists():
        remarks.append(f"{available_gib(_MEMINFO.read_text()):.1f} GiB of memory available")
    return NodeReport(remarks=tuple(remarks))


def available_gib(meminfo: str) -> float:
    """`MemAvailable` of /proc/meminfo, which counts in KiB (proc(5))."""
    fields = dict(line.split(":", 1) for line in meminfo.splitlines() if ":" in line)
    return int(fields["MemAvailable"].split()[0]) / 2**20
