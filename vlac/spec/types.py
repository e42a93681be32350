"""The types of fields: what a person is told to write, and the value that a node becomes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vlac.spec.paths import run_side_path
from vlac.spec.source import ListNode, MappingNode, ScalarNode, plain_value

if TYPE_CHECKING:
    from vlac.plan.origins import Value
    from vlac.spec.fields import Field
    from vlac.spec.source import AnyNode

WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "choice": "one of",
    "name": "a name",
    "text": "a text",
    "path": "a path",
    "version": "a version",
    "files": "a path or a list of paths",
    "dataset": "a path, a hub id, or a list of them",
    "betas": "a list of two numbers",
    "steps_or_never": "a whole number",
    "loggers": "a list of",
    "patches": "a list of patch ids",
    "options": "a mapping",
    "overrides": "a mapping of RLinf keys to values",
    "environment": "a mapping of variable names to values",
    "secrets": "a list of variable names",
    "file_in_tree": "a path in the RLinf tree",
    "mix": "a list of `{path, weight, config}`",
    "placement": "a mapping of components to ranks",
    "versions": "a mapping of components to versions",
    "free": "a mapping or a list",
}
"""Every type, as in "takes ..."."""

MAPPINGS = frozenset(("options", "overrides", "environment", "placement", "versions"))
"""Types whose entries a person names; they merge by key where a spec extends another."""

_DIGITS = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_SOURCE_TEXT = frozenset(("version",))
_PATHS = frozenset(("path", "dataset"))
_FLOATS = frozenset(("number", "betas"))
_INTEGERS = frozenset(("integer", "steps_or_never"))


def takes(field: Field) -> str:
    """What the field takes: "a whole number of at least 1"."""
    words = WORDS[field.type]
    if field.choices:
        listed = " or ".join(f"`{choice}`" for choice in field.choices)
        words = f"a list of {listed}" if field.type == "loggers" else listed
    return words + _bounds(field) + (" or `never`" if field.type == "steps_or_never" else "")


def _bounds(field: Field) -> str:
    limits = [
        f"{words} {limit:g}"
        for words, limit in (
            ("of at least", field.minimum),
            ("above", field.above),
            ("of at most", field.maximum),
            ("below", field.below),
        )
        if limit is not None
    ]
    return " " + " and ".join(limits) if limits else ""


def described(node: AnyNode) -> str:
    """What the node is, for "..., not ...". Long texts are cut."""
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, ListNode):
        return f"a list of {len(node.items)}" if node.items else "an empty list"
    if isinstance(node.value, str):
        return f"the text `{_short(node.text)}`" if node.text else "an empty text"
    return "null" if node.value is None else f"`{_short(node.text)}`"


def _short(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if line == text and len(text) <= 40 else line[:40] + "..."


def field_value(field: Field, node: AnyNode) -> Value:
    """The value of a node for a field, still unchecked: the model says whether it fits."""
    if field.type in MAPPINGS and isinstance(node, MappingNode):
        return {key: entry_value(field, value) for key, (_, value) in node.entries.items()}
    if isinstance(node, ListNode):
        item_value = _mix_item if field.type == "mix" else _scalar_value
        return tuple(item_value(field, item) for item in node.items)
    return _scalar_value(field, node)


def _mix_item(_field: Field, node: AnyNode) -> Value:
    """One data set of a mix: its path as every path of the spec, its weight as a float."""
    if not isinstance(node, MappingNode):
        return plain_value(node)
    return {key: _mix_value(key, value) for key, (_, value) in node.entries.items()}


def _mix_value(key: str, node: AnyNode) -> Value:
    if not isinstance(node, ScalarNode):
        return plain_value(node)
    if key == "path" and isinstance(node.value, str):
        return run_side_path(node.value, node.source.folder)
    return float(node.value) if key == "weight" and type(node.value) is int else node.value


def entry_value(field: Field, node: AnyNode) -> Value:
    """The value of an entry of a free mapping; variables and ranks are taken as the source writes them."""
    if (
        field.type not in ("environment", "placement", "versions")
        or not isinstance(node, ScalarNode)
        or node.value is None
    ):
        return plain_value(node)
    return node.text


def _scalar_value(field: Field, node: AnyNode) -> Value:
    if not isinstance(node, ScalarNode) or node.value is None:
        return plain_value(node)
    if field.type in _SOURCE_TEXT:
        return node.text
    if field.type in _PATHS and isinstance(node.value, str):
        return run_side_path(node.value, node.source.folder)
    if field.type in _FLOATS and type(node.value) is int:
        return float(node.value)
    if field.type in _INTEGERS and not isinstance(node.value, str) and not _DIGITS.fullmatch(node.text):
        return node.text  # octal, hexadecimal, `+1`, `01`, `1.0`, `true`: digits alone are asked for
    return node.value
