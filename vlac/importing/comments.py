"""The comments of a config by the key that they stand at: those above its line, and the one at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from vlac.rlinf.templates import Key


@dataclass(frozen=True, slots=True)
class Comment:
    """What a person wrote at a key, each line with its `#`: the lines right above it, and what follows on its own."""

    above: tuple[str, ...] = ()
    beside: str = ""


def comments_of(text: str) -> Mapping[Key, Comment]:
    """The comments at each key of a config, sections included; `text` is YAML that can be read."""
    import yaml

    lines = text.splitlines()
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return {path: comment for path, comment in _walk(root, (), lines) if comment != Comment()}


def joined(comments: Sequence[Comment]) -> Comment:
    """The comments of several keys that become one line; what is said twice is kept once."""
    above = dict.fromkeys(line for comment in comments for line in comment.above)
    beside = dict.fromkeys(comment.beside for comment in comments if comment.beside)
    return Comment(tuple(above), " ".join(beside))


def _walk(node: Any, above: Key, lines: Sequence[str]) -> Iterator[tuple[Key, Comment]]:  # noqa: ANN401 - PyYAML has no types
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        path = (*above, str(key.value))
        if not node.flow_style:
            yield path, Comment(_above(key.start_mark.line, lines), _beside(key, value, lines))
        yield from _walk(value, path, lines)


def _above(line: int, lines: Sequence[str]) -> tuple[str, ...]:
    first = line
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return tuple(text.strip() for text in lines[first:line])


def _beside(key: Any, value: Any, lines: Sequence[str]) -> str:  # noqa: ANN401 - PyYAML has no types
    """What follows the value, or the colon where the value begins on a later line."""
    line = key.start_mark.line
    if value.start_mark.line > line:
        rest = lines[line][key.end_mark.column :].lstrip().removeprefix(":")
    elif value.end_mark.line == line:
        rest = lines[line][value.end_mark.column :]
    else:
        return ""  # a text or list over several lines
    rest = rest.strip()
    return rest if rest.startswith("#") else ""
