"""Rules for the values that have a shape of their own: a config in the tree, placements, mixes of data sets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vlac.spec import paths
from vlac.spec.source import ListNode, MappingNode, ScalarNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vlac.diagnostics import Diagnostic
    from vlac.spec.layers import Leaf

_SPAN = r"(?:0|[1-9][0-9]*)(?:-(?:0|[1-9][0-9]*))?"
_RANKS = re.compile(rf"(?:all|{_SPAN})(?::{_SPAN})?(?:,{_SPAN}(?::{_SPAN})?)*")
_COMPONENTS = re.compile(r"[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*")


def is_placement(components: str, ranks: str) -> bool:
    """Whether a text names components, and another where their ranks run."""
    return _COMPONENTS.fullmatch(components) is not None and _RANKS.fullmatch(ranks) is not None


def broken_shapes(leaf: Leaf) -> Iterator[Diagnostic]:
    """Everything that is wrong with the shape of a value whose type is right."""
    assert leaf.field is not None
    rule = _RULES.get(leaf.field.type)
    if rule is not None:
        yield from rule(leaf)


def _file_in_tree(leaf: Leaf) -> Iterator[Diagnostic]:
    node = leaf.value
    if not isinstance(node, ScalarNode):
        return
    hint = f"for example `base: {leaf.field.example}`" if leaf.field else None
    if node.text.startswith("/") or "$" in node.text or "~" in node.text:
        yield node.diagnostic(
            "spec-path", "`base` is relative to `rlinf.path`, the RLinf checkout", hint=hint
        )
    elif ".." in node.text.split("/"):
        yield node.diagnostic("spec-path", "`base` leads out of the RLinf checkout", hint=hint)
    elif not node.text.endswith(".yaml"):
        yield node.diagnostic("spec-path", "`base` names a config, which ends in `.yaml`", hint=hint)


def _placement(leaf: Leaf) -> Iterator[Diagnostic]:
    if not leaf.is_entry or not isinstance(leaf.value, ScalarNode):
        return
    if not _COMPONENTS.fullmatch(leaf.path[-1]):
        hint = 'components with commas between them: `"env,rollout"`'
        yield leaf.key.diagnostic("spec-placement", f"`{leaf.path[-1]}` names no components", hint=hint)
    if not _RANKS.fullmatch(leaf.value.text):
        hint = "write `0-7`, `0-3,6`, one number, `all`, or `ranks:processes`"
        yield leaf.value.diagnostic("spec-placement", f"`{leaf.value.text}` are no ranks", hint=hint)


def _mix(leaf: Leaf) -> Iterator[Diagnostic]:
    if not isinstance(leaf.value, ListNode):
        return
    for item in leaf.value.items:
        node = item.entries.get("path") if isinstance(item, MappingNode) else None
        if node is None or not isinstance(node[1], ScalarNode):
            continue
        complaint = paths.complaint(node[1].text, hub=True)
        if complaint is not None:
            code, message, hint = complaint
            yield node[1].diagnostic(code, message, hint=hint)


_RULES: dict[str, Callable[[Leaf], Iterator[Diagnostic]]] = {
    "file_in_tree": _file_in_tree,
    "placement": _placement,
    "mix": _mix,
}
