"""Read a LeRobot v2.1 data set with images in its parquet files, as samples for the demo model."""

from __future__ import annotations

import io
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from PIL import Image
from torch.utils.data import Dataset

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

CODEBASE_VERSION = "v2.1"
CAMERAS = ("image", "wrist_image")
PROMPT_LENGTH = 12
"""Words of a prompt that the model sees; a shorter one is padded with token 0."""
VOCABULARY = 512

Sample = dict[str, torch.Tensor]
FloatArray: TypeAlias = npt.NDArray[np.float32]


class LeRobotDataset(Dataset[Sample]):  # type: ignore[misc]  # torch has no types here
    """Frames of a LeRobot v2.1 folder, held in memory.

    A sample has ``images`` [2, 3, height, width] in [-1, 1], ``prompt`` [12] (int64), ``state`` [state_dim] and
    ``actions`` [action_chunk, action_dim]; state and actions are scaled to [-1, 1] with the data set's own minimum
    and maximum. A chunk that passes the end of its episode repeats the last action, as LeRobot does.

    Raises ``ValueError`` for another LeRobot version and ``FileNotFoundError`` for a missing file.
    """

    def __init__(self, folder: str | os.PathLike[str], action_chunk: int) -> None:
        root = Path(folder)
        info = json.loads((root / "meta/info.json").read_text(encoding="utf-8"))
        if info["codebase_version"] != CODEBASE_VERSION:
            raise ValueError(
                f"{root} is a LeRobot {info['codebase_version']} data set; this reader knows v2.1"
            )
        self.action_chunk = action_chunk
        self.tasks = {entry["task_index"]: entry["task"] for entry in _read_lines(root / "meta/tasks.jsonl")}
        self._ranges = {name: _value_range(root, name) for name in ("state", "actions")}
        episodes = _read_lines(root / "meta/episodes.jsonl")
        self._episodes = [self._read_episode(root, info, entry) for entry in episodes]
        lengths = [len(episode["actions"]) for episode in self._episodes]
        self._frames = [(episode, frame) for episode, length in enumerate(lengths) for frame in range(length)]

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, index: int) -> Sample:
        episode_index, frame = self._frames[index]
        episode = self._episodes[episode_index]
        steps = np.minimum(np.arange(frame, frame + self.action_chunk), len(episode["actions"]) - 1)
        task = self.tasks[int(episode["task_index"][frame])]
        return {
            "images": torch.stack([_decode_png(episode[camera][frame]) for camera in CAMERAS]),
            "prompt": torch.tensor(tokenize(task)),
            "state": torch.from_numpy(episode["state"][frame]),
            "actions": torch.from_numpy(episode["actions"][steps]),
        }

    def _read_episode(self, root: Path, info: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
        index = entry["episode_index"]
        path = info["data_path"].format(episode_chunk=index // info["chunks_size"], episode_index=index)
        table = pq.read_table(root / path)
        if table.num_rows != entry["length"]:
            raise ValueError(
                f"{root / path} has {table.num_rows} frames; meta/episodes.jsonl says {entry['length']}"
            )
        columns = {camera: [image["bytes"] for image in table[camera].to_pylist()] for camera in CAMERAS}
        vectors = {name: _scale(_matrix(table, name), *self._ranges[name]) for name in self._ranges}
        return {**columns, **vectors, "task_index": table["task_index"].to_numpy()}


def tokenize(prompt: str) -> list[int]:
    """Return 12 tokens, one a word: a hash into 1..511 that is the same in every process; 0 pads."""
    words = prompt.lower().split()[:PROMPT_LENGTH]
    tokens = [1 + zlib.crc32(word.encode("utf-8")) % (VOCABULARY - 1) for word in words]
    return tokens + [0] * (PROMPT_LENGTH - len(tokens))


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _value_range(root: Path, feature: str) -> tuple[FloatArray, FloatArray]:
    """Return minimum and maximum of a feature over all episodes."""
    stats = [entry["stats"][feature] for entry in _read_lines(root / "meta/episodes_stats.jsonl")]
    low = np.min([entry["min"] for entry in stats], axis=0)
    high = np.max([entry["max"] for entry in stats], axis=0)
    return low.astype(np.float32), high.astype(np.float32)


def _scale(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Map [low, high] to [-1, 1]; a dimension that never changes becomes 0."""
    span = high - low
    scaled = 2 * (values - low) / np.where(span > 0, span, 1) - 1
    return np.where(span > 0, scaled, 0).astype(np.float32)


def _matrix(table: pa.Table, name: str) -> FloatArray:
    return np.array(table[name].to_pylist(), dtype=np.float32)


def _decode_png(data: bytes) -> torch.Tensor:
    """Return [3, height, width] in [-1, 1]."""
    pixels = np.array(Image.open(io.BytesIO(data)).convert("RGB"), dtype=np.float32)
    return torch.from_numpy(pixels).permute(2, 0, 1) / 127.5 - 1
