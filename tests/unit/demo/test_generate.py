"""The data set: the same bytes each time, whole or not there, and LeRobot v2.1 in its files."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

for module in ("numpy", "pyarrow"):
    pytest.importorskip(module, reason=f"the demo runs inside training processes and needs {module}")

from vlac.demo import generate  # noqa: E402


def digest(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_two_folders_hold_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    assert digest(generate.generate(tmp_path / "again")) == digest(folder)


def test_another_seed_is_another_data_set(folder: Path, tmp_path: Path) -> None:
    assert digest(generate.generate(tmp_path / "other", seed=1)) != digest(folder)


@pytest.mark.real
def test_another_process_writes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "vlac.demo.generate", str(tmp_path / "data")], check=True, timeout=60
    )
    assert digest(tmp_path / "data") == digest(folder)


def test_a_complete_data_set_is_left_as_it_is(folder: Path) -> None:
    written = (folder / generate.INFO).stat().st_mtime_ns
    assert generate.generate(folder, seed=7) == folder
    assert (folder / generate.INFO).stat().st_mtime_ns == written


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert (generate.generate(tmp_path / "data") / generate.INFO).is_file()


def test_another_folder_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="not a complete data set"):
        generate.generate(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("disk full")

    monkeypatch.setattr(generate, "_info", fail)
    with pytest.raises(OSError, match="disk full"):
        generate.generate(tmp_path / "data")
    assert list(tmp_path.iterdir()) == []


def test_losing_the_race_keeps_the_winner(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "late").mkdir()
    generate._move(tmp_path / "late", folder)
    assert (folder / generate.INFO).is_file()


def test_the_files_agree_with_info(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    info = json.loads((folder / generate.INFO).read_text())
    tables = [parquet.read_table(path) for path in sorted((folder / "data").rglob("*.parquet"))]
    assert info["codebase_version"] == "v2.1"
    assert len(tables) == info["total_episodes"]
    assert sum(table.num_rows for table in tables) == info["total_frames"]
    assert all(set(table.column_names) == set(info["features"]) for table in tables)
    assert [row for table in tables for row in table["index"].to_pylist()] == list(
        range(info["total_frames"])
    )


@pytest.mark.real
def test_the_library_that_lerobot_reads_with_decodes_the_images(folder: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="LeRobot reads its parquet files with it")
    read = datasets.load_dataset(
        "parquet", data_dir=str(folder / "data"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert (read[0]["image"].size, read[0]["image"].mode) == ((32, 32), "RGB")
    assert [len(read[0][name]) for name in ("state", "actions")] == [8, 7]
    assert read[21]["timestamp"] == pytest.approx(0.1)


@pytest.mark.parametrize("arguments", [[], ["a", "b"]])
def test_the_command_wants_one_folder(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(arguments) == 2
    assert "usage:" in capsys.readouterr().err
