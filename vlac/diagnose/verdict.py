"""From the faults of all logs to one diagnosis: what came first, what followed from it, and what is not known.

A known cause is believed before an unknown error, unless the unknown one ended a process earlier; a consequence is
named as one even where its cause is in none of the logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vlac.diagnose.clock import dated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vlac.adapters import Signature
    from vlac.diagnose.reading import Fault, Reading

Found = Literal["cause", "consequence", "unknown", "warning", "nothing"]

_SKEW = 5.0
"""Seconds that a node's lines must be behind the others' for its clock to be called wrong; Ray's driver prints
repeated lines up to 5 s late."""
_CLOSE = 2.0
"""Seconds between two files within which clocks of different machines do not tell what came first."""


@dataclass(frozen=True, slots=True)
class Group:
    """The faults of one kind: the first of them, how often it was said, and by which ranks."""

    first: Fault
    count: int
    ranks: tuple[int, ...]

    @property
    def id(self) -> str:
        """The id of the signature, `unknown` for none."""
        return self.first.signature.id if self.first.signature else "unknown"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found.

    `found` is `cause` (a known one), `unknown` (an error that no signature fits), `consequence` (the cause is in none
    of the logs), `warning` (nothing but what runs that go well print too) or `nothing`. `main` is what it was found
    by; `followed` are the other faults, in order, but for unknown errors
    `before` it; `survived` are faults after which the training went on.
    """

    found: Found
    main: Group | None
    time: float | None
    before: tuple[Group, ...] = ()
    followed: tuple[Group, ...] = ()
    warnings: tuple[Group, ...] = ()
    survived: tuple[Group, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    steps: tuple[int, int] | None = None

    @property
    def signature(self) -> Signature | None:
        """The signature of what was found."""
        return self.main.first.signature if self.main else None

    @property
    def is_retryable(self) -> bool | None:
        """Whether the same run may succeed when it is started again; None where that is not known."""
        return self.signature.retryable if self.signature else None


def judge(readings: Sequence[Reading]) -> Diagnosis:
    """The diagnosis of logs that were read to their ends."""
    _name_ranks(readings)
    times = _Times(readings)
    faults = sorted((fault for reading in readings for fault in reading.faults), key=times.order)
    faults, over = _without_survived(faults, readings, times)
    survived = [*over, *(fault for reading in readings for fault in reading.survived)]
    main = _main(faults)
    groups = _groups(faults)
    chosen = next((group for group in groups if main in group.first_and_rest), None) if main else None
    return _diagnosis(readings, times, groups, chosen, _groups(survived))


def _name_ranks(readings: Sequence[Reading]) -> None:
    """A process that told its rank in one log has it in all."""
    ranks = {pid: rank for reading in readings for pid, rank in reading.ranks.items()}
    for reading in readings:
        for fault in (*reading.faults, *reading.survived):
            if fault.rank is None and fault.pid:
                fault.rank = ranks.get(fault.pid)


@dataclass(frozen=True, slots=True)
class _Members(Group):
    """A group with all its faults."""

    first_and_rest: tuple[Fault, ...]


def _diagnosis(
    readings: Sequence[Reading],
    times: _Times,
    groups: Sequence[_Members],
    chosen: _Members | None,
    survived: Sequence[_Members],
) -> Diagnosis:
    progress = max((r.progress for r in readings if r.progress), key=lambda p: p.step, default=None)
    others = [group for group in groups if group is not chosen]
    earlier = groups[: groups.index(chosen)] if chosen else []
    before = [group for group in earlier if group.first.signature is None]
    return Diagnosis(
        found=_found(chosen, others),
        main=chosen,
        time=times.of(chosen.first) if chosen else None,
        before=tuple(before),
        followed=tuple(group for group in others if not _is(group, "warning") and group not in before),
        warnings=tuple(group for group in others if _is(group, "warning")),
        survived=tuple(survived),
        notes=tuple(times.notes(chosen, others)),
        files=tuple(reading.file for reading in readings),
        steps=(progress.step, progress.total) if progress else None,
    )


def _is(group: Group, kind: str) -> bool:
    return group.first.signature is not None and group.first.signature.kind == kind


def _found(chosen: Group | None, others: Sequence[Group]) -> Found:
    if chosen is None:
        return "warning" if others else "nothing"
    signature = chosen.first.signature
    if signature is None:
        return "unknown"
    return "consequence" if signature.kind == "consequence" else "cause"


def _main(faults: Sequence[Fault]) -> Fault | None:
    """The first of the faults that can be the cause, by how much can be believed of them."""
    causes = [fault for fault in faults if fault.signature and fault.signature.kind == "cause"]
    unknown = [fault for fault in faults if fault.signature is None]
    fatal = [fault for fault in unknown if fault.is_fatal]
    if causes and fatal:
        first, second = sorted((fatal[0], causes[0]), key=faults.index)
        return first if first is causes[0] or _is_certain(first, second) else second
    consequences = [fault for fault in faults if fault.signature and fault.signature.kind == "consequence"]
    tracebacks = [fault for fault in unknown if len(fault.lines) > _CONTEXT_LINES and not fault.went_on]
    for choice in (causes, fatal, tracebacks, consequences, unknown):
        if choice:
            return choice[0]
    return None


def _is_certain(first: Fault, second: Fault) -> bool:
    """Whether the order is known: in one file it is, else a line without a time has that of a line before it."""
    return first.file == second.file or (first.is_exact and second.is_exact)


_CONTEXT_LINES = 4  # an unknown error without a traceback is one line with what stood before it


def _groups(faults: Iterable[Fault]) -> list[_Members]:
    """Faults of one signature, or of one text, together; in the order of their first."""
    found: dict[str, list[Fault]] = {}
    for fault in faults:
        found.setdefault(fault.signature.id if fault.signature else f"unknown {fault.text}", []).append(fault)
    return [
        _Members(
            first=_best(members),
            count=sum(fault.count for fault in members),
            ranks=tuple(sorted({fault.rank for fault in members if fault.rank is not None})),
            first_and_rest=tuple(members),
        )
        for members in found.values()
    ]


def _best(members: Sequence[Fault]) -> Fault:
    """The first; what the worker itself printed, where the driver repeated that before."""
    first = members[0]
    own = [fault for fault in members if fault.pid == first.pid and fault.speaker]
    return own[0] if own and not first.speaker and first.pid else first


def _without_survived(
    faults: Sequence[Fault], readings: Sequence[Reading], times: _Times
) -> tuple[list[Fault], list[Fault]]:
    """Faults that ended the training, and those that it survived, as far as the reading of a file did not tell.

    Another file's log shows steps later than the fault; or all steps were made, and the workers are ended.
    """
    shown = [time for reading in readings if (time := times.progress(reading)) is not None]
    pace = max((r.progress.seconds_per_step or 0.0 for r in readings if r.progress), default=0.0)
    latest = max(shown, default=float("-inf")) - max(_SKEW, 2 * pace)
    has_ended = any(r.progress and r.progress.step >= r.progress.total for r in readings)
    waiting: list[Fault] = []
    over: list[Fault] = []
    for fault in faults:
        time = times.of(fault)
        is_before = time is not None and time < latest and not times.has_progress(fault)
        is_ending = has_ended and fault.signature is not None and fault.signature.kind == "consequence"
        (over if is_before or is_ending else waiting).append(fault)
    return waiting, over


class _Times:
    """Times of faults on one scale: days of files without dates, and clocks of nodes that are behind."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._readings = {reading.file: reading for reading in readings}
        self._places = {reading.file: place for place, reading in enumerate(readings)}
        days = [reading.clock.first_day for reading in readings if reading.clock.first_day is not None]
        self._day = min(days, default=None)
        self._all_timed = all(fault.time is not None for reading in readings for fault in reading.faults)

    def of(self, fault: Fault) -> float | None:
        """The time of a fault, None where its file tells none."""
        if fault.time is None:
            return None
        reading = self._readings[fault.file]
        day = reading.clock.first_day if reading.clock.first_day is not None else self._day
        return dated(fault.time, day) + (self._behind(reading, fault.node) if fault.is_exact else 0.0)

    def progress(self, reading: Reading) -> float | None:
        """When the last step was shown."""
        if reading.progress_time is None:
            return None
        day = reading.clock.first_day if reading.clock.first_day is not None else self._day
        return dated(reading.progress_time, day)

    def has_progress(self, fault: Fault) -> bool:
        """Whether the fault's own file shows steps, so that what it survived is known from there."""
        return self._readings[fault.file].progress is not None

    def order(self, fault: Fault) -> tuple[float, int, int]:
        """By time where all files tell it, else by file and line."""
        time = self.of(fault) if self._all_timed else None
        return (time or 0.0, self._places[fault.file], fault.begin)

    def _behind(self, reading: Reading, node: str) -> float:
        behind = reading.behind.get(node, 0.0) if node else 0.0
        return behind if behind > _SKEW else 0.0

    def notes(self, chosen: Group | None, others: Sequence[Group]) -> list[str]:
        """What makes the order less than certain."""
        notes = [
            f"the clock of {node} is about {behind:.0f} s behind; its lines are placed by where they stand"
            for reading in self._readings.values()
            for node, behind in sorted(reading.behind.items())
            if behind > _SKEW
        ]
        rival = next((group for group in others if _may_be_first(group)), None)
        if chosen is None or rival is None or rival.first.file == chosen.first.file:
            return notes
        first, second = self.of(chosen.first), self.of(rival.first)
        where = f"{rival.id} ({rival.first.file}:{rival.first.number})"
        is_exact = chosen.first.is_exact and rival.first.is_exact and self._all_timed
        if first is None or second is None or not is_exact:
            notes.append(f"not all lines have a time, so {where} may have come first")
        elif abs(second - first) < _CLOSE:
            notes.append(
                f"{where} is {abs(second - first):.1f} s apart; clocks of two machines may differ by more"
            )
        return notes


def _may_be_first(group: Group) -> bool:
    signature = group.first.signature
    return group.first.is_fatal if signature is None else signature.kind == "cause"
