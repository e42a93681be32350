"""What is wrong with overrides once all of them are applied: values, interpolations, dead keys, secrets, fields."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.origins import Layer
from vlac.rlinf.config_yaml import check, check_key
from vlac.rlinf.interpolation import missing, returns
from vlac.rlinf.lower import field_of
from vlac.rlinf.value_types import is_interpolation
from vlac.spec.secrecy import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting, Value
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.templates import Key
    from vlac.spec.loaded import Written

_OF_THE_BASE = ("name", "model.family", "hardware.cards")
"""Fields that set no key beside a base: its bundle's name, and what others follow from once it is written."""


def owned_by_fields(plan: RunPlan, leaves: Leaves, owned: Mapping[Key, Written]) -> Iterator[Diagnostic]:
    """Beside a base: refuse overridden keys whose fields could say the same, warn of the others."""
    unable = {path for path in _OF_THE_BASE if path == "name" or not plan.is_written(path)}
    unable |= {refusal.field for refusal in plan.family.refused}
    for path, written in owned.items():
        owner = field_of(path)
        message = f"{dotted(path)} is set by the spec field {owner}"
        if owner is not None and owner not in unable and _says(owner, path, plan, leaves):
            yield _at(written, "override-of-field", message, f"write {owner}")
        else:
            message += ", which cannot hold this value: it stands as written"
            yield replace(_at(written, "override-beside-field", message, None), severity="warning")


def _says(field: str, key: Key, plan: RunPlan, leaves: Leaves) -> bool:
    """Whether a field could have said what is at a key: the configuration expresses it, and not without this key."""
    from vlac.rlinf.lift import lift

    values = {name: setting.value for name, setting in leaves.items()}
    said = lift(values, plan.version).get(field)
    values.pop(key, None)
    return said is not None and said != lift(values, plan.version).get(field)


def broken_values(plan: RunPlan, leaves: Leaves, deleted: Mapping[Key, Written]) -> Iterator[Diagnostic]:
    """Refuse values that config.yaml cannot carry and interpolations that lead nowhere."""
    written = {writing.position: writing for writing in plan.loaded.writings()}
    for key, setting in leaves.items():
        position = setting.origin.position
        writing = written.get(position) if position else None
        uncarriable = next(filter(None, map(check_key, key)), None) or check(setting.value)
        if uncarriable:
            yield _at(writing, "value-uncarriable", f"{dotted(key)}: {uncarriable}", None)
        else:
            yield from _unresolved(plan, leaves, key, writing, deleted)


def _unresolved(
    plan: RunPlan, leaves: Leaves, key: Key, writing: Written | None, deleted: Mapping[Key, Written]
) -> Iterator[Diagnostic]:
    value = leaves[key].value
    absent = missing(key, value, leaves)
    if absent is not None:
        cause = next((deleted[path] for path in _heads(absent) if path in deleted), writing)
        if cause is None and plan.base is not None:
            return  # RLinf's own, which another file or its code may complete
        yield _at(cause, "override-unresolved", f"{dotted(key)}: nothing is at {dotted(absent)}", None)
    elif writing and returns(key, value, leaves):
        message = f"{dotted(key)}: the interpolation leads back to itself"
        yield _at(writing, "override-unresolved", message, None)


def doubts(plan: RunPlan, leaves: Leaves) -> Iterator[Diagnostic]:
    """Warn of overridden keys that nothing reads, and of values that look like secrets."""
    written = {writing.position: writing for writing in plan.loaded.writings()}
    for key, setting in leaves.items():
        if setting.origin.layer is Layer.OVERRIDE and (found := _doubt(plan, key, setting)):
            place = written[setting.origin.position] if setting.origin.position else None
            excerpt = place.excerpt if place else None
            yield replace(found, position=setting.origin.position, excerpt=excerpt)


def _doubt(plan: RunPlan, key: Key, setting: Setting) -> Diagnostic | None:
    return _secret(key, setting.value) or _dead(plan, key)


def _dead(plan: RunPlan, key: Key) -> Diagnostic | None:
    if plan.family.model_type != "openpi" or plan.task != "sft":
        return None  # what the demo's worker reads, or another task, is in no table
    if plan.version.tree is not None and plan.version.tree.is_own:
        return None  # nor is what a tree reads that nobody has seen
    from vlac.rlinf.known_reads import known_reads, why_unread

    if known_reads(plan.version.table).reads(key):
        return None
    why = why_unread(key)
    message = (
        f"nothing in RLinf {plan.version.name} reads {dotted(key)} on this path{': ' + why if why else ''}"
    )
    return Diagnostic("override-dead", message, "warning", hint="leave it out")


def _secret(key: Key, value: Value) -> Diagnostic | None:
    if value is None or is_interpolation(value) or not is_secret_name(key[-1]):
        return None
    message = f"{dotted(key)} looks like a secret: its value stands in config.yaml for all to read"
    return Diagnostic(
        "override-secret", message, "warning", hint="write ${oc.env:NAME}, and NAME under secrets"
    )


def dotted(path: Key) -> str:
    """A key as `overrides` writes it: `a."b.c"`."""
    return ".".join(f'"{part}"' if "." in part else part for part in path)


def _at(written: Written | None, code: str, message: str, hint: str | None) -> Diagnostic:
    position, excerpt = (written.position, written.excerpt) if written else (None, None)
    return Diagnostic(code, message, "error", position, hint, excerpt)


def _heads(path: Key) -> list[Key]:
    return [path[:size] for size in range(1, len(path) + 1)]
