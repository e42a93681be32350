from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from vlac.errors import MachineError
from vlac.run import folders


def test_the_first_is_one_and_the_next_follows_the_highest(tmp_path):
    parent = tmp_path / "results/数据"
    assert folders.take(parent).name == "1"
    (parent / "7").mkdir()
    (parent / "08").mkdir()
    (parent / "9").write_text("a file")
    assert folders.take(parent).name == "8"


def test_a_file_of_that_name_is_passed_over(tmp_path):
    (tmp_path / "1").write_text("")
    assert folders.take(tmp_path).name == "2"


def test_many_at_once_get_different_folders(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: folders.take(tmp_path), range(32)))
    assert len(set(taken)) == 32


@pytest.mark.parametrize("name", ["a:b", "file/below"])
def test_a_folder_that_cannot_be_used_is_named(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError) as problem:
        folders.take(tmp_path / name)
    assert str(tmp_path) in problem.value.message
    assert problem.value.exit_code == 3
