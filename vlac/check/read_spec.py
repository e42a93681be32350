"""A vlac spec as a subject: compiled in memory, each key with the place in the spec or the tree that decided it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.check.marks import Files
from vlac.check.read_config import shown
from vlac.check.subject import Place, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.diagnostics import Diagnostic, Position
    from vlac.plan.ir import RunPlan
    from vlac.rlinf.templates import Key


def subject_of(bundle: Bundle, path: Path) -> Subject:
    """The compiled configuration of the spec at `path`."""
    plan = bundle.plan
    base = plan.base
    return Subject(
        str(path),
        bundle.config,
        {**_of_base(plan, path), **_of_spec(bundle, path)},
        base.name if base else "",
        _accelerators(plan),
    )


def as_typed(diagnostics: Iterable[Diagnostic], path: Path) -> list[Diagnostic]:
    """What a compile told, whose files are relative to the spec's folder, with the files as the user types them."""
    return [
        replace(diagnostic, position=_typed(diagnostic.position, path)) if diagnostic.position else diagnostic
        for diagnostic in diagnostics
    ]


def _typed(position: Position, path: Path) -> Position:
    if position.file.startswith("--"):
        return position
    return replace(position, file=os.path.join(os.path.dirname(str(path)), position.file))  # noqa: PTH118, PTH120  (pathlib would rewrite what was typed)


def _of_spec(bundle: Bundle, path: Path) -> dict[Key, Place]:
    """The places of what the user wrote."""
    excerpts = {written.position: written.excerpt for written in bundle.plan.loaded.writings()}
    return {
        key: Place(_typed(setting.origin.position, path), excerpts.get(setting.origin.position))
        for key, setting in bundle.config.items()
        if setting.origin.position is not None
    }


def _of_base(plan: RunPlan, path: Path) -> dict[Key, Place]:
    """The places of what the base says."""
    if plan.base is None:
        return {}
    files, found, composition = Files(), {}, plan.base.composition
    for key, leaf in composition.leaves.items():
        if leaf.file is not None and leaf.line is not None:
            file = composition.layout.tree / leaf.file
            place = files.place(file, shown(file, path), leaf.line, key[-1])
            if place is not None:
                found[key] = place
    return found


def _accelerators(plan: RunPlan) -> int | None:
    """The accelerators of the cluster, None where the backend has none or the spec does not count them."""
    cards, nodes = plan.get("hardware.cards"), plan.get("hardware.nodes")
    if plan.adapter.placement == "processes" or not plan.is_written("hardware.cards"):
        return None
    if not isinstance(cards, int) or not isinstance(nodes, int):
        return None
    return cards * nodes * (plan.device.ranks_per_card if plan.device else 1)
