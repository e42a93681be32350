"""A report on patched files, for people and for programs."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from vlac.patching.work import interrupted_hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vlac.patching.work import FileReport, Report

_TITLES = {"rlinf": "RLinf", "openpi": "openpi"}


def to_text(report: Report, notes: Sequence[str] = ()) -> str:
    """The report as a table, a tree at a time."""
    trees = groupby(report.files, key=lambda file: (file.project, file.folder))
    lines = [line for tree, files in trees for line in _tree(*tree, tuple(files))]
    lines += [f"interrupted: {folder}: {interrupted_hint(folder)}" for folder in report.interrupted]
    return "".join(f"{line}\n" for line in (*lines, *notes))


def to_json(report: Report, notes: Sequence[str] = ()) -> dict[str, object]:
    """The report as JSON objects."""
    return {
        "applied": report.is_applied,
        "files": [asdict(file) for file in report.files],
        "interrupted": list(report.interrupted),
        "notes": list(notes),
    }


def _tree(project: str, folder: str, files: Sequence[FileReport]) -> Iterator[str]:
    yield f"{_TITLES[project]} at {folder}"
    width = max(len(file.patch) for file in files)
    for file in files:
        detail = f": {file.detail}" if file.detail else ""
        yield f"  {file.patch:<{width}}  {file.done or file.state:<14}  {file.path}{detail}"
        yield from (f"    {line}" for line in file.lines)
