"""The verdict on a key that the code of a tree reads in another way with a change than without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diff.code_reads import fatal
from vlac.diff.comparison import Difference, Judgement, Verdict
from vlac.patches.changes import ABSENT, CodeChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vlac.diff.image import Image
    from vlac.diff.target import Target
    from vlac.patches.changes import Change, Held, Key
    from vlac.rlinf.trees.difference import Difference as ReadsDifference
    from vlac.rlinf.trees.key_reads import Kinds, ReadPlace


def read_differences(
    found: ReadsDifference, changes: Sequence[Change], target: Target, images: Mapping[str, Image]
) -> Iterator[Difference]:
    """A record a key whose reads change; one that a guard of the same change explains already is left out."""
    guarded = {
        (change.file, change.name)
        for change in changes
        if isinstance(change, CodeChange) and change.kind == "guard"
    }
    for key, (before, now) in found.changed.items():
        if fatal(now) and not fatal(before):
            yield _record(key, _first(now), "required now", _required(key, now, target), images)
        elif fatal(before) and not fatal(now):
            place = _first(before)
            if (place.file, key[-1]) not in guarded:
                yield _record(key, place, "no longer required", _softened(key, before, target), images)
    for key, now in found.new.items():
        said = "required now" if fatal(now) else "read now"
        judged = _required(key, now, target) if fatal(now) else _read_now(key, now, target)
        yield _record(key, _first(now), said, judged, images)
    for key, before in found.gone.items():
        yield _record(key, _first(before), "no longer read", _gone(key, before, target), images)
    for move in found.moved:
        yield _record(
            move.new, None, f"read instead of {'.'.join(move.old)}", _moved(move.new, target), images
        )


def _record(
    key: Key, place: ReadPlace | None, said: str, judged: Judgement, images: Mapping[str, Image]
) -> Difference:
    file = place.file if place else ""
    return Difference("read", ".".join(key), said, judged, file, _line_in_change(place, images))


def _line_in_change(place: ReadPlace | None, images: Mapping[str, Image]) -> int:
    """The line of the change at a place, else the first one of its file; 0 where the file is not changed."""
    image = images.get(place.file) if place else None
    if image is None or place is None:
        return 0
    for mark in ("+", "-"):
        side = [line for line in image.lines if line.mark in (" ", mark)]
        if 0 < place.line <= len(side) and side[place.line - 1].mark == mark:
            return side[place.line - 1].number
    return next((line.number for line in image.lines if line.number), 0)


def _first(kinds: Kinds) -> ReadPlace:
    """The place that counts: of a fatal read where there is one."""
    ranked = sorted(kinds.items(), key=lambda kind: not fatal([kind[0]]))
    return ranked[0][1][0]


def _required(key: Key, now: Kinds, target: Target) -> Judgement:
    held = _held(key, target)
    if held is not ABSENT:
        return Judgement(
            Verdict.SAME, f"{_first(now)} needs it with the change, and the bundle sets it", held
        )
    reason = (
        f"{_first(now)} needs it with the change, and the bundle does not set it: there the run would die"
    )
    return Judgement(Verdict.ONLY_IN_PATCH, reason)


def _softened(key: Key, before: Kinds, target: Target) -> Judgement:
    held = _held(key, target)
    if held is not ABSENT:
        reason = f"the compiled config has it, so the strict read ({_first(before)}) cannot fail"
        return Judgement(Verdict.NOT_NEEDED, reason, held)
    reason = f"the compiled config has it not, and without this change {_first(before)} may fail"
    return Judgement(Verdict.ONLY_IN_PATCH, reason)


def _read_now(key: Key, now: Kinds, target: Target) -> Judgement:
    held = _held(key, target)
    if held is ABSENT:
        return Judgement(
            Verdict.ONLY_IN_PATCH, f"{_first(now)} reads it, and does without; the bundle does not set it"
        )
    return Judgement(
        Verdict.ONLY_IN_PATCH, f"{_first(now)} reads it; the bundle sets it, and nothing reads it there", held
    )


def _gone(key: Key, before: Kinds, target: Target) -> Judgement:
    held = _held(key, target)
    if held is ABSENT:
        return Judgement(
            Verdict.NOT_NEEDED, f"{_first(before)} read it, and did without: the bundle does not set it"
        )
    reason = f"without the change {_first(before)} reads what the bundle sets"
    return Judgement(Verdict.ONLY_IN_PATCH, reason, held)


def _moved(key: Key, target: Target) -> Judgement:
    held = _held(key, target)
    verdict = Verdict.ONLY_IN_PATCH if held is ABSENT else Verdict.SAME
    return Judgement(
        verdict, "the bundle sets it" if held is not ABSENT else "the bundle does not set it", held
    )


def _held(key: Key, target: Target) -> Held:
    """What the bundle holds at a key: its value, or that there is such a section."""
    held = target.held(key)
    is_section = any(known[: len(key)] == key for known in target.config)
    return "a section" if held is ABSENT and is_section else held
