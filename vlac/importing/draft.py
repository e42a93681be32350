"""A spec that is being made, and its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.importing.comments import Comment
from vlac.importing.leaves import nested
from vlac.rlinf.yaml_scalars import scalar
from vlac.spec.fields import BY_PATH, FIELDS, SECTIONS
from vlac.spec.scalars import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.plan.origins import Value

_WIDTH = 110  # columns of a section in one line
_PLAIN = re.compile(r"[A-Za-z_/.+~][A-Za-z0-9_./+-]*|[1-9][0-9]*[A-Za-z][A-Za-z0-9-]*")
_WORDS_OF_YAML_1_1 = frozenset(("yes", "no", "on", "off", "y", "n"))  # texts here, but not to every editor


@dataclass(frozen=True, slots=True)
class Draft:
    """The fields of a spec by dotted path, its overrides by key, and the comments of both."""

    fields: Mapping[str, Value]
    overrides: Mapping[str, Value] = field(default_factory=dict)
    comments: Mapping[str, Comment] = field(default_factory=dict)

    def with_fields(self, fields: Mapping[str, Value]) -> Draft:
        """The draft with more fields."""
        return Draft({**self.fields, **fields}, self.overrides, self.comments)

    def without(self, paths: Sequence[str]) -> Draft:
        """The draft without some fields."""
        kept = {path: value for path, value in self.fields.items() if path not in paths}
        return Draft(kept, self.overrides, self.comments)

    def with_overrides(self, overrides: Mapping[str, Value]) -> Draft:
        """The draft with these overrides and no others."""
        return Draft(self.fields, overrides, self.comments)

    def with_comments(self, comments: Mapping[str, Comment]) -> Draft:
        """The draft with these comments, by field or by key of an override."""
        return Draft(self.fields, self.overrides, comments)


def text_of(draft: Draft) -> str:
    """The spec as YAML: its fields in the order of the documentation, a section a line, comments where they belong."""
    written = [path for path in (row.path for row in FIELDS) if path in draft.fields]
    lines: list[str] = []
    for top in dict.fromkeys(path.split(".")[0] for path in written):
        if top in SECTIONS:
            inside = [path for path in written if path.startswith(f"{top}.")]
            lines += _section(draft, top, inside)
        else:
            lines += _commented(f"{top}: {_field(draft, top)}", draft.comments.get(top), "")
    lines += _overrides(draft)
    return "".join(f"{line}\n" for line in lines)


def _section(draft: Draft, top: str, paths: Sequence[str]) -> Iterator[str]:
    """A section in one line; indented where a line would be long, or where somebody wrote comments."""
    values = nested({tuple(path.split(".")[1:]): draft.fields[path] for path in paths})
    line = f"{top}: {_flow(values)}"
    if len(line) <= _WIDTH and not any(path in draft.comments for path in paths):
        yield line
        return
    yield f"{top}:"
    opened = top
    for path in paths:
        section = BY_PATH[path].section
        if section != opened and section != top:
            yield f"{_indent(section)}{section.rpartition('.')[2]}:"
        opened = section
        entry = f"{BY_PATH[path].key}: {_field(draft, path)}"
        yield from _commented(entry, draft.comments.get(path), _indent(path))


def _indent(path: str) -> str:
    return "  " * path.count(".")


def _field(draft: Draft, path: str) -> str:
    return _flow(draft.fields[path])


def _overrides(draft: Draft) -> Iterator[str]:
    if not draft.overrides:
        return
    line = f"overrides: {_flow(draft.overrides)}"
    if len(line) <= _WIDTH and not any(key in draft.comments for key in draft.overrides):
        yield line
        return
    yield "overrides:"
    for key, value in draft.overrides.items():
        yield from _commented(f"{_text(key)}: {_flow(value)}", draft.comments.get(key), "  ")


def _commented(entry: str, comment: Comment | None, indent: str) -> Iterator[str]:
    comment = comment or Comment()
    yield from (f"{indent}{line}" for line in comment.above)
    yield f"{indent}{entry}" + (f"  {comment.beside}" if comment.beside else "")


def _flow(value: Value) -> str:
    """A value in one line that a spec reads as the same value with the same type."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _number(value) if isinstance(value, float) else scalar(value)


def _text(text: str) -> str:
    """Plain where every reader takes it for text, in double quotes otherwise."""
    plain = (
        _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML_1_1 and isinstance(resolve(text), str)
    )
    return text if plain else '"' + "".join(map(_quoted, text)) + '"'


def _quoted(character: str) -> str:
    if character in ('"', "\\"):
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _number(number: float) -> str:
    """As people write it: 2.5e-5, not 2.5e-05."""
    return re.sub(r"e([+-])0+(?=\d)", r"e\1", repr(number)).replace("e+", "e")
