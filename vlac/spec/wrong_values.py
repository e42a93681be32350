"""The one message for a value that does not fit its field: what it takes, what is there, what to write."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from vlac.spec.fields import FIELDS
from vlac.spec.foreign_words import SIMULATOR_KEYS
from vlac.spec.source import MappingNode, ScalarNode
from vlac.spec.types import described, takes

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.spec.fields import Field
    from vlac.spec.layers import Leaf
    from vlac.spec.source import AnyNode

_TRUE = frozenset(("yes", "on", "y", "1"))
_FALSE = frozenset(("no", "off", "n", "0"))
_LISTS = frozenset(("loggers", "secrets", "patches", "betas"))


def wrong_value(row: Field, node: AnyNode) -> Diagnostic:
    """The diagnostic for a value of a known field that the model refuses."""
    if row.type == "secrets":
        node.source.hide(node.line, node.last_line)  # somebody may have put the value here
        hint = "list names, [NAME, NAME]; the values stay in the shell"
        return node.diagnostic("spec-type", "`secrets` takes a list of variable names", hint=hint)
    if row.type in _LISTS and isinstance(node, ScalarNode):
        return _wrong_in_list(row, node)
    message = f"`{row.path}` takes {takes(row)}, not {described(node)}"
    return node.diagnostic(_code(row, node), message, hint=_instead(row, node))


def not_a_section(leaf: Leaf) -> Diagnostic:
    """The diagnostic for a section that holds no mapping."""
    keys = ", ".join(row.key for row in FIELDS if row.section == leaf.dotted and not row.later)
    message = f"`{leaf.dotted}` is a section, not {described(leaf.value)}"
    hint = f"write `{leaf.path[-1]}: {{key: value}}`; it has: {keys}"
    return leaf.value.diagnostic("spec-type", message, hint=hint)


def special_shape(leaf: Leaf) -> Diagnostic | None:
    """Shapes that deserve better words than "takes a list"."""
    assert leaf.field is not None
    if leaf.field.path == "secrets" and isinstance(leaf.value, MappingNode):
        hint = "write the names alone, [NAME, NAME]; the values stay in the shell"
        return leaf.key.diagnostic("spec-secrets-mapping", "`secrets` lists names, never values", hint=hint)
    if leaf.field.path != "env" or not leaf.is_entry or isinstance(leaf.value, ScalarNode):
        return None
    if leaf.path[-1] in SIMULATOR_KEYS:
        hint = "RLinf's `env` is the simulator; it has no field yet. Here `env` holds variables"
        return leaf.key.diagnostic("spec-env-simulator", f"`{leaf.path[-1]}` is not a variable", hint=hint)
    message = f"variable `{leaf.path[-1]}` takes a text or a number, not {described(leaf.value)}"
    return leaf.value.diagnostic("spec-type", message, hint="put the whole value in quotes")


def _wrong_in_list(row: Field, node: ScalarNode) -> Diagnostic:
    """A list field, or one item of it."""
    message = f"`{row.path}` takes {takes(row)}, not {described(node)}"
    near = _nearest(row, node)
    hint = f"for example `{row.key}: {row.example}`"
    if near is not None:
        hint = f"write `{row.key}: [{near}]`" if near == node.text else f"did you mean `{near}`?"
    return node.diagnostic(_code(row, node), message, hint=hint)


_NUMBERS = frozenset(("number", "betas"))
_INTEGERS = frozenset(("integer", "steps_or_never"))


def _code(row: Field, node: AnyNode) -> str:
    if not isinstance(node, ScalarNode):
        return "spec-type"
    kind = type(node.value)
    if row.choices and kind is str and row.type not in _INTEGERS:
        return "spec-choice"
    is_whole = row.type in _INTEGERS and kind is int and node.text.lstrip("-").isdigit()
    return "spec-range" if is_whole or (row.type in _NUMBERS and kind in (int, float)) else "spec-type"


def _instead(row: Field, node: AnyNode) -> str | None:
    """What to write, where that is clear; an example where it is not."""
    example = f"for example `{row.key}: {row.example}`"
    if not isinstance(node, ScalarNode):
        return example
    if row.type in ("integer", "steps_or_never"):
        return _whole_number(row, node) or example
    if row.type == "boolean":
        return _truth(node) or example
    if row.choices:
        near = _nearest(row, node)
        return f"did you mean `{near}`?" if near else example
    if row.type == "number":
        return _number(node) or example
    return f'write it in quotes: "{node.text}"' if _is_unquoted_scalar(node) else example


def _is_unquoted_scalar(node: ScalarNode) -> bool:
    return not node.quoted and node.text != "" and len(node.text) <= 40


def _whole_number(row: Field, node: ScalarNode) -> str | None:
    text = node.text.replace("_", "").replace(",", "").strip()
    if not _is_number(text) or abs(float(text)) > 1e15 or not float(text).is_integer():
        return None
    number = int(float(text))
    if str(number) == node.text and not node.quoted:
        return None
    return f"write `{row.key}: {number}`, digits alone"


def _number(node: ScalarNode) -> str | None:
    if isinstance(node.value, float) and not isfinite(node.value):
        return "infinity and not-a-number are no values for a field"
    return "write it without quotes" if node.quoted and _is_number(node.text) else None


def _truth(node: ScalarNode) -> str | None:
    word = node.text.lower()
    if word in _TRUE or word == "true":
        return "write true, without quotes"
    return "write false, without quotes" if word in _FALSE or word == "false" else None


def _nearest(row: Field, node: ScalarNode) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(node.text[:60].lower(), [str(choice) for choice in row.choices], 1, 0.6)
    return near[0] if near else None


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
