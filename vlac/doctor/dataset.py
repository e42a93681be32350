"""A LeRobot data set by its `meta/`: version, counts, features, episodes and tasks, for v2.0, v2.1 and v3.0.

Source: huggingface/lerobot, `lerobot/common/datasets/utils.py` at 0cf8648 (v2.1: info.json, episodes.jsonl,
tasks.jsonl, one file an episode) and `lerobot/datasets/utils.py` of 0.4 (v3.0: episodes and tasks as parquet, many
episodes a file).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

from vlac.doctor import parquet

if TYPE_CHECKING:
    from pathlib import Path

INFO = "meta/info.json"
_DATA_2 = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
_DATA_3 = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_PICTURES = ("image", "video")
_COLUMNS = ("dataset_from_index", "episode_index", "length", "data/chunk_index", "data/file_index")
_AGAIN = "convert or download the data set again"


class DatasetError(Exception):
    """The data set cannot be read; the message says what is wrong, `fix` what to do."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


@dataclass(frozen=True)
class Episode:
    """An episode: its number, its frames, its data file, and its first row there."""

    index: int
    length: int
    file: str
    start: int = 0


@dataclass(frozen=True)
class Dataset:
    """A LeRobot data set at `root`; `info` is what meta/info.json says."""

    root: Path
    info: dict[str, Any]  # JSON

    @property
    def version(self) -> str:
        """The version of the format, as `v2.1`."""
        return str(self.info.get("codebase_version", ""))

    @property
    def is_v3(self) -> bool:
        """Whether many episodes share a file."""
        return self.version.startswith("v3")

    @property
    def frames(self) -> int:
        """`total_frames`."""
        return self.count("total_frames")

    @property
    def fps(self) -> float:
        """Frames a second, 0 where info.json does not say."""
        fps = self.info.get("fps")
        return float(fps) if isinstance(fps, (int, float)) else 0.0

    def count(self, name: str) -> int:
        """A figure of info.json, 0 where it is missing."""
        value = self.info.get(name)
        return value if isinstance(value, int) else 0

    @cached_property
    def features(self) -> dict[str, dict[str, Any]]:  # JSON
        """Each feature with its `dtype` and `shape`."""
        features = self.info.get("features")
        found = features if isinstance(features, dict) else {}
        return {name: feature for name, feature in found.items() if isinstance(feature, dict)}

    @property
    def videos(self) -> list[str]:
        """Features whose pictures lie in video files."""
        return [name for name, feature in self.features.items() if feature.get("dtype") == "video"]

    def is_picture(self, name: str) -> bool:
        """Whether a feature holds images or video."""
        return self.features[name].get("dtype") in _PICTURES

    def size(self, name: str) -> int:
        """The number of entries of a feature that is a vector."""
        shape = self.features[name].get("shape")
        return prod(length for length in shape if isinstance(length, int)) if isinstance(shape, list) else 1

    @cached_property
    def tasks(self) -> list[str]:
        """The instructions. Raises DatasetError where they cannot be read, MissingPyarrow for v3.0 without it."""
        if not self.is_v3:
            return [str(row.get("task", "")) for row in lines(self.root / "meta/tasks.jsonl")]
        rows = _rows(self.root / "meta/tasks.parquet")
        return [str(row.get("task", row.get("__index_level_0__", ""))) for row in rows]

    @cached_property
    def episodes(self) -> list[Episode]:
        """The episodes in order. Raises DatasetError where they cannot be read, MissingPyarrow for v3.0 without it."""
        found = self._episodes_3() if self.is_v3 else self._episodes_2()
        return sorted(found, key=lambda episode: episode.index)

    def _episodes_2(self) -> list[Episode]:
        rows = lines(self.root / "meta/episodes.jsonl")
        numbers = [_numbers("meta/episodes.jsonl", row, ("episode_index", "length")) for row in rows]
        return [Episode(index, length, self.data_file(index)) for index, length in numbers]

    def _episodes_3(self) -> list[Episode]:
        files = sorted(self.root.glob("meta/episodes/*/*.parquet"))
        if not files:
            raise DatasetError("meta/episodes/ holds no parquet file", _AGAIN)
        rows = [_numbers("meta/episodes/", row, _COLUMNS) for file in files for row in _rows(file, _COLUMNS)]
        firsts: dict[str, int] = {}
        found = []
        for start, index, length, chunk, number in sorted(rows):
            file = self.data_file(index, chunk, number)
            first = firsts.setdefault(file, start)
            found.append(Episode(index, length, file, start - first))
        return found

    def data_file(self, episode: int, chunk: int = 0, file: int = 0) -> str:
        """The data file of an episode, relative to the root. v3.0 needs chunk and file."""
        template = str(self.info.get("data_path") or (_DATA_3 if self.is_v3 else _DATA_2))
        return self._filled(template, "data_path", self._numbers(episode, chunk, file))

    def video_file(self, video: str, episode: int) -> str:
        """The video of an episode, relative to the root; for v2.x."""
        template = str(
            self.info.get("video_path")
            or "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
        )
        return self._filled(template, "video_path", {**self._numbers(episode), "video_key": video})

    def _numbers(self, episode: int, chunk: int = 0, file: int = 0) -> dict[str, Any]:
        size = self.count("chunks_size") or 1000
        return {
            "episode_index": episode,
            "episode_chunk": episode // size,
            "chunk_index": chunk,
            "file_index": file,
        }

    def _filled(self, template: str, name: str, numbers: dict[str, Any]) -> str:
        try:
            return template.format(**numbers)
        except (KeyError, ValueError, IndexError) as problem:
            message = f"{INFO}: {name} is no pattern of {self.version}: {template}"
            raise DatasetError(message, _AGAIN) from problem


def read(root: Path) -> Dataset:
    """Read `meta/info.json`. Raises DatasetError where there is none, or it is no JSON mapping."""
    file = root / INFO
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as problem:
        fix = "give the folder that holds meta/, data/ (and videos/)"
        raise DatasetError(f"{root} is no LeRobot data set: {INFO}: {problem.strerror}", fix) from problem
    except UnicodeDecodeError as problem:
        raise DatasetError(f"{file} is no text", "download the data set again") from problem
    if text.startswith(parquet.POINTER.decode()):
        raise DatasetError(f"{file} is a Git LFS pointer, not the file", f"git -C {root} lfs pull")
    try:
        info = json.loads(text)
    except ValueError as problem:
        raise DatasetError(f"{file} is no JSON: {problem}", "download the data set again") from problem
    if not isinstance(info, dict):
        raise DatasetError(f"{file} is no JSON mapping", "download the data set again")
    return Dataset(root, info)


def lines(file: Path) -> list[dict[str, Any]]:  # JSON
    """The rows of a .jsonl file. Raises DatasetError."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "no text"
        raise DatasetError(f"meta/{file.name}: {reason}", _AGAIN) from problem
    try:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as problem:
        raise DatasetError(f"meta/{file.name} is no JSON, line by line: {problem}", _AGAIN) from problem
    return [row for row in rows if isinstance(row, dict)]


def _rows(file: Path, names: tuple[str, ...] | None = None) -> list[dict[str, Any]]:  # JSON-like
    try:
        return parquet.rows(file, names)
    except parquet.ParquetError as problem:
        raise DatasetError(str(problem), _AGAIN) from problem


def _numbers(file: str, row: dict[str, Any], names: tuple[str, ...]) -> tuple[int, ...]:
    """The integers of a row, none of them negative. Raises DatasetError."""
    found = tuple(row.get(name) for name in names)
    wrong = [
        name for name, value in zip(names, found, strict=True) if not isinstance(value, int) or value < 0
    ]
    if wrong:
        raise DatasetError(f"{file}: a row has no number as {', '.join(wrong)}", _AGAIN)
    return tuple(value for value in found if isinstance(value, int))
