"""Look up the source patches that the spec lists, and say which of them cannot do anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.plan.problems import error, nearest, warning
from vlac.rlinf.source_patches import is_for, offered, reaches, unknown_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.adapters import SourcePatch
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan

_FIELD = "patches"


def patches(plan: RunPlan) -> RunPlan:
    """Fill `patches` with those that are listed, in the order in which they are offered."""
    ids = _listed(plan)
    if not ids:
        return plan
    known = {patch.id: patch for patch in offered(plan.adapter)}
    unknown = tuple(_unknown(plan, name, tuple(known)) for name in ids if name not in known)
    listed = tuple(patch for name, patch in known.items() if name in ids)
    idle = tuple(problem for patch in listed for problem in _idle(plan, patch))
    return replace(plan, patches=listed).with_diagnostics(*unknown, *idle)


def _listed(plan: RunPlan) -> tuple[str, ...]:
    value = plan.get(_FIELD)
    return tuple(str(name) for name in value) if isinstance(value, (list, tuple)) else ()


def _unknown(plan: RunPlan, name: str, known: tuple[str, ...]) -> Diagnostic:
    backend = plan.adapter.name or "none"
    message = f"RLinf {plan.version.name} on backend {backend} has no patch {name!r}"
    return error(plan.loaded, _FIELD, "spec-unknown-patch", message, nearest(name, known))


def _idle(plan: RunPlan, patch: SourcePatch) -> Iterator[Diagnostic]:
    if not is_for(patch, plan.version):
        message = f"{patch.id} is not made for RLinf {plan.version.name}"
        yield error(
            plan.loaded, _FIELD, "patch-tree", message, "leave it out, or take a version that it is for"
        )
    elif files := unknown_files(patch, plan.version):
        message = f"{patch.id} does not know these files of the tree as they are: {', '.join(files)}"
        hint = "`vlac patch SPEC status` shows what differs; it applies to files that are known, and to no others"
        yield warning(plan.loaded, _FIELD, "patch-tree", message, hint)
    elif not reaches(patch, plan.family.model_type):
        message = f"{patch.id} has no effect: it changes code of {', '.join(patch.models)} alone"
        yield warning(plan.loaded, _FIELD, "spec-field-ignored", message, "leave it out")
