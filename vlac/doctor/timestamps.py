"""Time: the spacing of the frames against `fps`, on episodes sampled evenly over the data set.

LeRobot asks for a frame at multiples of 1/fps and ends where the nearest is farther off than its tolerance of 1e-4 s
(huggingface/lerobot 0cf8648, lerobot/common/datasets/lerobot_dataset.py, `tolerance_s`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from vlac.doctor import parquet
from vlac.doctor.finding import fail, ok, some, unchecked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.doctor.dataset import Dataset, Episode
    from vlac.doctor.finding import Finding

TOLERANCE_S = 1e-4
SAMPLED = 8


def timestamps(found: Dataset) -> Iterator[Finding]:
    """The timestamps of sampled episodes, and their number of rows."""
    if not found.fps:
        yield fail("data", "doctor-data-time", "meta/info.json has no fps", "write the rate of the recording")
        return
    sample = sampled(found.episodes)
    wrong, seen = [], 0
    for episode in sample:
        if parquet.complaint(found.root / episode.file):
            continue  # told with the files
        try:
            problem = _problem(found, episode)
        except parquet.ParquetError as unreadable:
            problem = str(unreadable)
        seen += 1
        wrong += [f"episode {episode.index}: {problem}"] if problem else []
    if wrong:
        message = f"{len(wrong)} of {seen} sampled episodes: {some(wrong, 2)}"
        fix = "correct fps in meta/info.json, or resample the recording"
        yield fail("data", "doctor-data-time", message, fix)
    elif seen:
        yield ok("data", f"timestamps of {seen} sampled episodes are {1 / found.fps:.6g} s apart")
    else:
        yield unchecked("data", "timestamps: no sampled episode can be read")


def sampled(episodes: list[Episode]) -> list[Episode]:
    """Up to `SAMPLED` episodes, evenly, the first and the last among them."""
    if len(episodes) <= SAMPLED:
        return episodes
    return [episodes[index * (len(episodes) - 1) // (SAMPLED - 1)] for index in range(SAMPLED)]


def _problem(found: Dataset, episode: Episode) -> str | None:
    times = _times(found, episode)
    if len(times) != episode.length:
        return f"{len(times)} rows, and meta/ says {episode.length}"
    expected = 1 / found.fps
    steps = [after - before for before, after in pairwise(times)]
    worst = max(steps, key=lambda step: abs(step - expected), default=expected)
    if abs(worst - expected) <= TOLERANCE_S:
        return None
    mean = sum(steps) / len(steps)
    if mean > 0 and abs(mean - expected) > TOLERANCE_S:
        return f"frames come at {1 / mean:.4g} a second, and fps says {found.fps:g}"
    return f"two frames are {worst:.4g} s apart, {expected:.4g} s are expected"


def _times(found: Dataset, episode: Episode) -> list[float]:
    file = found.root / episode.file
    if not found.is_v3:
        return [float(row["timestamp"]) for row in parquet.rows(file, ("timestamp",))]
    return parquet.slice_of(file, "timestamp", episode.start, episode.length)
