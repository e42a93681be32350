"""One file before and after a unified diff; each line that stays keeps its bytes, and so its line ending."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from vlac.patches.parse import parse
from vlac.rlinf.trees.files import hash_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vlac.adapters import PatchedFile, PatchVariant
    from vlac.patches.parse import FilePatch, Hunk, Mark

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def after(variant: PatchVariant, file: PatchedFile, content: bytes) -> bytes:
    """The patched file, from one that is as the patch knows it."""
    return _checked(variant, file, content, "+", file.after)


def before(variant: PatchVariant, file: PatchedFile, content: bytes) -> bytes:
    """The file as it was, from one that is patched."""
    return _checked(variant, file, content, "-", file.before)


def fits(variant: PatchVariant, file: PatchedFile, content: bytes) -> bool:
    """Whether the lines that the patch changes stand in a file, whatever else does."""
    return _changed(_changes(variant)[file.path], content, "+") is not None


def _checked(variant: PatchVariant, file: PatchedFile, content: bytes, dropped: Mark, expected: str) -> bytes:
    result = _changed(_changes(variant)[file.path], content, dropped)
    if result is None or hash_of(result) != expected:
        raise AssertionError(f"{variant.diff.name} does not make of {file.path} what it says")
    return result


@cache
def _changes(variant: PatchVariant) -> Mapping[str, FilePatch]:
    patch = parse(variant.diff.read_bytes(), variant.diff.name)
    return {changed.path: changed for changed in patch.files}


def _changed(changes: FilePatch, content: bytes, dropped: Mark) -> bytes | None:
    """The other side of a diff, whose lines `dropped` marks (`+` going forward). None where it does not fit."""
    lines: list[bytes] = _LINE.findall(content)
    result: list[bytes] = []
    at = 0
    for hunk in changes.hunks:
        start = _find(lines, [line.text.encode() for line in hunk.side(dropped)], at)
        if start is None:
            return None
        result += lines[at:start]
        at = start + _hunk(hunk, lines, start, dropped, result)
    return b"".join(result + lines[at:])


def _hunk(hunk: Hunk, lines: Sequence[bytes], start: int, dropped: Mark, result: list[bytes]) -> int:
    """Add what a hunk makes of the lines from `start` on; returns how many of them it took."""
    taken, ending = 0, _ending(lines[start])
    for line in hunk.lines:
        if line.mark == dropped:
            result.append(line.text.encode() + ending)
            continue
        old = lines[start + taken]
        taken, ending = taken + 1, _ending(old)
        if line.mark == " ":
            result.append(old)
    return taken


def _find(lines: Sequence[bytes], wanted: Sequence[bytes], at: int) -> int | None:
    """The first place at or after a line where these lines stand; the hash of the result tells whether it was meant."""
    texts = [_text(line) for line in lines]
    last = len(lines) - len(wanted)
    return next((i for i in range(at, last + 1) if texts[i : i + len(wanted)] == wanted), None)


def _text(line: bytes) -> bytes:
    return line[: len(line) - len(_ending(line))]


def _ending(line: bytes) -> bytes:
    if line.endswith(b"\r\n"):
        return b"\r\n"
    return b"\n" if line.endswith(b"\n") else b""
