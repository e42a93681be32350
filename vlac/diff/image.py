"""A file under patches: its lines before and after, and where `git apply` would put a hunk.

The search is that of git (`apply.c`, `apply_one_fragment` and `find_pos` of git 2.39): the place that the header says,
then the nearest around it; a hunk from line 1 on belongs at the beginning, one without context after it at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vlac.patches.parse import FilePatch, Hunk, Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vlac.patches.parse import Change, Mark


@dataclass(frozen=True, slots=True)
class Fitted:
    """Where a hunk fits: the index of its first line.

    `context` is the most lines of context with which git takes it there (`git apply -C`), None: all that it has.
    """

    at: int
    context: int | None = None


@dataclass
class Image:
    """A file and what became of it. `lines` are marked as in a patch; those that no patch touched have number 0.

    `existed` and `exists` tell whether there is such a file before and after.
    """

    path: str
    lines: list[Line]
    existed: bool
    exists: bool

    @classmethod
    def of(cls, path: str, text: str | None) -> Image:
        """A file as it is; None: there is none."""
        lines = [Line(" ", line, 0) for line in split(text or "")]
        return cls(path, lines, text is not None, text is not None)

    def side(self, dropped: Mark) -> list[str]:
        """The lines before (`dropped` is "+") or after (`dropped` is "-") all changes."""
        return [line.text for line in self.lines if line.mark != dropped]

    @property
    def text(self) -> str:
        """The file after the changes."""
        return "".join(f"{line}\n" for line in self.side("-"))

    @property
    def is_changed(self) -> bool:
        """Whether anything is different after all."""
        return self.existed != self.exists or any(line.mark != " " for line in self.lines)

    def fit(self, hunk: Hunk) -> Fitted | None:
        """Where a hunk belongs, as `git apply` decides it; None where it does not apply."""
        return _fit(self.side("-"), hunk, [line.text for line in hunk.side("+")])

    def fit_loosely(self, hunk: Hunk) -> Fitted | None:
        """Where a hunk fits with less context, which `git apply` takes only when it is told so (`-C`)."""
        return _fit_loosely(self.side("-"), hunk)

    def has_already(self, hunk: Hunk) -> bool:
        """Whether the file looks as the hunk wants it."""
        new = [line.text for line in hunk.side("-")]
        return len(new) > 1 and _fit(self.side("-"), hunk, new) is not None

    def put(self, hunk: Hunk, fitted: Fitted) -> None:
        """Make the change."""
        present = [at for at, line in enumerate(self.lines) if line.mark != "-"]
        lines = _with_context(hunk, fitted.context)
        start = present[fitted.at] if fitted.at < len(present) else len(self.lines)
        done, at = self.lines[:start], start
        for line in lines:
            if line.mark == "+":
                done.append(line)
                continue
            while self.lines[at].mark == "-":
                done.append(self.lines[at])
                at += 1
            done += _kept_or_gone(self.lines[at], line)
            at += 1
        self.lines = done + self.lines[at:]

    def widened(self) -> FilePatch:
        """The change with the whole file around it, so that nothing about it has to be guessed."""
        change: Change = "edit" if self.existed and self.exists else "delete" if self.existed else "create"
        number = next((line.number for line in self.lines if line.number), 1)
        return FilePatch(self.path, change, (Hunk(tuple(self.lines), "", number),), number)


def between(path: str, before: str | None, after: str | None) -> Image:
    """The image of a file in two states; changed lines are numbered as in the file that has them."""
    from difflib import SequenceMatcher

    old, new = split(before or ""), split(after or "")
    lines: list[Line] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [Line(" ", text, 0) for text in old[a:b]]
            continue
        lines += [Line("-", text, number) for number, text in enumerate(old[a:b], a + 1)]
        lines += [Line("+", text, number) for number, text in enumerate(new[c:d], c + 1)]
    return Image(path, lines, before is not None, after is not None)


def split(text: str) -> list[str]:
    """The lines of a file, without their ends."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _kept_or_gone(present: Line, line: Line) -> list[Line]:
    """What becomes of a line that the hunk shows; one that an earlier patch added leaves no trace when it goes."""
    if line.mark == " ":
        return [present]
    return [] if present.mark == "+" else [replace(present, mark="-", number=line.number)]


def _fit(
    lines: Sequence[str],
    hunk: Hunk,
    wanted: Sequence[str],
    *,
    ends: tuple[bool, bool] | None = None,
    shift: int = 0,
) -> Fitted | None:
    at_start, at_end = ends if ends is not None else (hunk.before <= 1, hunk.lines[-1].mark != " ")
    expected = 0 if at_start else len(lines) - len(wanted) if at_end else max(hunk.after - 1, 0) + shift
    for at in _around(expected, len(lines)):
        if at_start and at != 0:
            continue
        if at_end and at + len(wanted) != len(lines):
            continue
        if list(lines[at : at + len(wanted)]) == list(wanted):
            return Fitted(at)
    return None


def _around(at: int, last: int) -> Iterator[int]:
    """Positions by their distance, the one after before the one in front."""
    at = min(max(at, 0), last)
    yield at
    for distance in range(1, last + 1):
        yield from (place for place in (at + distance, at - distance) if 0 <= place <= last)


def _fit_loosely(lines: Sequence[str], hunk: Hunk) -> Fitted | None:
    """Where a hunk fits at any place with less context; git looks there once some of it may be dropped."""
    leading, trailing = context_of(hunk)
    most = max(leading, trailing)
    for context in range(most, -1, -1) if most else ():
        wanted = [line.text for line in _with_context(hunk, context) if line.mark != "+"]
        shift = max(leading - context, 0)
        found = _fit(lines, hunk, wanted, ends=(False, False), shift=shift) if wanted else None
        if found:
            return Fitted(found.at, min(context, most - 1))
    return None


def context_of(hunk: Hunk) -> tuple[int, int]:
    """How many lines of context stand before the first change, and after the last."""
    changed = [at for at, line in enumerate(hunk.lines) if line.mark != " "]
    return (changed[0], len(hunk.lines) - 1 - changed[-1]) if changed else (len(hunk.lines), 0)


def _with_context(hunk: Hunk, context: int | None) -> tuple[Line, ...]:
    """The lines of a hunk with no more than `context` lines before and after the changes."""
    if context is None:
        return hunk.lines
    leading, trailing = context_of(hunk)
    return hunk.lines[max(leading - context, 0) : len(hunk.lines) - max(trailing - context, 0)]
