"""Whether the trees that a run uses have the source patches that its spec lists."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.patching.places import find_root
from vlac.patching.work import Job, status
from vlac.rlinf.source_patches import rlinf_variant, trees_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.adapters import SourcePatch
    from vlac.patching.places import Project, Root
    from vlac.patching.work import Report
    from vlac.plan.ir import RunPlan
    from vlac.run.launch import Launch

_FIND = """
import importlib.util, json, sys
specs = {name: importlib.util.find_spec(name) for name in sys.argv[1:]}
json.dump({name: list(spec.submodule_search_locations) for name, spec in specs.items() if spec}, sys.stdout)
"""


def unpatched(launch: Launch) -> Iterator[str]:
    """What keeps the run from being the one that the spec describes, a sentence for each patch; nothing is written."""
    patches = launch.plan.patches
    if not patches:
        return
    try:
        roots = tuple(_roots(launch, patches))
        report = status(Job(patches, roots, trees_of(launch.plan.version)))
    except RefusedError as problem:
        yield f"the patches {', '.join(patch.id for patch in patches)} cannot be looked for: {problem.message}"
        return
    yield from _told(report, roots)


def patched_files(plan: RunPlan) -> frozenset[str]:
    """RLinf's files that the listed patches change; a run does not start before they are as the patches say."""
    variants = (rlinf_variant(patch, plan.version) for patch in plan.patches)
    return frozenset(file.path for variant in variants if variant for file in variant.files)


def _told(report: Report, roots: tuple[Root, ...]) -> Iterator[str]:
    where = "".join(f" --{root.project} {root.folder}" for root in roots)
    how = f"`vlac patch SPEC apply{where}`"
    for folder in report.interrupted:
        yield f"a change of {folder} was interrupted: {how}"
    for patch in dict.fromkeys(file.patch for file in report.files):
        files = [file for file in report.files if file.patch == patch and file.state != "applied"]
        if files:
            named = ", ".join(f"{file.path} ({file.detail or file.state})" for file in files)
            yield f"the patch {patch} is not there: {named}: {how}"


def _roots(launch: Launch, patches: tuple[SourcePatch, ...]) -> Iterator[Root]:
    projects = {variant.project for patch in patches for variant in patch.variants}
    found = _packages(launch.python, projects)
    if launch.checkout:
        found["rlinf"] = launch.checkout
    for project in sorted(projects, reverse=True):
        if project not in found:
            raise RefusedError(f"{launch.python} finds no package {project}")
        yield find_root(project, found[project])


def _packages(python: str, projects: set[Project]) -> dict[Project, Path]:
    """The folders that hold the packages for an interpreter; nothing is imported. Empty where it does not answer."""
    try:
        answer = subprocess.run(
            [python, "-c", _FIND, *projects], capture_output=True, text=True, timeout=60, check=True
        )
        located: dict[Project, list[str]] = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}
    return {project: Path(folders[0]).parent for project, folders in located.items() if folders}
