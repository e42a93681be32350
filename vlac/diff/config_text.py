"""Change a config file key by key, leaving every other character as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vlac.rlinf.yaml_scalars import scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.nodes import MappingNode, Node

    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key


class CannotEditError(Exception):
    """The file is written in a way that cannot be changed key by key."""


def with_value(text: str, key: Key, value: Value) -> str:
    """The file with one key set. Raises CannotEditError where a section of it is no block of lines."""
    root = _root(text)
    pair, missing = _find(root, key)
    if not missing and pair:
        return _replaced(text, *pair, _flow(value))
    return _inserted(text, pair[1] if pair else root, missing, value)


def without(text: str, key: Key) -> str:
    """The file without one key. Raises CannotEditError where the key does not stand in lines of its own."""
    pair, missing = _find(_root(text), key)
    if missing or pair is None:
        raise CannotEditError(".".join(key))
    lines = text.split("\n")
    start, end = pair[0].start_mark.line, _last_line(lines, *pair)
    if lines[start][: pair[0].start_mark.column].strip():
        raise CannotEditError(".".join(key))
    return "\n".join([*lines[:start], *lines[end + 1 :]])


def _root(text: str) -> MappingNode:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import MappingNode

    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as problem:
        raise CannotEditError(str(problem)) from None
    if not isinstance(root, MappingNode):
        raise CannotEditError("no mapping")
    return root


def _find(root: MappingNode, key: Key) -> tuple[tuple[Node, Node] | None, Key]:
    """The longest part of a key that the file has, as its pair of nodes, and the rest of the key."""
    from ruamel.yaml.nodes import MappingNode

    pair: tuple[Node, Node] | None = None
    node: Node = root
    for depth, part in enumerate(key):
        found = None
        if isinstance(node, MappingNode):
            found = next(((name, value) for name, value in node.value if str(name.value) == part), None)
        if found is None:
            return pair, key[depth:]
        pair, node = found, found[1]
    return pair, ()


def _replaced(text: str, name: Node, value: Node, new: str) -> str:
    lines = text.split("\n")
    if _is_empty(value):
        line, colon = lines[name.start_mark.line], name.end_mark.column
        colon = line.index(":", colon) + 1
        lines[name.start_mark.line] = f"{line[:colon]} {new}{line[colon:]}"
        return "\n".join(lines)
    start, end = value.start_mark, value.end_mark
    if start.line > name.start_mark.line:  # a block below the key
        colon = lines[name.start_mark.line].rstrip()
        return "\n".join(
            [
                *lines[: name.start_mark.line],
                f"{colon} {new}",
                *lines[_last_line(lines, name, value) + 1 :],
            ]
        )
    if start.line != end.line:
        raise CannotEditError("a value over several lines")
    line = lines[start.line]
    before = line[: start.column]
    gap = "" if before.endswith(" ") else " "
    lines[start.line] = f"{before}{gap}{new}{line[end.column :]}"
    return "\n".join(lines)


def _inserted(text: str, section: Node, rest: Key, value: Value) -> str:
    """The file with a new key: before the first of its section, at the end where it is a section of its own."""
    from ruamel.yaml.nodes import MappingNode

    if not isinstance(section, MappingNode) or not section.value or section.flow_style:
        raise CannotEditError(".".join(rest))
    first = section.value[0][0].start_mark
    block = list(_block(rest, value, first.column))
    lines = text.split("\n")
    if first.column == 0:
        kept = text.rstrip("\n").split("\n")
        return "\n".join([*kept, "", *block, ""])
    return "\n".join([*lines[: first.line], *block, *lines[first.line :]])


def _block(rest: Key, value: Value, indent: int) -> Iterator[str]:
    for depth, part in enumerate(rest):
        last = depth == len(rest) - 1
        yield f"{' ' * (indent + 2 * depth)}{scalar(part)}:{f' {_flow(value)}' if last else ''}"


def _last_line(lines: list[str], name: Node, value: Node) -> int:
    """The last line of a pair; comments and blank lines after a block belong to what follows."""
    end = value.end_mark
    if _is_empty(value):
        return int(name.start_mark.line)
    if value.start_mark.line == end.line:
        return max(int(name.start_mark.line), int(end.line))
    last = int(end.line) if end.column and lines[end.line][: end.column].strip() else int(end.line) - 1
    while last > value.start_mark.line and (not lines[last].strip() or lines[last].lstrip().startswith("#")):
        last -= 1
    return last


def _is_empty(value: Node) -> bool:
    """Whether nothing stands after the colon; such a node's marks are somewhere below it."""
    return value.value == "" and not getattr(value, "style", None)


def _flow(value: Value) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_quoted(name)}: {_flow(item)}' for name, item in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_quoted(i) if isinstance(i, str) else _flow(i) for i in value)}]"
    return scalar(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
