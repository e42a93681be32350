"""Write the demo's data set: a LeRobot v2.1 folder, the same bytes each time.

Each episode shows a gripper in a plane with a red and a blue block. The prompt names one of them, and the
action moves the gripper towards it and closes it when it arrives: a function of images, state and prompt.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .scene import ACTION_DIM, FPS, FRAMES, IMAGE_SIZE, STATE_DIM, TASKS, Frame, Image, episode

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

EPISODES = 24
DATA_PATH = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
INFO = "meta/info.json"
"""Written last: a folder that has it is complete."""


def generate(folder: str | os.PathLike[str], seed: int = 0) -> Path:
    """Write the data set to ``folder`` and return its path; one that is already complete is left as it is.

    It is written beside its place and renamed, so that a reader never meets half a data set.
    Raises ``FileExistsError`` when something else lies at ``folder``.
    """
    target = Path(folder)
    if (target / INFO).is_file():
        return target
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileExistsError(
            f"{target} exists and is not a complete data set; remove it or name another folder"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    sibling = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        _write(sibling, seed)
        sibling.chmod(0o755)
        _move(sibling, target)
    finally:
        shutil.rmtree(sibling, ignore_errors=True)
    return target


def _move(source: Path, target: Path) -> None:
    """Rename; when another process was first, its data set is the same and stays."""
    try:
        source.rename(target)
    except OSError:
        if not (target / INFO).is_file():
            raise


def _write(root: Path, seed: int) -> None:
    stats = []
    for index in range(EPISODES):
        frames = list(episode(index, np.random.default_rng([seed, index])))
        _write_parquet(root / DATA_PATH.format(episode_chunk=0, episode_index=index), frames)
        stats.append({"episode_index": index, "stats": _statistics(frames)})
    _write_lines(root / "meta/tasks.jsonl", [{"task_index": i, "task": task} for i, task in enumerate(TASKS)])
    _write_lines(root / "meta/episodes.jsonl", [_episode_entry(index) for index in range(EPISODES)])
    _write_lines(root / "meta/episodes_stats.jsonl", stats)
    (root / INFO).write_text(json.dumps(_info(), indent=4) + "\n", encoding="utf-8")


def _write_parquet(path: Path, frames: Sequence[Frame]) -> None:
    columns = {name: [_stored(name, frame) for frame in frames] for name in frames[0]}
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns, schema=_schema()), path, compression="snappy")


def _stored(name: str, frame: Frame) -> object:
    value = frame[name]
    if name in ("image", "wrist_image"):
        return {"bytes": _png(value), "path": f"frame_{frame['frame_index']:06d}.png"}
    return value.tolist() if isinstance(value, np.ndarray) else value


def _schema() -> pa.Schema:
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    counters = [(name, pa.int64()) for name in ("frame_index", "episode_index", "index", "task_index")]
    vectors = [("state", pa.list_(pa.float32(), STATE_DIM)), ("actions", pa.list_(pa.float32(), ACTION_DIM))]
    schema = pa.schema(
        [("image", image), ("wrist_image", image), *vectors, ("timestamp", pa.float32()), *counters]
    )
    return schema.with_metadata({"huggingface": json.dumps({"info": {"features": _decoded_features()}})})


def _decoded_features() -> dict[str, Any]:
    """Return what Hugging Face's ``datasets``, with which LeRobot reads, has to make of each column.

    Without it an image stays a dictionary of bytes and path (``Features.from_arrow_schema``, datasets 2.19 to 5.0).
    """
    return {name: _decoded(**feature) for name, feature in _features().items()}


def _decoded(dtype: str, shape: Sequence[int], names: object) -> dict[str, Any]:
    if dtype == "image":
        return {"_type": "Image"}
    value = {"dtype": dtype, "_type": "Value"}
    return value if names is None else {"feature": value, "length": shape[0], "_type": "Sequence"}


def _png(image: Image) -> bytes:
    """Encode [height, width, 3] without compression: the bytes depend on no version of an image library."""
    height, width, _ = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(kind, data) for kind, data in chunks)


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _statistics(frames: Sequence[Frame]) -> dict[str, dict[str, Any]]:
    """Return min, max, mean, std and count of each feature; those of images a channel, in [0, 1], as [3, 1, 1]."""
    return {name: _feature_statistics(np.stack([frame[name] for frame in frames])) for name in frames[0]}


def _feature_statistics(values: npt.NDArray[Any]) -> dict[str, Any]:
    is_image = values.ndim == 4
    numbers = values.astype(np.float64) / (255 if is_image else 1)
    axes = (0, 1, 2) if is_image else (0,)
    reduced = {
        "min": numbers.min(axes),
        "max": numbers.max(axes),
        "mean": numbers.mean(axes),
        "std": numbers.std(axes),
    }
    shape = (-1, 1, 1) if is_image else (-1,)
    return {**{key: value.reshape(shape).tolist() for key, value in reduced.items()}, "count": [len(values)]}


def _episode_entry(index: int) -> dict[str, Any]:
    return {"episode_index": index, "tasks": [TASKS[index % len(TASKS)]], "length": FRAMES}


def _write_lines(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")


def _info() -> dict[str, Any]:
    return {
        "codebase_version": "v2.1",
        "robot_type": "plane",
        "total_episodes": EPISODES,
        "total_frames": EPISODES * FRAMES,
        "total_tasks": len(TASKS),
        "total_videos": 0,
        "total_chunks": 1,
        "chunks_size": 1000,
        "fps": FPS,
        "splits": {"train": f"0:{EPISODES}"},
        "data_path": DATA_PATH,
        "video_path": None,
        "features": _features(),
    }


def _features() -> dict[str, Any]:
    image = {"dtype": "image", "shape": [IMAGE_SIZE, IMAGE_SIZE, 3], "names": ["height", "width", "channel"]}
    counters = ("frame_index", "episode_index", "index", "task_index")
    return {
        "image": image,
        "wrist_image": image,
        "state": {"dtype": "float32", "shape": [STATE_DIM], "names": ["state"]},
        "actions": {"dtype": "float32", "shape": [ACTION_DIM], "names": ["actions"]},
        "timestamp": {"dtype": "float32", "shape": [1], "names": None},
        **{name: {"dtype": "int64", "shape": [1], "names": None} for name in counters},
    }


def main(arguments: Sequence[str]) -> int:
    """Command ``python -m vlac_demo.generate DIR``: write the data set and print its folder."""
    if len(arguments) != 1:
        print("usage: python -m vlac_demo.generate DIR", file=sys.stderr)
        return 2
    print(generate(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
