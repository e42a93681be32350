"""What the demo's data set shows: a gripper that moves to the block that the prompt names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAMES = 20
"""Frames of each episode."""
FPS = 10
IMAGE_SIZE = 32
"""Height and width of both cameras' images, in pixels."""
STATE_DIM = 8
ACTION_DIM = 7
BLOCKS = {"red": (220, 40, 40), "blue": (40, 60, 220)}
TASKS = tuple(f"move the gripper to the {color} block" for color in BLOCKS)

FloatArray: TypeAlias = npt.NDArray[np.float32]
Image: TypeAlias = npt.NDArray[np.uint8]
Frame: TypeAlias = dict[str, Any]


def episode(index: int, rng: np.random.Generator) -> Iterator[Frame]:
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
    picture: Image = np.full((IMAGE_SIZE, IMAGE_SIZE, 3), 90, dtype=np.uint8)
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
