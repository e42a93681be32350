"""Noticing that a worker died, by its process.

RLinf's driver waits for all workers of a call, so that one that dies can leave it waiting for ever. Two things are
watched: lines that RLinf and Ray print when a worker is lost (`vlac.diagnose.reading`), and the worker processes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.run import processes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vlac.run.processes import Process

GRACE = 6.0
"""Seconds in which the trainer may end by itself after a worker died; its own status is then the run's.

With the time that ending takes (`_ENDING` in supervise.py), a run is over within 30 seconds."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process of the run, named by RLinf (`WORKER_NAME`, as `ActorGroup:3`)."""

    name: str
    process: Process


@dataclass
class WorkerWatch:
    """Remembers the worker processes of a run, and which of them are gone.

    What a worker starts (a compiler, the processes of a data loader) inherits its name, and may end at any time: a
    name belongs to the process that had it first.
    """

    run_dir: str
    gone: list[Worker] = field(default_factory=list)
    _known: dict[str, Worker] = field(default_factory=dict)

    def look(self, members: Iterable[Process]) -> None:
        """Take in the processes that the run has now."""
        present = set(members)
        alive = {worker.process for worker in self._known.values()}
        for process in sorted(present - alive, key=lambda process: (process.start, process.pid)):
            if worker := _worker(process, self.run_dir):
                self._known.setdefault(worker.name, worker)
        lost = [worker for worker in self._known.values() if worker.process not in present]
        self.gone += [worker for worker in lost if worker not in self.gone]


def _worker(process: Process, run_dir: str) -> Worker | None:
    variables: Mapping[str, str] = processes.variables(process.pid)
    if variables.get("VLAC_RUN_DIR") != run_dir or "RANK" not in variables:
        return None
    name = variables.get("WORKER_NAME")
    return Worker(name, process) if name else None


@dataclass
class Deadline:
    """Runs from the first sign that a worker died; once it has passed, the run must be ended."""

    since: float | None = None

    def start(self) -> None:
        """Start it; a second start changes nothing."""
        self.since = self.since or time.monotonic()

    @property
    def has_passed(self) -> bool:
        """Whether the time in which the trainer may end by itself is over."""
        return self.since is not None and time.monotonic() - self.since > GRACE
