"""Keys of another version of RLinf, with what they are called in this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.check.subject import dotted
from vlac.rlinf.moves import MOVES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.moves import Move
    from vlac.rlinf.templates import Key

__all__ = ["MOVES", "moved"]


def moved(subject: Subject, target: Target) -> Iterator[Finding]:
    """Keys that the table of moves knows under a name that this tree reads instead."""
    if target.reads is None:
        return
    task = subject.value("runner", "task_type")
    for move in MOVES:
        if subject.has(move.old) and (not move.tasks or task in move.tasks):
            yield from _told(subject, target, move)


def _told(subject: Subject, target: Target, move: Move) -> Iterator[Finding]:
    for old, new in _ways(move):
        before, now = target.is_read(old), target.is_read(new)
        if subject.has(old) and now and (move.taken_over or not before):
            yield _told_of(subject, old, new, move)
            return


def _ways(move: Move) -> Iterator[tuple[Key, Key]]:
    """The key went to its new place at `since`: a newer config has it there, and an older tree does not read it."""
    yield move.old, move.new
    if not move.taken_over:
        yield move.new, move.old


def _told_of(subject: Subject, old: Key, new: Key, move: Move) -> Finding:
    if move.taken_over:
        message = f"`{dotted(old)}` is an old name; RLinf still takes it, for `{dotted(new)}` ({move.source})"
    else:
        when = "since" if old == move.old else "before"
        message = f"this RLinf does not read `{dotted(old)}`: it is `{dotted(new)}` {when} {move.since} ({move.source})"
    return subject.finding("check-key-moved", message, old, severity="warning", hint=f"write {dotted(new)}")
