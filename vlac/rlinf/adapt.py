"""Porting inside a compile: the keys of a base that the backend replaces, and what it says of the run that results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.origins import Layer, Origin, Setting
from vlac.plan.problems import error, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.plan.ir import RunPlan
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.port import Ported
    from vlac.rlinf.templates import Key
    from vlac.workloads import Replacement, Support


def adapted(plan: RunPlan) -> Iterator[tuple[Key, Setting]]:
    """The keys of the base that ask for what the backend cannot do, with what they become."""
    if plan.base is None:
        return
    from vlac.rlinf.port import port

    for key, rule in port(plan.base.values, plan.adapter, plan.version.name).replacements.items():
        reason = f"{plan.adapter.name}: {rule.why} ({rule.source})"
        yield key, Setting(rule.instead, Origin(Layer.ADAPTER, reason))


def judged(plan: RunPlan, leaves: Leaves) -> Iterator[Diagnostic]:
    """What the backend says of a run with a base, its overrides included; nothing where it has no opinion."""
    if plan.base is None or not plan.adapter.support:
        return
    from vlac.rlinf.port import port

    values = {key: setting.value for key, setting in leaves.items()}
    ported = port(values, plan.adapter, plan.version.name)
    for key, rule in ported.replacements.items():
        yield _asked_again(plan, key, leaves[key], rule)
    yield from _verdict(plan, ported)


def _asked_again(plan: RunPlan, key: Key, setting: Setting, rule: Replacement) -> Diagnostic:
    """A word that the backend refuses and an override brought back."""
    dotted = ".".join(key)
    message = f"{dotted}: {setting.value} does not work on backend {plan.adapter.name}: {rule.why}"
    hint = f"leave it out: it becomes {rule.instead}"
    written = {writing.position: writing for writing in plan.loaded.writings()}
    place = written.get(setting.origin.position) if setting.origin.position else None
    if place is None:
        return error(plan.loaded, "base", "backend-requires", message, hint)
    return Diagnostic("backend-requires", message, "error", place.position, hint, place.excerpt)


def _verdict(plan: RunPlan, ported: Ported) -> Iterator[Diagnostic]:
    assert plan.base is not None
    rows, backend = ported.judgement.rows, plan.adapter.name
    if ported.judgement.verdict == "refused":
        for row in rows:
            message = f"backend {backend} cannot run {plan.base.name}: {row.why}"
            yield error(plan.loaded, "base", "port-refused", message, _hint(row))
    elif ported.judgement.verdict == "warning":
        for row in rows:
            message = f"backend {backend} runs {plan.base.name}, with something to know: {row.why}"
            yield warning(plan.loaded, "base", "port-warning", message, _hint(row))
    elif ported.judgement.verdict == "unknown":
        why = "; ".join(row.why for row in rows) or "no source reports such a run"
        message = f"it is unknown whether backend {backend} runs {plan.base.name} ({ported.workload}): {why}"
        hint = "docs/ports.md lists what is known; try a few steps first"
        yield warning(plan.loaded, "base", "port-unknown", message, hint)


def _hint(row: Support) -> str:
    """What to do instead, if the row says so, and who says it."""
    return "; ".join(filter(None, (row.instead, f"source: {row.source}")))
