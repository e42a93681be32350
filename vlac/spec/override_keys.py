"""Keys of `overrides`: absolute paths into RLinf's configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Union

Operation = Literal["set", "add", "delete"]

_OPERATIONS: dict[str, Operation] = {"+": "add", "~": "delete"}
# A bare part may hold what RLinf's keys hold: `component_placement."actor,env,rollout"` needs no quotes.
_BARE = re.compile(r"[^\s.\[\]\"'{}$=:+~]+")
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_INDEX = re.compile(r"\[([0-9]{1,6})\]", re.ASCII)


class OverrideKeyError(ValueError):
    """The key is not one; `hint` says what to write."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class OverrideKey:
    """What to do, and where: texts are keys of mappings, integers are indices of lists."""

    operation: Operation
    path: tuple[Union[str, int], ...]  # noqa: UP007 - read at run time by dataclass on Python 3.10 too


def parse_override_key(text: str) -> OverrideKey:
    """Read `a.b`, `a."b.c"`, `a[0].b`, `+a.b` or `~a.b`. Raises OverrideKeyError."""
    operation: Operation = _OPERATIONS.get(text[:1], "set")
    place = 0 if operation == "set" else 1
    path: list[str | int] = []
    while True:
        part, place = _part(text, place)
        path.append(part)
        while (index := _INDEX.match(text, place)) is not None:
            path.append(int(index[1]))
            place = index.end()
        if place == len(text):
            return _whole(operation, tuple(path))
        if text[place] != ".":
            raise _broken(text, place)
        place += 1


def override_key(operation: Operation, path: tuple[str, ...]) -> str:
    """The text that `parse_override_key` reads as this. Raises OverrideKeyError for a part that no text can name."""
    sign = next((sign for sign, name in _OPERATIONS.items() if name == operation), "")
    return sign + ".".join(map(_written, path))


def _written(part: str) -> str:
    if _BARE.fullmatch(part):
        return part
    quote = "'" if '"' in part else '"'
    if not part or quote in part:
        raise OverrideKeyError(f"no override can name the key {part!r}", "rename it")
    return f"{quote}{part}{quote}"


def _whole(operation: Operation, path: tuple[str | int, ...]) -> OverrideKey:
    if operation == "set" or not any(isinstance(part, int) for part in path):
        return OverrideKey(operation, path)
    hint = "write the whole list, or `a[0]` to change an item"
    raise OverrideKeyError("items of a list are not added or deleted one by one", hint)


def _part(text: str, place: int) -> tuple[str, int]:
    if (quoted := _QUOTED.match(text, place)) is not None:
        return quoted[1] or quoted[2], quoted.end()
    bare = _BARE.match(text, place)
    if bare is None:
        raise _broken(text, place)
    return bare[0], bare.end()


def _broken(text: str, place: int) -> OverrideKeyError:
    what = f"at `{text[place : place + 20]}`" if place < len(text) else "at its end"
    message = f"`{text[:60]}` is not a key of RLinf's configuration: it breaks {what}"
    return OverrideKeyError(message, 'write a.b, a."b.c" for a part with dots, a[0].b, +a.b or ~a.b')
