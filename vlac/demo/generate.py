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
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

EPISODES = 24
FRAMES = 20
"""Frames of each episode."""
FPS = 10
IMAGE_SIZE = 32
"""Height and width of both cameras' images, in pixels."""
STATE_DIM = 8
ACTION_DIM = 7
BLOCKS = {"red": (220, 40, 40), "blue": (40, 60, 220)}
TASKS = tuple(f"move the gripper to the {color} block" for color in BLOCKS)

DATA_PATH = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
INFO = "meta/info.json"
"""Written last: a folder that has it is complete."""

FloatArray: TypeAlias = npt.NDArray[np.float32]
Image: TypeAlias = npt.NDArray[np.uint8]
Frame = dict[str, Any]


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
        frames = list(_episode(index, np.random.default_rng([seed, index])))
        _write_parquet(root / DATA_PATH.format(episode_chunk=0, episode_index=index), frames)
        stats.append({"episode_index": index, "stats": _statistics(frames)})
    _write_lines(root / "meta/tasks.jsonl", [{"task_index": i, "task": task} for i, task in enumerate(TASKS)])
    _write_lines(root / "meta/episodes.jsonl", [_episode_entry(index) for index in range(EPISODES)])
    _write_lines(root / "meta/episodes_stats.jsonl", stats)
    (root / INFO).write_text(json.dumps(_info(), indent=4) + "\n", encoding="utf-8")


# --- what happens in an episode -------------------------------------------------------------------------


def _episode(index: int, rng: np.random.Generator) -> Iterator[Frame]:
    """Yield the frames of one episode; positions are in [-1, 1] across the plane."""
    task_index = index % len(TASKS)
    blocks = rng.uniform(-0.8, 0.8, size=(len(BLOCKS), 2))
    gripper, height, closed = rng.uniform(-0.8, 0.8, size=2), 1.0, -1.0
    for frame in range(FRAMES):
        action = _expert_action(gripper, height, blocks[task_index])
        picture = _picture(gripper, blocks)
        yield {
            "image": picture,
            "wrist_image": _wrist_picture(picture, gripper),
            "state": np.array([*gripper, height, closed, 0, 0, 0, 0], dtype=np.float32),
            "actions": action,
            "timestamp": frame / FPS,
            "frame_index": frame,
            "episode_index": index,
            "index": index * FRAMES + frame,
            "task_index": task_index,
        }
        gripper, height, closed = (
            gripper + 0.25 * action[:2],
            height + 0.25 * float(action[2]),
            float(action[6]),
        )


def _expert_action(gripper: npt.NDArray[Any], height: float, block: npt.NDArray[Any]) -> FloatArray:
    """Return the action [7]: move x, y, z; no rotation; the gripper closes (1) at the block, else stays open (-1)."""
    way = block - gripper
    near = bool(np.linalg.norm(way) < 0.2)
    down = -height if near else 0.0
    return np.array([*np.clip(way, -1, 1), down, 0, 0, 0, 1 if near else -1], dtype=np.float32)


def _picture(gripper: npt.NDArray[Any], blocks: npt.NDArray[Any]) -> Image:
    """Draw the plane from above: two blocks, and the gripper in white. Shape [size, size, 3]."""
    picture = np.full((IMAGE_SIZE, IMAGE_SIZE, 3), 90, dtype=np.uint8)
    for place, color in zip(blocks, BLOCKS.values(), strict=True):
        _square(picture, place, 3, color)
    _square(picture, gripper, 1, (255, 255, 255))
    return picture


def _square(picture: Image, place: npt.NDArray[Any], radius: int, color: tuple[int, int, int]) -> None:
    x, y = _pixel(place)
    picture[max(y - radius, 0) : y + radius + 1, max(x - radius, 0) : x + radius + 1] = color


def _pixel(place: npt.NDArray[Any]) -> tuple[int, int]:
    x, y = np.clip((place + 1) / 2 * IMAGE_SIZE, 0, IMAGE_SIZE - 1).astype(int)
    return int(x), int(y)


def _wrist_picture(picture: Image, gripper: npt.NDArray[Any]) -> Image:
    """Return what is around the gripper, twice as large. Shape [size, size, 3]."""
    half = IMAGE_SIZE // 4
    padded = np.pad(picture, ((half, half), (half, half), (0, 0)))
    x, y = _pixel(gripper)
    return padded[y : y + 2 * half, x : x + 2 * half].repeat(2, axis=0).repeat(2, axis=1)


# --- how LeRobot v2.1 stores it -------------------------------------------------------------------------


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
    return pa.schema(
        [("image", image), ("wrist_image", image), *vectors, ("timestamp", pa.float32()), *counters]
    )


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
