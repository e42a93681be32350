"""The processes of a run, read from /proc (Linux; proc(5)).

A process belongs to a run when it descends from the run's script, carries the run folder in its environment, or was
left to us by a parent that ended. Ray's workers keep their environment readable; its agents do not, but descend.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
"""prctl(2), include/uapi/linux/prctl.h."""

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Process:
    """One process; `start` (clock ticks since boot) tells it from a later one with the same number.

    Two are equal when both agree, also after the parent ended.
    """

    pid: int
    start: int
    parent: int = field(compare=False)
    is_zombie: bool = field(compare=False)


def table() -> dict[int, Process]:
    """All processes of the machine, by number."""
    found = (_read(folder) for folder in _PROC.glob("[0-9]*"))
    return {process.pid: process for process in found if process}


def _read(folder: Path) -> Process | None:
    try:
        text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()  # the name, in brackets, may hold anything
    return Process(int(folder.name), int(fields[19]), int(fields[1]), fields[0] == "Z")


def descendants(root: int, processes: Mapping[int, Process]) -> set[Process]:
    """Children of `root`, their children and so on, without `root`."""
    children: dict[int, list[Process]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process)
    found: set[Process] = set()
    waiting = [root]
    while waiting:
        new = [child for child in children.get(waiting.pop(), ()) if child not in found]
        found.update(new)
        waiting += [child.pid for child in new]
    return found


def variables(pid: int) -> dict[str, str]:
    """The environment with which a process was started; empty where it cannot be read."""
    try:
        content = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    pairs = (os.fsdecode(entry).split("=", 1) for entry in content.split(b"\0") if b"=" in entry)
    return dict(pairs)


def become_subreaper() -> None:
    """Have orphans among our descendants become our children, so that none gets out of sight."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """In a child: get TERM when the parent dies, however it dies."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def end_all(
    members: Callable[[], Collection[Process]], patience: float = 3.0, limit: float = 10.0
) -> set[Process]:
    """Send TERM to `members`, KILL after `patience` seconds; return those that are left after `limit` seconds."""
    begin = time.monotonic()
    while left := living(members()):
        waited = time.monotonic() - begin
        if waited > limit:
            return left
        for process in left:
            _send(process, signal.SIGTERM if waited < patience else signal.SIGKILL)
        time.sleep(0.1)
    return set()


def living(members: Collection[Process]) -> set[Process]:
    """Those that run; zombies that are our own children are collected."""
    for process in members:
        if process.is_zombie:
            _collect(process)
    return {process for process in members if not process.is_zombie}


def _send(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process.pid, number)


def _collect(process: Process) -> None:
    with suppress(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)
