"""Reads a unified diff, as git or plain diff writes it, into files and hunks.

A broken patch raises one `PatchError` with every problem and its place, `file:line` of the patch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from vlac.diagnostics import Diagnostic, Position
from vlac.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator

Mark = Literal[" ", "-", "+"]
Change = Literal["edit", "create", "delete"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_BLOB = re.compile(r"index ([0-9a-f]{4,64})\.\.")
_MARKS: tuple[Mark, ...] = (" ", "-", "+")
_NOTHING = "/dev/null"
_REFUSED = {
    "GIT binary patch": "a binary change",
    "Binary files ": "a binary change",
    "rename from ": "a rename",
    "copy from ": "a copy",
    "diff --cc ": "a merge (combined diff)",
    "diff --combined ": "a merge (combined diff)",
}
_NO_NEWLINE = "\\"
_SIGNATURE = "-- "  # `git format-patch` ends with it and git's version


class PatchError(SpecError):
    """The patch cannot be read; `diagnostics` holds every problem, in the order of its lines."""

    exit_code: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk; `number` is its line in the patch, `text` has neither mark nor line end."""

    mark: Mark
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring changes. `heading` is what git shows after the ranges: the section or function above.

    `before` and `after` are its first line in the file before and after the change, as its header says.
    """

    lines: tuple[Line, ...]
    heading: str
    number: int
    before: int = 1
    after: int = 1

    def side(self, dropped: Mark) -> tuple[Line, ...]:
        """The lines before (`dropped` is "+") or after (`dropped` is "-") the change."""
        return tuple(line for line in self.lines if line.mark != dropped)


_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The changes of one file. `path` is relative to the patched tree.

    `blob` is the beginning of git's id of the file before the change (`index a..b`), empty where the patch has none.
    """

    path: str
    change: Change
    hunks: tuple[Hunk, ...]
    number: int
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Patch:
    """A unified diff. `name` is how it is called in positions.

    One that was joined from several has `parts`: each one's name, and the number after which its lines begin.
    """

    name: str
    files: tuple[FilePatch, ...]
    parts: tuple[tuple[str, int], ...] = ()

    def position(self, number: int) -> Position:
        """The place of one of its lines."""
        if not self.parts:
            return Position(self.name, max(number, 1), 1)
        name, start = next(part for part in reversed(self.parts) if part[1] < number or not part[1])
        return Position(name, number - start, 1)


def parse(data: bytes, name: str) -> Patch:
    """Read a patch. Raises `PatchError` where it is broken, empty, binary, or renames files."""
    reader = _Reader(name, _lines(data, name))
    files = tuple(reader.files())
    if not files and not reader.problems:
        reader.problem(
            1, "patch-empty", "no file is changed here", "give a unified diff, as git diff prints it"
        )
    if reader.problems:
        raise PatchError(reader.problems)
    return Patch(name, files)


def _lines(data: bytes, name: str) -> list[str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise PatchError([Diagnostic("patch-not-utf8", message, position=Position(name, line, 1))]) from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


@dataclass
class _Reader:
    """Walks the lines once; `at` is the index of the next one."""

    name: str
    lines: list[str]
    at: int = 0
    problems: list[Diagnostic] = field(default_factory=list)

    def problem(self, number: int, code: str, message: str, hint: str | None = None) -> None:
        """Record what is wrong at a line of the patch."""
        excerpt = self.lines[number - 1] if number <= len(self.lines) else None
        self.problems.append(
            Diagnostic(code, message, position=Position(self.name, number, 1), hint=hint, excerpt=excerpt)
        )

    def peek(self) -> str | None:
        """The next line, None at the end."""
        return self.lines[self.at] if self.at < len(self.lines) else None

    def files(self) -> Iterator[FilePatch]:
        """Every file of the patch; text between files (a mail, a commit message) is passed over."""
        while (line := self.peek()) is not None:
            if line.startswith(("diff --git ", "--- ")) and self._is_header():
                yield from self._file()
                continue
            self._stray(line)
            self.at += 1

    def _is_header(self) -> bool:
        line, after = self.lines[self.at], self.lines[self.at + 1 : self.at + 2]
        return line.startswith("diff --git ") or bool(after and after[0].startswith("+++ "))

    def _stray(self, line: str) -> None:
        self._refuse(line)
        if line.startswith("@@ "):
            self.problem(
                self.at + 1,
                "patch-hunk-without-file",
                "a hunk before any `---` and `+++` line: its file is unknown",
                "put the header of the file above it",
            )

    def _refuse(self, line: str) -> None:
        for start, what in _REFUSED.items():
            if line.startswith(start):
                hint = "leave it out of the patch; vlac compares text changes of files that keep their name"
                self.problem(self.at + 1, "patch-refused", f"{what} cannot be compared", hint)

    def _file(self) -> Iterator[FilePatch]:
        number, before = self.at + 1, len(self.problems)
        names, changes_text = self._header()
        blob = next(filter(None, map(_BLOB.match, self.lines[number - 1 : self.at])), None)
        hunks = tuple(self._hunks())
        if changes_text and not hunks and len(self.problems) == before:
            self.problem(
                number, "patch-no-hunk", "no change of this file follows", "the patch may be cut off here"
            )
        if names:
            path = _path(*names)
            if path.startswith("/") or ".." in path.split("/"):
                hint = "paths of a patch are relative to the checkout and stay in it"
                self.problem(number, "patch-refused", f"`{path}` leads out of the checkout", hint)
            yield FilePatch(path, _change(*names), hunks, number, blob[1] if blob else "")

    def _header(self) -> tuple[tuple[str, str] | None, bool]:
        """The names before and after, and whether a change of text must follow (not so for a file mode)."""
        extended = list(self._extended_header())
        line = self.peek()
        if line is not None and line.startswith("--- ") and self._is_header():
            self.at += 2
            return (_name(line), _name(self.lines[self.at - 1])), True
        return None, (line is not None and line.startswith("--- ")) or not any(map(_stands_alone, extended))

    def _extended_header(self) -> Iterator[str]:
        """What git writes between `diff --git` and `---`."""
        if not self.lines[self.at].startswith("diff --git "):
            return
        self.at += 1
        while (line := self.peek()) and not line.startswith(("--- ", "diff --git ", "@@ ")):
            self._refuse(line)
            self.at += 1
            yield line

    def _hunks(self) -> Iterator[Hunk]:
        while (line := self.peek()) is not None and line.startswith("@@"):
            match = _HUNK.match(line)
            self.at += 1
            if match:
                yield self._hunk(match)
                continue
            hint = "the form is `@@ -line,count +line,count @@`"
            self.problem(self.at, "patch-hunk-header", "this is not the header of a hunk", hint)

    def _hunk(self, header: re.Match[str]) -> Hunk:
        number = self.at
        before, after = (1 if count is None else int(count) for count in (header[2], header[4]))
        lines = tuple(self._body(before, after))
        self._check_counts(number, (before, after), (*lines, *self._surplus()))
        return Hunk(lines, header[5].strip(), number, int(header[1]), int(header[3]))

    def _check_counts(self, number: int, said: tuple[int, int], lines: tuple[Line, ...]) -> None:
        has = (sum(line.mark != "+" for line in lines), sum(line.mark != "-" for line in lines))
        if has == said:
            return
        message = f"the hunk says {said[0]} lines before and {said[1]} after, but has {has[0]} and {has[1]}"
        self.problem(
            number, "patch-hunk-count", message, "edited by hand or cut off? make it anew with git diff"
        )

    def _body(self, before: int, after: int) -> Iterator[Line]:
        """As many lines as the header of the hunk says, fewer where another kind of line ends it."""
        while (text := self.peek()) is not None and (before or after):
            if text.startswith(_NO_NEWLINE):
                self.at += 1
                continue
            mark = _mark(text or " ")  # editors strip the one blank of an empty context line
            takes = (mark in (" ", "-"), mark in (" ", "+"))
            if mark is None or takes[0] > before or takes[1] > after:
                return
            before, after = before - takes[0], after - takes[1]
            self.at += 1
            yield Line(mark, text[1:], self.at)

    def _surplus(self) -> Iterator[Line]:
        """Lines that look like more of the hunk above."""
        while (text := self.peek()) is not None:
            mark = _mark(text)
            ends = text == _SIGNATURE or (text.startswith("--- ") and self._is_header())
            if not text.startswith(_NO_NEWLINE) and (mark is None or ends):
                return
            self.at += 1
            if mark:
                yield Line(mark, text[1:], self.at)


def _stands_alone(extended: str) -> bool:
    """Whether a line of git's header is a change without text: an empty file comes or goes, a mode changes."""
    return extended.startswith(("new file ", "deleted file ", "old mode "))


def _mark(text: str) -> Mark | None:
    for mark in _MARKS:
        if text.startswith(mark):
            return mark
    return None


def _name(line: str) -> str:
    """The file name of a `---` or `+++` line, without the time stamp that plain diff adds."""
    name = line[4:].split("\t")[0].strip()
    return _unquoted(name[1:-1]) if len(name) > 1 and name[0] == name[-1] == '"' else name


def _unquoted(name: str) -> str:
    """A name that git put in quotes, with its escapes of bytes that are not ASCII (git-config, core.quotePath)."""

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 0xFF]) if code.isdigit() else _ESCAPES.get(code, code)

    return _ESCAPE.sub(byte, name.encode()).decode("utf-8", "replace")


def _path(old: str, new: str) -> str:
    """The path inside the tree: git puts `a/` and `b/` before it."""
    name, prefix = (old, "a/") if new == _NOTHING else (new, "b/")
    return name.removeprefix(prefix).removeprefix("./")


def _change(old: str, new: str) -> Change:
    if old == _NOTHING:
        return "create"
    return "delete" if new == _NOTHING else "edit"
