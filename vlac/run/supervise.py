"""Run launch.sh in a session of its own, watch it, and see that no process of the run stays."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.diagnose.catalogue import patterns
from vlac.diagnose.reading import Reading
from vlac.diagnose.show import first_error
from vlac.diagnose.sieve import Sieve
from vlac.run import processes
from vlac.run.faults import Deadline, WorkerWatch
from vlac.run.progress import Lines, Progress, parse, without_bar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import FrameType

    from vlac.run.live import Live
    from vlac.run.processes import Process

SCRATCH_ROOT = "/tmp"
"""Where Ray's own folder is made; not TMPDIR, because a socket's path has at most 107 bytes."""
SCRATCH_PREFIX = "vlac."
_GLANCE = 0.5
"""Seconds between two looks at the processes of the run."""
_ENDING = 18.0
"""Seconds that launch.sh has to end a run after TERM, before everything is killed."""
_SCRIPT_SAYS = re.compile(r"(?<!\s)launch: (.*)")  # at the beginning, or behind a line that another left open
_TRAINING_ENDED = re.compile(r"(?<!\s)launch: the training ended with status (\d+)")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    `status` is that of launch.sh, `training_status` the trainer's where it was started. `fault` says why vlac ended
    the run, `died` names the workers that were gone before anything else was known to be wrong.
    """

    status: int
    training_status: int | None
    seconds: float
    signal: int | None = None
    fault: str | None = None
    died: tuple[str, ...] = ()
    first_error: str | None = None
    last_progress: Progress | None = None
    leftover: tuple[int, ...] = ()

    @property
    def exit_code(self) -> int:
        """130 or 143 after a signal; for a run that vlac ended, the trainer's status, 1 where that is 0."""
        if self.signal is not None:
            return 128 + self.signal
        if self.fault is None:
            return self.status
        return (self.training_status if self.training_status is not None else self.status) or 1


def supervise(command: Sequence[str], variables: Mapping[str, str], run: Path, live: Live) -> Outcome:
    """Run `command` to its end and return how it ended; the raw output goes to run.log by way of the script itself.

    Ctrl-C and TERM end the run; a second one kills it at once. A worker that dies ends it too.
    """
    with tempfile.TemporaryDirectory(
        prefix=SCRATCH_PREFIX, dir=SCRATCH_ROOT, ignore_cleanup_errors=True
    ) as scratch:
        return _Supervisor(command, {**variables, "VLAC_SCRATCH_DIR": scratch}, run, live).run()


class _Supervisor:
    def __init__(self, command: Sequence[str], variables: Mapping[str, str], run: Path, live: Live) -> None:
        processes.become_subreaper()
        self._live = live
        self._lines = Lines()
        self._errors = Reading("output", Sieve(patterns()))
        self._watch = WorkerWatch(str(run))
        self._deadline = Deadline()
        self._begin = time.monotonic()
        self._signal: int | None = None
        self._fault: str | None = None
        self._died: tuple[str, ...] = ()
        self._loss_was_seen = False
        self._asked_at: float | None = None
        self._training_status: int | None = None
        self._progress: Progress | None = None
        self._before = processes.descendants(os.getpid(), processes.table())
        self._script = subprocess.Popen(
            command,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=processes.end_with_parent,  # no thread runs yet; the script ends the run when vlac is killed
        )

    def run(self) -> Outcome:
        handlers = {
            number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            self._follow()
        finally:
            self._script.kill()  # of no effect where it ended, as it did but for a fault of our own
            left = processes.end_all(self._members)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        self._live.close()
        return self._outcome(left)

    def _outcome(self, left: set[Process]) -> Outcome:
        status = self._script.returncode
        return Outcome(
            status=128 - status if status < 0 else status,
            training_status=self._training_status,
            seconds=time.monotonic() - self._begin,
            signal=self._signal,
            fault=self._fault,
            died=self._died,
            first_error=first_error(self._errors),
            last_progress=self._progress,
            leftover=tuple(sorted(process.pid for process in left)),
        )

    def _follow(self) -> None:
        """Read the output and look at the processes until the script has ended."""
        output = self._script.stdout
        assert output is not None
        os.set_blocking(output.fileno(), False)
        with selectors.DefaultSelector() as selector, output:
            selector.register(output, selectors.EVENT_READ)
            looked_at = 0.0
            while self._script.poll() is None:
                if selector.select(_GLANCE) and not self._read(output.fileno()):
                    time.sleep(_GLANCE)  # the output is closed, the script not yet at its end
                if time.monotonic() - looked_at >= _GLANCE:
                    self._glance()
                    looked_at = time.monotonic()
            while self._read(output.fileno()):
                pass
        self._take_in(self._lines.end())

    def _read(self, descriptor: int) -> bool:
        try:
            piece = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return False
        self._take_in(self._lines.feed(piece))
        return bool(piece)

    def _take_in(self, lines: Sequence[str]) -> None:
        for line in lines:
            if progress := parse(line):
                self._progress = progress
                self._live.show(progress)
            if rest := without_bar(line).rstrip():
                self._hear(rest)
        if self._errors.is_lost and not self._loss_was_seen and self._training_status is None:
            self._look_for_dead(processes.living(self._members()))

    def _hear(self, line: str) -> None:
        """What the script itself says is for the user too; it also tells when the training has ended."""
        if ended := _TRAINING_ENDED.search(line.lstrip()):
            self._training_status = int(ended.group(1))
        said = _SCRIPT_SAYS.search(line.lstrip())
        if said:
            self._live.say(said.group(1))
        if not said or said.start():
            self._errors.feed(line.encode())

    def _glance(self) -> None:
        members = processes.living(self._members())
        if self._training_status is not None or self._asked_at is not None:
            self._kill_if_late()
            return
        if self._has_made_all_steps:
            return
        self._look_for_dead(members)
        if self._errors.is_lost or self._died:
            self._deadline.start()
        if self._deadline.has_passed:
            self._fault = "a worker died, and the trainer went on waiting for it"
            self._live.say(f"{self._fault}: the run is ended")
            self._ask_to_end()

    @property
    def _has_made_all_steps(self) -> bool:
        """RLinf moves its bar when a step and its checkpoint are done; after the last one, workers are to go."""
        return self._progress is not None and self._progress.step >= self._progress.total

    def _look_for_dead(self, members: set[Process]) -> None:
        """Name the workers that are gone; once an error was printed, more go because of it."""
        if self._died or self._loss_was_seen or self._has_made_all_steps:
            return
        self._loss_was_seen = self._errors.is_lost
        self._watch.look(members)
        self._died = tuple(f"{worker.name} (pid {worker.process.pid})" for worker in self._watch.gone)

    def _members(self) -> set[Process]:
        """All that descends from us, orphans too, except the script itself, what was there before, and its children."""
        present = processes.table()
        ours = processes.descendants(os.getpid(), present)
        for old in self._before & ours:
            ours -= {old, *processes.descendants(old.pid, present)}
        return {process for process in ours if process.pid != self._script.pid}

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._signal is not None:
            self._kill()
            return
        self._signal = number
        self._ask_to_end()

    def _ask_to_end(self) -> None:
        """TERM, also for Ctrl-C: a shell that was started in the background ignores INT for good."""
        self._asked_at = time.monotonic()
        self._script.terminate()

    def _kill_if_late(self) -> None:
        if self._asked_at is not None and time.monotonic() - self._asked_at > _ENDING:
            self._kill()

    def _kill(self) -> None:
        self._script.kill()
        processes.end_all(self._members, patience=0.0)
