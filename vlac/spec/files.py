"""Spec files as text, or a clear word why not."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic, Position
from vlac.errors import SpecError
from vlac.spec.parse import LARGEST_TEXT

if TYPE_CHECKING:
    from pathlib import Path


def read_text(path: Path, file: str) -> str:
    """The text of a spec without its byte-order mark. `file` names it in positions.

    Raises SpecError where it is missing, no file, larger than 1 MiB, or not UTF-8.
    """
    data = _read(path, file)
    if len(data) > LARGEST_TEXT:
        raise _refusal("spec-too-large", "a spec has at most 1 MiB", file, "is this the right file?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error, file) from None


def shown_name(path: Path) -> str:
    """The name of a file in positions: the same text in every locale, whatever bytes the name is made of."""
    return os.fsencode(path.name or path).decode("utf-8", "backslashreplace")


def path_of(folder: Path, name: str) -> Path:
    """The file that a spec calls `name`: names in specs are UTF-8, whatever the locale makes of them."""
    return folder / os.fsdecode(name.encode())


def _read(path: Path, file: str) -> bytes:
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise _refusal("spec-unreadable", "this is a folder, not a spec", file, "name the file in it")
        if not stat.S_ISREG(kind):
            raise _refusal("spec-unreadable", "this is not an ordinary file", file)
        with path.open("rb") as stream:
            return stream.read(LARGEST_TEXT + 1)
    except FileNotFoundError:
        raise _refusal("spec-unreadable", "there is no such file", file, "`vlac init` writes one") from None
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "not a path"
        raise _refusal("spec-unreadable", f"the spec cannot be read: {reason}", file) from None


def _refusal(code: str, message: str, file: str, hint: str | None = None) -> SpecError:
    return SpecError([Diagnostic(code, message, "error", Position(file, 1, 1), hint)])


def _not_utf8(data: bytes, error: UnicodeDecodeError, file: str) -> SpecError:
    before = data[: error.start].removeprefix(b"\xef\xbb\xbf").decode("utf-8").splitlines(keepends=True)
    line = len(before) if before and not before[-1].endswith(("\n", "\r")) else len(before) + 1
    column = len(before[-1]) + 1 if before and line == len(before) else 1
    message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
    hint = "save the file as UTF-8"
    return SpecError([Diagnostic("spec-not-utf8", message, "error", Position(file, line, column), hint)])
