"""What a patch of a shell script changes: exported variables, and Hydra overrides on a command line."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.patches.changes import ABSENT, CodeChange, ConfigChange, VariableChange
from vlac.patches.scalars import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vlac.patches.changes import Change, Key
    from vlac.patches.parse import FilePatch
    from vlac.plan.origins import Value

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_DEFAULT = re.compile(r"\$\{(\w+):?[-=](.*)\}", re.DOTALL)  # ${NAME:-text}: text unless the caller sets NAME
_OVERRIDE = re.compile(r"(?:^|(?<=[\s\"']))\+{0,2}([A-Za-z_]\w*(?:\.[\w-]+)+)=(\"[^\"]*\"|'[^']*'|[^\s\"']*)")
_HYDRA_COMMAND = re.compile(r"\bpython\d?\b|--config-(?:name|path|dir)\b")
_KEYWORDS = frozenset({"then", "do", "else", "{"})
_HYDRA_TEXT = frozenset({"yes", "no", "on", "off"})  # words in Hydra's grammar, booleans in YAML 1.1


@dataclass
class _Script:
    """What the lines of one side say. `other` are the lines, or their rests, that say something else."""

    variables: dict[str, tuple[str | None, int]] = field(default_factory=dict)
    overrides: dict[Key, tuple[Value, int]] = field(default_factory=dict)
    other: list[tuple[str, int]] = field(default_factory=list)


def exports(lines: Iterable[str]) -> dict[str, str]:
    """The variables that a script exports, in the last writing of each; `$NAME` stays as written."""
    script = _read(enumerate(lines, 1))
    return {name: value for name, (value, _) in script.variables.items() if value is not None}


def shell_changes(file: FilePatch) -> Iterator[Change]:
    """The variables, overrides and other lines that one patched script changes."""
    for hunk in file.hunks:
        before = _read((line.number, line.text) for line in hunk.side("+"))
        after = _read((line.number, line.text) for line in hunk.side("-"))
        yield from _variables(file.path, before, after)
        yield from _overrides(file.path, before, after)
        yield from _others(file.path, before, after)


def _variables(path: str, before: _Script, after: _Script) -> Iterator[VariableChange]:
    for name in {**before.variables, **after.variables}:
        old, new = before.variables.get(name), after.variables.get(name)
        value_before, value_after = (side[0] if side else None for side in (old, new))
        is_unset = new is not None and old is None  # taken away from what the caller exports
        if value_before != value_after or (value_after is None and is_unset):
            line = (new or old or ("", 0))[1]
            yield VariableChange(path, name, value_before, value_after, line)


def _overrides(path: str, before: _Script, after: _Script) -> Iterator[ConfigChange]:
    for key in {**before.overrides, **after.overrides}:
        old, new = before.overrides.get(key), after.overrides.get(key)
        if old is None or new is None or old[0] != new[0]:
            line = (new or old or (None, 0))[1]
            yield ConfigChange(path, key, old[0] if old else ABSENT, new[0] if new else ABSENT, line)


def _others(path: str, before: _Script, after: _Script) -> Iterator[CodeChange]:
    gone = Counter(text for text, _ in before.other) - Counter(text for text, _ in after.other)
    come = Counter(text for text, _ in after.other) - Counter(text for text, _ in before.other)
    if not gone and not come:
        return
    line = next(number for text, number in (*after.other, *before.other) if text in come or text in gone)
    yield CodeChange(path, "code", "", "; ".join(gone), "; ".join(come), line)


def _read(lines: Iterable[tuple[int, str]]) -> _Script:
    script = _Script()
    for number, text in _whole(lines):
        _read_line(script, number, text)
    return script


def _whole(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines with their continuations, numbered by the first; no comments, no blank ones."""
    start, text = 0, ""
    for number, line in lines:
        start, text = (start, text) if text else (number, "")
        text += line
        if line.endswith("\\"):
            text = text[:-1] + " "
            continue
        if text.strip() and not text.lstrip().startswith("#"):
            yield start, text
        text = ""
    if text.strip():
        yield start, text


def _read_line(script: _Script, number: int, text: str) -> None:
    rest = _take_overrides(script, number, text) if _HYDRA_COMMAND.search(text) else text
    commands = _commands(rest)
    if commands is None:
        script.other.append((" ".join(rest.split()), number))
        return
    for words in commands:
        left = _take_variables(script, number, words)
        if left:
            script.other.append((" ".join(" ".join(left).split()), number))


def _take_overrides(script: _Script, number: int, text: str) -> str:
    for match in _OVERRIDE.finditer(text):
        script.overrides[tuple(match[1].split("."))] = (_hydra_value(match[2]), number)
    return _OVERRIDE.sub("", text)


def _hydra_value(text: str) -> Value:
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if text.lower() in _HYDRA_TEXT:
        return text
    if text.startswith("[") and text.endswith("]"):
        return tuple(_hydra_value(item.strip()) for item in text[1:-1].split(",") if item.strip())
    return read_plain(text)


def _commands(text: str) -> list[list[str]] | None:
    """The words of every command of a line, None where the quotes do not close in it."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if set(word) <= set(";&|"):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:
        return None
    return [words for words in commands if words]


def _take_variables(script: _Script, number: int, words: list[str]) -> list[str]:
    """Record what a command exports, and return the words that do something else."""
    if words[0] in _KEYWORDS and len(words) > 1:
        return [words[0], *_take_variables(script, number, words[1:])]
    if words[0] == "unset":
        script.variables.update((name, (None, number)) for name in words[1:] if not name.startswith("-"))
        return []
    exported = words[0] == "export" or words[:2] == ["declare", "-x"]
    values = words[1 if words[0] == "export" else 2 :] if exported else _leading(words)
    assigned = [match for word in values if (match := _ASSIGNMENT.fullmatch(word))]
    if len(assigned) < len(values) or not values or len(values) == len(words):
        return words
    script.variables.update((match[1], (_value(match[1], match[2]), number)) for match in assigned)
    return [] if exported else words[len(values) :]


def _leading(words: list[str]) -> list[str]:
    """The assignments before a command: they are set for that command alone."""
    start = 1 if words[0] == "env" else 0
    end = start
    while end < len(words) and _ASSIGNMENT.fullmatch(words[end]):
        end += 1
    return words[start:end] if end < len(words) else []


def _value(name: str, text: str) -> str:
    default = _DEFAULT.fullmatch(text)
    return default[2] if default and default[1] == name else text
