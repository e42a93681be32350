from __future__ import annotations

import argparse
import json
import os

import pytest

from tests.unit.bundle.conftest import make_files
from vlac.bundle import lock
from vlac.bundle import verify as module
from vlac.bundle.verify import verify
from vlac.bundle.write import write
from vlac.commands import verify as command


@pytest.fixture
def bundle(tmp_path, files):
    write(files, frozenset({"launch.sh"}), tmp_path / "b")
    return tmp_path / "b"


def problems(folder):
    return [(finding.file, finding.problem) for finding in verify(folder)]


def test_a_written_bundle_is_as_compiled(bundle):
    assert verify(bundle) == ()


def test_each_kind_of_difference_is_found(bundle):
    (bundle / "config.yaml").write_text("a: 2\n")
    (bundle / "run.env").unlink()
    (bundle / "notes.txt").touch()
    (bundle / "empty").mkdir()
    (bundle / "launch.sh").chmod(0o644)
    assert problems(bundle) == [
        ("config.yaml", "changed"),
        ("empty/", "extra"),
        ("launch.sh", "not executable"),
        ("notes.txt", "extra"),
        ("run.env", "missing"),
    ]


def test_what_is_no_file_any_more_is_found_and_never_opened(bundle):
    for name in ("config.yaml", "run.env", "launch.sh"):
        (bundle / name).unlink()
    os.mkfifo(bundle / "config.yaml")
    (bundle / "run.env").mkdir()
    (bundle / "launch.sh").symlink_to("config.yaml")
    os.mkfifo(bundle / "pipe")
    assert problems(bundle) == [
        ("config.yaml", "changed"),
        ("launch.sh", "changed"),
        ("pipe", "extra"),
        ("run.env", "changed"),
        ("run.env/", "extra"),
    ]


def test_a_folder_that_became_a_link_to_an_equal_one_is_found(bundle, tmp_path):
    (bundle / "bootstrap").rename(tmp_path / "elsewhere")
    (bundle / "bootstrap").symlink_to(tmp_path / "elsewhere")
    assert problems(bundle) == [("bootstrap", "extra")]


def test_a_file_in_place_of_a_folder_is_found(bundle):
    (bundle / "bootstrap" / "vlac_demo" / "model.py").unlink()
    (bundle / "bootstrap" / "vlac_demo").rmdir()
    (bundle / "bootstrap" / "vlac_demo").touch()
    assert problems(bundle) == [("bootstrap/vlac_demo", "extra"), ("bootstrap/vlac_demo/model.py", "missing")]


def test_an_edit_of_the_lock_that_fits_the_edited_file_is_found(bundle):
    (bundle / "config.yaml").write_text("a: 2\n")
    path = bundle / lock.NAME
    path.write_text(path.read_text().replace(lock.sha256(b"a: 1\n"), lock.sha256(b"a: 2\n")))
    assert problems(bundle) == [(lock.NAME, "changed")]


def test_caches_of_python_count_as_nothing_in_bootstrap_only(bundle):
    for folder in ("bootstrap/__pycache__", "bootstrap/vlac_demo/__pycache__", "__pycache__"):
        (bundle / folder).mkdir()
        (bundle / folder / "model.cpython-311.pyc").touch()
    assert problems(bundle) == [("__pycache__/model.cpython-311.pyc", "extra")]


def test_a_folder_without_a_lock_is_no_bundle(bundle, tmp_path):
    (bundle / lock.NAME).unlink()
    os.mkfifo(bundle / lock.NAME)
    assert problems(bundle) == [(lock.NAME, "no lock")]
    (bundle / lock.NAME).unlink()
    for folder in (bundle, tmp_path / "nowhere", bundle / "config.yaml"):
        assert problems(folder) == [(lock.NAME, "no lock")]


def run(folder, capsys, as_json=False):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["verify", str(folder), *(["--json"] if as_json else [])])
    return args.run(args), capsys.readouterr().out


def test_the_command_says_0_or_names_each_file_with_1(bundle, capsys):
    assert run(bundle, capsys) == (0, f"{bundle}: as compiled\n")
    (bundle / "config.yaml").write_text("a: 2\n")
    (bundle / "evil\x1b[31m\n").touch()
    code, text = run(bundle, capsys)
    assert code == 1
    assert text.splitlines() == [
        f"{bundle}: not as compiled",
        f"  config.yaml: changed (sha256 {lock.sha256(b'a: 2' + bytes([10]))[:12]}, "
        f"compiled as {lock.sha256(b'a: 1' + bytes([10]))[:12]})",
        "  evil\\x1b[31m\\n: extra (the compile did not write it)",
    ]


def test_the_command_prints_json(bundle, capsys):
    code, text = run(bundle, capsys, as_json=True)
    assert (code, json.loads(text)["findings"]) == (0, [])
    (bundle / "run.env").unlink()
    code, text = run(bundle, capsys, as_json=True)
    assert code == 1
    assert json.loads(text)["findings"] == [
        {"file": "run.env", "problem": "missing", "detail": "the compile wrote it"}
    ]


def test_the_command_says_that_a_folder_is_no_bundle(tmp_path, capsys):
    code, text = run(tmp_path, capsys)
    assert code == 1
    assert text.startswith(f"{tmp_path}: no bundle: vlac.lock.json cannot be read")


def test_a_bundle_that_is_replaced_while_it_is_read_is_read_again(bundle, monkeypatch):
    """Another writer takes its turn between the reading of the lock and that of the files."""
    read, turns = module.locks.read, [make_files("a: 2\n")]

    def slow_read(data):
        lock_as_read = read(data)
        while turns:
            write(turns.pop(), frozenset({"launch.sh"}), bundle)
        return lock_as_read

    monkeypatch.setattr(module.locks, "read", slow_read)
    assert verify(bundle) == ()
    assert not turns
