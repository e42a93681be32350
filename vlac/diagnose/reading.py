"""Reading one log, line by line: which faults it holds, by whom, when, and which of them the training survived.

The same reading follows a running training (`is_lost`) and a file afterwards.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.diagnose import lines, reports
from vlac.diagnose.clock import Clock, apart
from vlac.diagnose.reports import Report
from vlac.run.progress import Progress, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.adapters import Signature
    from vlac.diagnose.catalogue import Pattern
    from vlac.diagnose.sieve import Sieve

_MOST_FAULTS = 400  # of one file that wait for their verdict; later ones are counted only
_NEAR = 20  # lines between a traceback and the line that says that its process ends
_WIDEST = 4000  # characters of a line that are looked at
_CONTEXT = 3  # lines of a speaker that are kept from before an error without a traceback
_WENT_ON = 3  # ordinary lines of a process after an error that show that it was caught
_SURVIVED = 2  # steps of the training after which a fault did not end it
_BAR = "Global Step:"
_FIRST_LINES = 400  # are all looked at: there the ranks introduce themselves
_TOGETHER = 30.0  # seconds in which errors of a process that follow each other directly tell of one thing
_GLANCE = 200  # lines after which the time is read also where nothing is of interest
_SILENT = 2000  # lines of others after which a report gets no more


@dataclass
class Fault:
    """One error of one speaker. `time` counts as the clock of its file does; `signature` is None for an unknown one."""

    file: str
    number: int
    text: str
    speaker: str
    signature: Signature | None
    lines: list[tuple[int, str]]
    rank: int | None
    pid: str | None
    node: str
    time: float | None
    is_exact: bool
    is_fatal: bool
    step: int | None
    attempt: int
    begin: int
    count: int = 1
    said_after: int = 0

    @property
    def went_on(self) -> bool:
        """Whether its process said ordinary things afterwards."""
        return self.said_after >= _WENT_ON


@dataclass
class _Opening:
    """When a report was opened: its time, and how far the training was."""

    time: float | None
    is_exact: bool
    step: int | None
    attempt: int


@dataclass
class Reading:
    """The state of reading one log. Feed it all lines, then `end` it; `faults` are those that nothing survived."""

    file: str
    sieve: Sieve
    file_rank: int | None = None
    file_pid: str | None = None
    faults: list[Fault] = field(default_factory=list)
    survived: list[Fault] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    progress: Progress | None = None
    progress_time: float | None = None
    is_lost: bool = False
    ranks: dict[str, int] = field(default_factory=dict)
    behind: dict[str, float] = field(default_factory=dict)
    number: int = 0
    _open: dict[str, Report] = field(default_factory=dict)
    _recent: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    _skipped: deque[bytes] = field(default_factory=lambda: deque(maxlen=_CONTEXT))
    _watched: list[Fault] = field(default_factory=list)
    _job_failed: bool = False
    _openings: dict[str, _Opening] = field(default_factory=dict)
    _attempt: int = 0

    def feed(self, line: bytes) -> None:
        """Take in one line, without its line feed."""
        likely = self.sieve.likely(line)
        if likely is None and self._watched:
            self._hear_from(line)
        if likely is None and not self._open and self.number >= _FIRST_LINES:
            self.number += 1
            self._skipped.append(line)
            if not self.number % _GLANCE:
                self.clock.read(line[:300].decode("utf-8", errors="replace"))
            return
        if self._skipped:
            self._recall()
        self.number += 1
        self._read(line, likely or ())
        if self._open and not self.number % _SILENT:
            self._close_silent()

    def _hear_from(self, line: bytes) -> None:
        """Count an ordinary line for the errors of its speaker that wait to be told from caught ones."""
        for fault in self._watched:
            if fault.speaker not in self._open and _is_by(fault.speaker, line):
                fault.said_after += 1
        self._watched = [fault for fault in self._watched if not fault.went_on]

    def _recall(self) -> None:
        """Take in the last lines that were skipped: what stood before, and when."""
        number = self.number
        for place, line in enumerate(self._skipped):
            self.number = number - len(self._skipped) + place + 1
            self._read(line, ())
        self._skipped.clear()
        self.number = number

    def _read(self, line: bytes, likely: Sequence[Pattern]) -> None:
        bar = ""
        for part in line.decode("utf-8", errors="replace").split("\r"):
            if part.startswith(_BAR) and part.endswith("]"):
                bar = part  # of bars that were drawn over each other, the last tells
                continue
            self._take_progress(bar)
            bar = ""
            self._read_part(part[:_WIDEST], likely)
        self._take_progress(bar)

    def _read_part(self, text: str, likely: Sequence[Pattern]) -> None:
        if _BAR in text:
            self._take_progress(text)
        for piece in lines.pieces(text):
            self._take(piece, likely)

    def _close_silent(self) -> None:
        for speaker, report in list(self._open.items()):
            if report.lines[-1][0] < self.number - _SILENT:
                self._close(speaker)

    def end(self) -> None:
        """Close what is open."""
        for speaker in list(self._open):
            self._close(speaker)

    def _take(self, piece: lines.Piece, likely: Sequence[Pattern]) -> None:
        speaker, text = piece.speaker, piece.text
        time = self._read_time(speaker, text)
        self._learn_rank(speaker, text)
        report = self._open.get(speaker)
        if report is not None and (report.takes(text) or self._joins(report, text, likely, time)):
            report.add(self.number, text, likely)
            return
        if report is not None:
            self._close(speaker)
        if not self._begin(piece, likely, time):
            self._remember(speaker, text)

    def _joins(self, report: Report, text: str, likely: Sequence[Pattern], time: float | None) -> bool:
        """Whether an error that directly follows tells of the same: soon, at the same step, and of the same rank."""
        opening = self._openings[report.speaker]
        was_then = opening.time if opening.is_exact else None  # a time from a line before says little
        is_later = time is not None and was_then is not None and apart(time, was_then) > _TOGETHER
        rank, first = lines.rank_of(text), lines.rank_of(report.lines[0][1])
        is_other = rank is not None and first is not None and rank != first
        if is_later or is_other or self._is_over(opening.step, opening.attempt):
            return False
        return report.joins(text, likely)

    def _begin(self, piece: lines.Piece, likely: Sequence[Pattern], time: float | None) -> bool:
        """Open a report where the line begins one; whether it did."""
        speaker, text = piece.speaker, piece.text
        is_lost = reports.LOST.search(text) is not None
        if is_lost and reports.HOOK in text:
            self._hook_failed(speaker)
        elif not speaker and reports.JOB_FAILED in text:
            self._job_failed = True
            return False
        elif not (is_lost or reports.TRACEBACK in text or self._is_error(text, likely)):
            self._job_failed = self._job_failed and not text.strip()
            return False
        is_fatal = is_lost or (self._job_failed and not speaker)
        report = Report(speaker, self.number, is_fatal=is_fatal, watched=self.sieve.near)
        self._job_failed = False
        report.repeated = piece.repeated
        if not is_lost and reports.TRACEBACK not in text:
            report.state = "after"
            report.exceptions.append((self.number, text))
        self._open[speaker] = report
        self._openings[speaker] = _Opening(
            time if time is not None else self.clock.latest,
            time is not None,
            self.progress.step if self.progress else None,
            self._attempt,
        )
        report.add(self.number, text, likely)
        self.is_lost = self.is_lost or is_lost
        return True

    def _is_error(self, text: str, likely: Sequence[Pattern]) -> bool:
        fitting = [pattern for pattern in likely if pattern.fits(text)]
        if fitting:
            return fitting[0].signature.kind != "noise"
        return reports.is_exception(text) or reports.says_error(text)

    def _hook_failed(self, speaker: str) -> None:
        """The traceback that the same process printed just before is what ended it."""
        own = [fault for fault in self.faults if fault.speaker == speaker]
        if own and own[-1].begin > self.number - _NEAR - len(own[-1].lines):
            own[-1].is_fatal = True

    def _close(self, speaker: str) -> None:
        report = self._open.pop(speaker)
        opening = self._openings.pop(speaker)
        match = report.signature()
        signature = match[1] if match else None
        if signature is not None and signature.kind == "noise":
            return
        number, text = report.title() if match is None else (match[0], match[2])
        pid = lines.pid_of(speaker) or lines.pid_of(report.lines[0][1]) or self.file_pid
        self._note(
            Fault(
                file=self.file,
                number=number,
                text=text,
                speaker=speaker,
                signature=signature,
                lines=self._evidence(report),
                rank=self._rank(report, pid),
                pid=pid,
                node=lines.node_of(speaker) or lines.node_of(report.lines[0][1]),
                time=opening.time,
                is_exact=opening.is_exact,
                is_fatal=report.is_fatal,
                step=opening.step,
                attempt=opening.attempt,
                begin=report.begin,
                count=1 + report.repeated,
            )
        )

    def _note(self, fault: Fault) -> None:
        """Keep the first of its kind and speaker; of a fault that comes again and again, the number of times."""
        for known in self.faults:
            if (
                known.speaker == fault.speaker
                and known.signature == fault.signature
                and (fault.signature or known.text == fault.text)
            ):
                known.count += fault.count
                known.is_fatal = known.is_fatal or fault.is_fatal
                if len(fault.lines) > len(known.lines) + _CONTEXT:  # the same, with its stack
                    known.number, known.text, known.lines = fault.number, fault.text, fault.lines
                return
        if len(self.faults) < _MOST_FAULTS or fault.is_fatal:
            self.faults.append(fault)
            self._let_go()
            if fault.signature is None and not fault.is_fatal:
                self._watched.append(fault)

    def _evidence(self, report: Report) -> list[tuple[int, str]]:
        if not any(reports.TRACEBACK in text for _, text in report.lines) and not report.is_fatal:
            return [*self._recent.get(report.speaker, ()), *report.lines]
        return report.lines

    def _rank(self, report: Report, pid: str | None) -> int | None:
        head = report.lines[0][1]
        for found in (lines.rank_of(report.speaker), lines.rank_of(head), lines.rank_of_name(head)):
            if found is not None:
                return found
        if report.speaker == "" and self.file_rank is not None:
            return self.file_rank
        return self.ranks.get(pid) if pid else None

    def _learn_rank(self, speaker: str, text: str) -> None:
        pid = lines.pid_of(speaker) if speaker else self.file_pid
        if pid is None or pid in self.ranks:
            return
        rank = lines.rank_of(speaker)
        rank = lines.rank_of(text[:120]) if rank is None else rank
        if rank is not None:
            self.ranks[pid] = rank

    def _remember(self, speaker: str, text: str) -> None:
        if text.strip():
            self._recent[speaker] = [*self._recent.get(speaker, ())[1 - _CONTEXT :], (self.number, text)]

    def _read_time(self, speaker: str, text: str) -> float | None:
        """The time of a line; how far a node's clock is behind is the least that its lines were behind the latest."""
        latest = self.clock.latest
        time = self.clock.read(text)
        node = lines.node_of(speaker) if speaker else ""
        if time is not None and node and latest is not None:
            self.behind[node] = min(self.behind.get(node, latest - time), latest - time)
        return time

    def _take_progress(self, line: str) -> None:
        progress = parse(line) if line else None
        if progress is None:
            return
        if self.progress is not None and progress.step < self.progress.step:
            self._attempt += 1
        self.progress = progress
        self.progress_time = self.clock.latest
        begun: list[Fault | _Opening] = [*self.faults, *self._openings.values()]
        for waiting in begun:
            waiting.step = progress.step if waiting.step is None else waiting.step
        self._let_go()

    def _let_go(self) -> None:
        """Put aside the faults after which the training went on, and those of an attempt before."""
        over = [fault for fault in self.faults if self._is_over(fault.step, fault.attempt)]
        if over:
            self.faults = [fault for fault in self.faults if fault not in over]
            self.survived += over
            del self.survived[_MOST_FAULTS:]

    def _is_over(self, step: int | None, attempt: int) -> bool:
        if attempt < self._attempt:
            return True
        return self.progress is not None and step is not None and self.progress.step >= step + _SURVIVED


def _is_by(speaker: str, line: bytes) -> bool:
    """Whether a line is its speaker's; the driver's lines are those without a prefix."""
    if speaker:
        return speaker.encode() in line[:160]
    return bool(line.strip()) and not line.lstrip().startswith((b"(", b"\x1b["))
