"""Rules for the texts of one field: names, paths, variables, keys of overrides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vlac.spec import paths
from vlac.spec.source import ListNode, ScalarNode, is_null

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vlac.diagnostics import Diagnostic
    from vlac.spec.layers import Leaf
    from vlac.spec.source import AnyNode

_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_RESUME = re.compile(r".*/global_step_[0-9]+", re.DOTALL)  # RLinf reads the number up to the very end
# Those that are read-only, and the one that splits words (bash 5.2 manual, shell variables).
_OF_BASH = frozenset(("BASHOPTS", "BASH_VERSINFO", "EUID", "IFS", "PPID", "SHELLOPTS", "UID"))
_VERSION = re.compile(r"[0-9][0-9A-Za-z]*([.+-][0-9A-Za-z]+)*", re.ASCII)
_CONTROL = re.compile("[\x00-\x1f\x7f]")


def is_name(text: str) -> bool:
    """Whether a text can name a run."""
    return _NAME.fullmatch(text) is not None and ".." not in text


def is_plain_text(text: str) -> bool:
    """Whether a text is one line that RLinf takes as it is."""
    return bool(text) and not _CONTROL.search(text) and "${" not in text


def is_resume_folder(text: str) -> bool:
    """Whether a path ends in `global_step_N`."""
    return _RESUME.fullmatch(text) is not None


def broken_text_rules(leaf: Leaf) -> Iterator[Diagnostic]:
    """Everything that is wrong with the texts of a value whose type is right."""
    assert leaf.field is not None
    rule = _RULES.get(leaf.field.type)
    if rule is not None:
        yield from rule(leaf)


def _scalars(node: AnyNode) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, ListNode):
        yield from (item for item in node.items if isinstance(item, ScalarNode))


def _name(leaf: Leaf) -> Iterator[Diagnostic]:
    for node in _scalars(leaf.value):
        if not is_name(node.text):
            hint = "letters or digits first, then also `.`, `_` and `-`; at most 64 characters, no `..`"
            yield node.diagnostic("spec-name", f"`{node.text[:70]}` cannot name a run", hint=hint)


def _text(leaf: Leaf) -> Iterator[Diagnostic]:
    assert leaf.field is not None
    for node in _scalars(leaf.value):
        if _CONTROL.search(node.text):
            message = f"`{leaf.field.path}` holds a line break or a control character"
            yield node.diagnostic("spec-text", message, hint="write one line")
        elif "${" in node.text:
            yield _interpolated(node)


def _interpolated(node: ScalarNode) -> Diagnostic:
    message = "RLinf would take `${` for an interpolation, which only a value in `overrides` can be"
    return node.diagnostic("spec-text", message, hint="write the value itself")


def _options(leaf: Leaf) -> Iterator[Diagnostic]:
    for node in _all_scalars(leaf.value):
        if "${" in paths.after_variable(node.text):  # an option may be a path
            yield _interpolated(node)


def _all_scalars(node: AnyNode) -> Iterator[ScalarNode]:
    """Every scalar of a value, at any depth; the keys of mappings too."""
    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, ListNode):
        yield from (scalar for item in node.items for scalar in _all_scalars(item))
    else:
        yield from (
            scalar for pair in node.entries.values() for part in pair for scalar in _all_scalars(part)
        )


def _path(leaf: Leaf) -> Iterator[Diagnostic]:
    assert leaf.field is not None
    for node in _scalars(leaf.value):
        complaint = paths.complaint(node.text, hub=leaf.field.type == "dataset")
        if complaint is not None:
            code, message, hint = complaint
            yield node.diagnostic(code, message, hint=hint)
        elif leaf.field.path == "checkpoints.resume" and not is_resume_folder(node.text):
            hint = "name the folder of one checkpoint: .../checkpoints/global_step_2000"
            yield node.diagnostic("spec-resume", "the path does not end in `global_step_N`", hint=hint)


def _reserved(node: ScalarNode) -> Diagnostic | None:
    """Whether bash, launch.sh or vlac owns a variable of this name."""
    if node.text in _OF_BASH:
        reason = "bash needs it as it is"
    elif node.text.startswith(("_", "VLAC_")):
        reason = "names that begin with `_` or `VLAC_` are those of launch.sh and vlac"
    else:
        return None
    hint = "leave it out, or choose another name"
    return node.diagnostic("spec-variable-reserved", f"no spec sets `{node.text[:60]}`: {reason}", hint=hint)


def _environment(leaf: Leaf) -> Iterator[Diagnostic]:
    name = leaf.path[-1]
    if not leaf.is_entry:
        return
    if not _VARIABLE.fullmatch(name):
        hint = "letters, digits and `_`, no digit first"
        yield leaf.key.diagnostic("spec-variable-name", f"`{name[:60]}` cannot name a variable", hint=hint)
    elif (reserved := _reserved(leaf.key)) is not None:
        yield reserved
    elif isinstance(leaf.value, ScalarNode) and "\0" in leaf.value.text:
        yield leaf.value.diagnostic("spec-text", f"variable `{name}` holds a NUL, which no variable can")
    elif name.isupper() and not is_null(leaf.value):
        yield from _looks_secret(leaf)


def _looks_secret(leaf: Leaf) -> Iterator[Diagnostic]:
    from vlac.spec.secrecy import is_secret_name

    name = leaf.path[-1]
    if not is_secret_name(name):
        return
    message = f"`{name}` looks like a secret, and `env` values are written into the bundle"
    hint = f"write `secrets: [{name}]` and set it in the shell; a name without a secret is fine"
    yield leaf.key.diagnostic("spec-secret-in-env", message, hint=hint, severity="warning")


def _versions(leaf: Leaf) -> Iterator[Diagnostic]:
    if leaf.is_entry and isinstance(leaf.value, ScalarNode) and not _VERSION.fullmatch(leaf.value.text):
        message = f"`{leaf.value.text[:60]}` is no version of {leaf.path[-1]}"
        yield leaf.value.diagnostic("stack-version", message, hint="as 8.3, 8.3.RC1 or 2.7.1.post2")


def _secrets(leaf: Leaf) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for node in _scalars(leaf.value):
        if not _VARIABLE.fullmatch(node.text):
            node.source.hide(node.line, node.last_line)  # somebody may have put the value here
            hint = "names alone: letters, digits and `_`, no digit first"
            yield node.diagnostic("spec-variable-name", "this is not the name of a variable", hint=hint)
        elif (reserved := _reserved(node)) is not None:
            yield reserved
        elif node.text in seen:
            yield node.diagnostic("spec-twice", f"`{node.text}` is listed twice", hint="keep one of them")
        seen.add(node.text)


def _patches(leaf: Leaf) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for node in _scalars(leaf.value):
        if node.text in seen:
            yield node.diagnostic("spec-twice", f"`{node.text}` is listed twice", hint="keep one of them")
        seen.add(node.text)


def _loggers(leaf: Leaf) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for node in _scalars(leaf.value):
        if node.text in seen:
            yield node.diagnostic("spec-twice", f"`{node.text}` is listed twice", hint="keep one of them")
        seen.add(node.text)


def _override(leaf: Leaf) -> Iterator[Diagnostic]:
    if not leaf.is_entry:
        return
    from vlac.spec.override_keys import OverrideKeyError, parse_override_key

    try:
        key = parse_override_key(leaf.path[-1])
    except OverrideKeyError as error:
        yield leaf.key.diagnostic("spec-override-key", error.message, hint=error.hint)
        return
    if key.operation == "delete" and not is_null(leaf.value):
        hint = f"write `{leaf.path[-1]}: null`"
        yield leaf.value.diagnostic(
            "spec-override-key", "a key with `~` is deleted and takes null", hint=hint
        )


_RULES: dict[str, Callable[[Leaf], Iterator[Diagnostic]]] = {
    "name": _name,
    "text": _text,
    "version": _text,
    "path": _path,
    "dataset": _path,
    "environment": _environment,
    "versions": _versions,
    "options": _options,
    "secrets": _secrets,
    "patches": _patches,
    "loggers": _loggers,
    "overrides": _override,
}
