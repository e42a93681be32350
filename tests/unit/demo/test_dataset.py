"""The reader returns what was generated, in the model's shapes."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

for module in ("torch", "numpy", "pyarrow", "PIL"):
    pytest.importorskip(module, reason=f"the demo runs inside training processes and needs {module}")

import torch  # noqa: E402

from vlac.demo import dataset, generate  # noqa: E402

CHUNK = 4


def test_shapes_and_ranges(folder: Path) -> None:
    frames = dataset.LeRobotDataset(folder, CHUNK)
    assert len(frames) == generate.EPISODES * generate.FRAMES
    sample = frames[0]
    assert {name: tuple(value.shape) for name, value in sample.items()} == {
        "images": (2, 3, generate.IMAGE_SIZE, generate.IMAGE_SIZE),
        "prompt": (dataset.PROMPT_LENGTH,),
        "state": (generate.STATE_DIM,),
        "actions": (CHUNK, generate.ACTION_DIM),
    }
    assert all(sample[name].abs().max() <= 1.0001 for name in ("images", "state", "actions"))


def test_images_are_those_that_were_drawn(folder: Path) -> None:
    import numpy as np

    drawn = next(iter(generate.episode(0, np.random.default_rng([0, 0]))))["image"]
    read = (dataset.LeRobotDataset(folder, CHUNK)[0]["images"][0].permute(1, 2, 0) + 1) * 127.5
    assert np.array_equal(read.round().numpy().astype(np.uint8), drawn)


def test_a_chunk_repeats_the_last_action_at_the_end_of_its_episode(folder: Path) -> None:
    frames = dataset.LeRobotDataset(folder, CHUNK)
    last = frames[generate.FRAMES - 1]["actions"]
    assert torch.equal(last, last[:1].expand(CHUNK, -1))
    before = frames[generate.FRAMES - 2]["actions"]
    assert torch.equal(before[1:], last[:1].expand(CHUNK - 1, -1))


def test_prompts_differ_by_task_and_are_padded() -> None:
    red, blue = (dataset.tokenize(task) for task in generate.TASKS)
    assert red != blue
    assert red[-1] == 0
    assert all(0 <= token < dataset.VOCABULARY for token in red)
    assert len(dataset.tokenize("word " * 99)) == dataset.PROMPT_LENGTH


def test_a_dimension_that_never_changes_is_zero(folder: Path) -> None:
    assert dataset.LeRobotDataset(folder, CHUNK)[3]["actions"][:, 3:6].abs().max() == 0


def test_another_version_is_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "data")
    info = json.loads((folder / generate.INFO).read_text())
    (tmp_path / "data" / generate.INFO).write_text(json.dumps({**info, "codebase_version": "v3.0"}))
    with pytest.raises(ValueError, match=r"v3\.0"):
        dataset.LeRobotDataset(tmp_path / "data", CHUNK)


def test_missing_frames_are_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "data")
    episodes = tmp_path / "data/meta/episodes.jsonl"
    episodes.write_text(episodes.read_text().replace(f'"length": {generate.FRAMES}', '"length": 99', 1))
    with pytest.raises(ValueError, match=r"episodes\.jsonl says 99"):
        dataset.LeRobotDataset(tmp_path / "data", CHUNK)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        dataset.LeRobotDataset(tmp_path / "nothing", CHUNK)
