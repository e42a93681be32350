"""The files of a data set: each is there, and whole as far as its ends tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.doctor import parquet
from vlac.doctor.finding import fail, ok, some, unchecked, warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from vlac.doctor.dataset import Dataset
    from vlac.doctor.finding import Finding

_VIDEOS_LOOKED_AT = 2000
"""Of more videos only so many, evenly, are opened; that they are there is looked at for all."""


def files(found: Dataset) -> Iterator[Finding]:
    """Data files and videos that the episodes name, and data files that nobody names."""
    named = sorted({episode.file for episode in found.episodes})
    broken = _complaints(found.root, named, parquet.complaint)
    yield from _told(found, "data files", named, broken)
    yield from _rows(found, [name for name in named if name not in broken])
    extra = sorted(_listed(found.root, "data") - set(named))
    if extra:
        message = f"{len(extra)} data files belong to no episode of meta/: {some(extra)}"
        fix = "LeRobot reads the whole folder: move them away, or add their episodes to meta/"
        yield warning("data", "doctor-data-files", message, fix)
    if found.videos:
        yield from _videos(found)


def _told(found: Dataset, what: str, named: Sequence[str], broken: dict[str, str]) -> Iterator[Finding]:
    for reason in sorted(set(broken.values())):
        names = [name for name, problem in broken.items() if problem == reason]
        message = f"{len(names)} of {len(named)} {what} are {reason}: {some(names, 3)}"
        if reason == "a Git LFS pointer":
            message = (
                f"{len(names)} of {len(named)} {what} are Git LFS pointers, not the files: {some(names, 3)}"
            )
        yield fail("data", "doctor-data-files", message, _cure(found, reason))
    if named and not broken:
        whole = " and whole at both ends" if what == "data files" else ""
        yield ok("data", f"{len(named):,} {what} are there{whole}")


def _cure(found: Dataset, reason: str) -> str:
    if reason == "a Git LFS pointer":
        return f"git -C {found.root} lfs pull"
    return "download these files again; an interrupted download or a full disk leaves this"


def _complaints(root: Path, names: Iterable[str], look: object) -> dict[str, str]:
    assert callable(look)
    return {name: problem for name in names if (problem := look(root / name)) is not None}


def _rows(found: Dataset, whole: list[str]) -> Iterator[Finding]:
    """The rows of v3.0 files, by their footers, against total_frames."""
    if not found.is_v3 or not whole:
        return
    try:
        rows = sum(parquet.row_count(found.root / name) for name in whole)
    except parquet.ParquetError as problem:
        yield fail("data", "doctor-data-files", f"a data file cannot be read: {problem}", _cure(found, ""))
        return
    if rows != found.frames:
        message = f"the data files hold {rows:,} rows, and meta/info.json says {found.frames:,} frames"
        yield fail("data", "doctor-data-counts", message, "convert or download the data set again")


def _videos(found: Dataset) -> Iterator[Finding]:
    if found.is_v3:
        named = sorted(_listed(found.root, "videos"))
        absent = [video for video in found.videos if not any(f"/{video}/" in f"/{name}" for name in named)]
        if absent:
            message = f"there are no videos of {', '.join(absent)}"
            yield fail("data", "doctor-data-files", message, "download the folder videos/ too")
    else:
        every = [e.index for e in found.episodes]
        named = [found.video_file(video, index) for video in found.videos for index in every]
    if not named:
        return
    here = _listed(found.root, "videos")
    broken = {name: "missing" for name in named if name not in here}
    step = max(1, len(named) // _VIDEOS_LOOKED_AT)
    sample = [name for name in named[::step] if name not in broken]
    yield from _told(
        found, "videos", named, broken | _complaints(found.root, sample, parquet.pointer_or_empty)
    )
    yield unchecked("data", "videos: frames are not decoded")


def _listed(root: Path, folder: str) -> set[str]:
    """The files below a folder, relative to the root; hidden ones are nobody's data."""
    import os

    found = set()
    for parent, _, names in os.walk(root / folder):
        inside = os.path.relpath(parent, root)
        found |= {f"{inside}/{name}" for name in names if not name.startswith(".")}
    return found
