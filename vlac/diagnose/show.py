"""A diagnosis as text of at most 30 lines, and as JSON."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from vlac.diagnose.clock import written
from vlac.diagnose.masking import masked
from vlac.diagnose.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnose.reading import Reading
    from vlac.diagnose.verdict import Diagnosis, Group

MOST_LINES = 30
_WIDTH = 110
_LONGEST = 200  # characters of a quoted line
_EVIDENCE = 10  # quoted lines
_OTHERS = 5
_KINDS = {
    "cause": "cause",
    "consequence": "consequence of something that is not in the log",
    "unknown": "unknown",
}
_NOTHING = "no fault in the log"


def as_text(diagnosis: Diagnosis, secrets: Sequence[str] = ()) -> str:
    """The diagnosis for a person: cause, evidence, cure, what followed. Secrets are masked."""
    lines = [
        *_head(diagnosis),
        *_evidence(diagnosis, secrets),
        *_advice(diagnosis),
        *_others(diagnosis, secrets),
    ]
    return "\n".join(lines[:MOST_LINES]) + "\n"


def first_error(reading: Reading) -> str | None:
    """What a log that is followed line by line says of its first fault: who, then the lines; None for no fault."""
    reading.end()
    main = judge([reading]).main
    if main is None:
        return None
    speaker = [main.first.speaker] if main.first.speaker else []
    return "\n".join([*speaker, *(f"  {text}" for _, text in main.first.lines)])


def _head(diagnosis: Diagnosis) -> list[str]:
    main = diagnosis.main
    if main is None:
        return [_nothing(diagnosis)]
    signature = main.first.signature
    when = f", at {written(diagnosis.time)}" if diagnosis.time is not None else ""
    head = f"{_KINDS[diagnosis.found]}: {signature.id if signature else 'no signature fits this error'}"
    return [f"{head} ({_who(main)}{when})", *_wrapped(signature.what if signature else "")]


def _nothing(diagnosis: Diagnosis) -> str:
    if diagnosis.steps is None:
        return f"{_NOTHING}; it shows no step of a training"
    step, total = diagnosis.steps
    end = "the training made all steps" if step >= total else f"it ends at step {step} of {total}"
    return f"{_NOTHING}: {end}"


def _who(group: Group) -> str:
    fault = group.first
    who = f"rank {fault.rank}" if fault.rank is not None else _process(fault.speaker, fault.pid)
    others = [rank for rank in group.ranks if rank != fault.rank]
    also = f", also rank{'s' if len(others) > 1 else ''} {_ranks(others)}" if others else ""
    return f"{who}{f' on {fault.node}' if fault.node else ''}{also}"


def _process(speaker: str, pid: str | None) -> str:
    if pid:
        return f"process {pid}"
    return speaker.strip("()") or "the driver"


def _ranks(ranks: Sequence[int]) -> str:
    """`0-2, 5`."""
    runs: list[list[int]] = []
    for rank in sorted(ranks):
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _evidence(diagnosis: Diagnosis, secrets: Sequence[str]) -> list[str]:
    """The lines that say it, with the last frames before and what belongs to it behind."""
    if diagnosis.main is None:
        return []
    fault = diagnosis.main.first
    quoted = _quoted(fault.lines, fault.number)
    width = len(str(quoted[-1][0]))
    rows = [f"  {number:>{width}} | {_clipped(masked(text, secrets))}" for number, text in quoted]
    return ["", f"{fault.file}:{fault.number}", *rows, ""]


def _quoted(lines: Sequence[tuple[int, str]], number: int) -> list[tuple[int, str]]:
    kept = [line for line in lines if line[1].strip() and set(line[1].strip()) - set("^~")]
    place = next((place for place, line in enumerate(kept) if line[0] == number), len(kept) - 1)
    begin = max(0, place - _EVIDENCE + 4)
    return kept[begin : begin + _EVIDENCE] or list(lines[:1])


def _clipped(text: str) -> str:
    plain = "".join(c if c.isprintable() else " " if c == "\t" else ascii(c)[1:-1] for c in text.rstrip())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 3]}..."


def _advice(diagnosis: Diagnosis) -> list[str]:
    signature = diagnosis.signature
    if signature is None:
        return (
            []
            if diagnosis.main is None
            else ["vlac does not know this error. It is the first one in the log."]
        )
    retry = (
        "may help: the same run can succeed" if signature.retryable else "does not help: it would fail again"
    )
    return [*_wrapped(f"cure: {signature.cure}"), f"starting again unchanged {retry}"]


def _others(diagnosis: Diagnosis, secrets: Sequence[str]) -> list[str]:
    rows = [_row("before it", group, secrets) for group in diagnosis.before[:1]]
    rows += [_row("followed by", group, secrets) for group in diagnosis.followed[:_OTHERS]]
    if len(diagnosis.followed) > _OTHERS:
        rows.append(f"  and {len(diagnosis.followed) - _OTHERS} other faults")
    rows += [_row("warning", group, secrets) for group in diagnosis.warnings[:2]]
    rows += [_row("survived", group, secrets) for group in diagnosis.survived[:1]]
    rows += [f"note: {note}" for note in diagnosis.notes[:2]]
    return rows


def _row(word: str, group: Group, secrets: Sequence[str]) -> str:
    fault = group.first
    said = group.id if fault.signature else f"unknown: {_clipped(masked(fault.text, secrets))[:60]}"
    times = f", {group.count} times" if group.count > 1 else ""
    return f"{word}: {said} ({_who(group)}{times}; {fault.file}:{fault.number})"


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def as_json(diagnosis: Diagnosis, secrets: Sequence[str] = ()) -> dict[str, object]:
    """The diagnosis for a program; ids and keys are stable. Secrets are masked."""
    signature = diagnosis.signature
    return {
        "found": diagnosis.found,
        "id": diagnosis.main.id if diagnosis.main else None,
        "what": signature.what if signature else None,
        "cure": signature.cure if signature else None,
        "retryable": diagnosis.is_retryable,
        "time": written(diagnosis.time) if diagnosis.time is not None else None,
        **_place(diagnosis.main, secrets),
        "before": [_other(group, secrets) for group in diagnosis.before],
        "followed": [_other(group, secrets) for group in diagnosis.followed],
        "warnings": [_other(group, secrets) for group in diagnosis.warnings],
        "survived": [_other(group, secrets) for group in diagnosis.survived],
        "notes": list(diagnosis.notes),
        "steps": list(diagnosis.steps) if diagnosis.steps else None,
        "files": list(diagnosis.files),
    }


def _place(group: Group | None, secrets: Sequence[str]) -> dict[str, object]:
    if group is None:
        return {"file": None, "line": None, "rank": None, "ranks": [], "evidence": []}
    fault = group.first
    quoted = [
        {"line": number, "text": masked(text, secrets)} for number, text in _quoted(fault.lines, fault.number)
    ]
    return {
        "file": fault.file,
        "line": fault.number,
        "rank": fault.rank,
        "ranks": list(group.ranks),
        "evidence": quoted,
    }


def _other(group: Group, secrets: Sequence[str]) -> dict[str, object]:
    fault = group.first
    return {
        "id": group.id,
        "file": fault.file,
        "line": fault.number,
        "ranks": list(group.ranks),
        "count": group.count,
        "text": masked(fault.text, secrets),
    }
