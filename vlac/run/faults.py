"""Noticing that a worker died, and what it said first.

RLinf's driver waits for all workers of a call, so that one that dies can leave it waiting for ever. Two things are
watched: lines that RLinf and Ray print when a worker is lost, and the worker processes themselves.
"""

from __future__ import annotations

import re
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

_HOOK = "worker hook"
"""Said by vlac_worker.py in the driver or a worker, behind the traceback of the hook that failed."""

# Each of these is printed only for a worker that is lost.
_LOST = re.compile(
    r"Exception occurred while running \S+ function \S+: exception is"  # WorkerGroupFuncResult, worker_group.py v0.3
    r"|Exception raised in creation task: The actor died"  # Ray's core worker: a constructor raised
    r"|Exiting main process due to a failure upon worker execution"  # Cluster, cluster.py v0.3
    r"|A worker died or was killed while executing a task"  # raylet, to the driver
    rf"|{_HOOK} .* failed; this process ends"
    r"|Received signal \d+ \(.*\) in worker "  # Worker._register_signal_handlers, worker.py v0.3
    r"|Fatal Python error:"
    r"|Workers \(tasks / actors\) killed due to memory pressure"
)
_SPEAKER = re.compile(r"^\((?:(?:[^()]|\([^()]*\))* )?pid=\d+(?:, ip=[^)]*)?\) ?")
"""What Ray's driver puts before a worker's output: `(ActorGroup(rank=0) pid=25080) `, `(pid=25080) `."""
_TRACEBACK = "Traceback (most recent call last):"
_EXCEPTION = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt)\b")
_LONGEST = 60  # lines of an error that are kept; of a longer one its head and its end
_HEAD = 20
_GIVEN_UP = 400  # lines after which the end of an error is not looked for any more
_NEAR = 20  # lines between a worker's traceback and the line that says that the worker is lost


@dataclass
class Report:
    """An error as it was printed: who said it (empty: the driver), its lines, and where in the output it began."""

    speaker: str
    lines: list[str]
    begin: int
    length: int = 0

    def add(self, line: str) -> None:
        """Take in one line more; the exception stands at the end, so the middle of a long traceback goes."""
        self.length += 1
        self.lines.append(line)
        if len(self.lines) > _LONGEST:
            self.lines[_HEAD : _HEAD + 2] = ["..."]

    def __str__(self) -> str:
        return "\n".join([*([self.speaker] if self.speaker else []), *(f"  {line}" for line in self.lines)])


@dataclass
class ErrorLog:
    """Reads the output line by line: whether a worker was lost, and the first error."""

    loss: Report | None = None
    _number: int = 0
    _open: dict[str, Report] = field(default_factory=dict)
    _tracebacks: list[Report] = field(default_factory=list)

    def feed(self, line: str) -> None:
        """Take in one line of output."""
        self._number += 1
        prefix = _SPEAKER.match(line)
        speaker = prefix.group().strip() if prefix else ""
        text = line[prefix.end() :] if prefix else line
        if self.loss is None and _LOST.search(text):
            self.loss = self._open[speaker] = Report(speaker, [], self._number)
        elif _TRACEBACK in text and speaker not in self._open:
            self._open[speaker] = Report(speaker, [], self._number)
            self._tracebacks[1:] = [
                t for t in self._tracebacks[1:] if t.begin > self._number - _NEAR - _GIVEN_UP
            ]
            self._tracebacks.append(self._open[speaker])
        self._collect(speaker, text)

    @property
    def first_error(self) -> str | None:
        """What the worker said that was lost first, else the first traceback of the output."""
        if self.loss is not None:
            return str(self._cause(self.loss))
        return str(self._tracebacks[0]) if self._tracebacks else None

    def _cause(self, loss: Report) -> Report:
        """The traceback that the same worker printed just before, where it did."""
        near = (loss.begin - _NEAR - _GIVEN_UP, loss.begin)
        own = [t for t in self._tracebacks if t.speaker == loss.speaker and near[0] < t.begin < near[1]]
        # What RLinf's driver says is about another process, but for a hook that failed in itself.
        says_itself = loss.speaker or _HOOK in loss.lines[0]
        return own[-1] if own and says_itself else loss

    def _collect(self, speaker: str, text: str) -> None:
        report = self._open.get(speaker)
        if report is None:
            return
        report.add(text)
        goes_on = not text.strip() or text.startswith((" ", "\t", "Current thread"))
        is_short_loss = report is self.loss and report.length > 1 and not goes_on
        if _EXCEPTION.match(text) or is_short_loss or report.length >= _GIVEN_UP:
            del self._open[speaker]


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
