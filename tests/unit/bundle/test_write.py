"""Writing a bundle: what is refused, and what stands afterwards. Kills are in test_write_killed.py."""

from __future__ import annotations

import errno
import os
import resource
import stat
import threading

import pytest

from tests.unit.bundle.conftest import EXECUTABLE, make_files
from vlac.bundle import exchange as exchange_module
from vlac.bundle import lock
from vlac.bundle import write as write_module
from vlac.bundle.verify import verify
from vlac.bundle.write import write
from vlac.errors import RefusedError


def content(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def tree(folder):
    """Everything about a folder that a refused write must leave as it was."""
    return sorted((str(path), path.lstat()[:7], path.lstat().st_mtime_ns) for path in folder.rglob("*"))


@pytest.fixture
def old(tmp_path, files):
    write(files, EXECUTABLE, tmp_path / "b")
    return tmp_path / "b"


NEW = make_files("a: 2\n")


@pytest.fixture(params=["exchange", "renames"])
def either_way(request, monkeypatch):
    """Systems with and without an exchange of names."""
    if request.param == "renames":
        monkeypatch.setattr(exchange_module, "exchange_at_once", lambda *_: False)


def refused(folder, match, force=False):
    before = tree(folder.parent)
    with pytest.raises(RefusedError, match=match) as caught:
        write(NEW, EXECUTABLE, folder, force=force)
    assert tree(folder.parent) == before
    return caught.value


def test_a_bundle_is_written_with_its_parents(tmp_path, files):
    write(files, EXECUTABLE, tmp_path / "build" / "深" / "b")
    assert content(tmp_path / "build" / "深" / "b") == files
    assert names(tmp_path / "build" / "深") == ["b"]


def test_an_empty_folder_is_accepted(tmp_path, files):
    (tmp_path / "b").mkdir()
    write(files, EXECUTABLE, tmp_path / "b")
    assert content(tmp_path / "b") == files


@pytest.mark.usefixtures("either_way")
def test_a_bundle_is_replaced_whole(old):
    assert set(NEW) == set(make_files())
    smaller = {"only": b"", lock.NAME: NEW[lock.NAME]}
    write(smaller, frozenset(), old)
    assert content(old) == smaller
    assert names(old.parent) == ["b"]


def test_modes_follow_the_umask(tmp_path, files):
    for umask, folder_mode, plain, executable in [(0o022, 0o755, 0o644, 0o755), (0o077, 0o700, 0o600, 0o700)]:
        folder = tmp_path / oct(umask)
        before = os.umask(umask)
        try:
            write(files, EXECUTABLE, folder)
        finally:
            os.umask(before)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
        assert stat.S_IMODE(folder.stat().st_mode) == folder_mode
        assert modes["bootstrap"] == modes["vlac_demo"] == folder_mode
        assert modes["config.yaml"] == modes[lock.NAME] == modes["model.py"] == plain
        assert modes["launch.sh"] == executable


@pytest.mark.parametrize("name", ["a", lock.NAME])
@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_is_no_bundle_is_refused_with_force_too(tmp_path, name, force):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / name).write_text("{}")
    problem = refused(tmp_path / "b", "no bundle", force)
    assert "empty folder" in problem.hint


@pytest.mark.parametrize("force", [False, True])
def test_a_bundle_of_a_newer_vlac_is_refused(old, force):
    path = old / lock.NAME
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 2'))
    refused(old, "schema 2", force)


def edit(folder):
    (folder / "config.yaml").write_text("a: 3\n")


def add(folder):
    (folder / "notes.txt").touch()


def remove(folder):
    (folder / "run.env").unlink()


def edit_lock(folder):
    path = folder / lock.NAME
    path.write_text(path.read_text().replace("910B3", "910B4"))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (edit, "'config.yaml' changed"),
        (add, "'notes.txt' extra"),
        (remove, "'run.env' missing"),
        (edit_lock, "lock"),
    ],
)
@pytest.mark.usefixtures("either_way")
def test_a_bundle_edited_by_hand_is_replaced_with_force_only(old, change, named):
    change(old)
    problem = refused(old, named)
    assert "--force" in problem.hint
    write(NEW, EXECUTABLE, old, force=True)
    assert content(old) == NEW
    assert names(old.parent) == ["b"]


def test_a_refusal_names_ten_files_and_counts_the_others(old):
    for number in range(13):
        (old / f"{number:02}").touch()
    refused(old, r"'09' extra, and 3 more$")


def test_caches_of_python_and_a_lost_x_bit_are_no_edits(old):
    (old / "launch.sh").chmod(0o600)
    (old / "bootstrap" / "__pycache__").mkdir()
    (old / "bootstrap" / "__pycache__" / "x.pyc").touch()
    write(NEW, EXECUTABLE, old)
    assert content(old) == NEW
    assert verify(old) == ()


@pytest.mark.parametrize("force", [False, True])
def test_files_and_links_are_refused_and_what_they_lead_to_stays(tmp_path, old, force):
    (tmp_path / "file").write_text("mine")
    refused(tmp_path / "file", "is a file", force)
    for name, target in [("good", old), ("dangling", tmp_path / "nowhere"), ("to_file", tmp_path / "file")]:
        (tmp_path / name).symlink_to(target)
        refused(tmp_path / name, "symbolic link", force)
    refused(tmp_path / "file" / "b", "cannot be written", force)


def test_the_working_folder_is_refused(tmp_path, old, monkeypatch):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", old / "bootstrap"):
        monkeypatch.chdir(folder)
        for name in (folder.relative_to(folder), folder, folder.parent, "/"):
            with pytest.raises(RefusedError, match="working folder"):
                write(NEW, EXECUTABLE, write_module.Path(name))
    monkeypatch.chdir(tmp_path)
    write(NEW, EXECUTABLE, write_module.Path("b"))
    assert content(old) == NEW


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(RefusedError, match="/proc/vlac/b cannot be written: "):
        write(NEW, EXECUTABLE, write_module.Path("/proc/vlac/b"))
    refused(tmp_path / ("x" * 300), "File name too long")


def test_a_full_disk_leaves_the_old_bundle(tmp_path, old):
    """A limit on the size of files stands in for the end of the disk; the kernel refuses in the same place."""
    large = {**NEW, "large": b"x" * 100_000}
    before = tree(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(RefusedError, match="cannot be written: File too large"):
            write(large, EXECUTABLE, old)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "", "a//b"])
def test_a_file_name_never_leads_out(tmp_path, name):
    with pytest.raises(ValueError, match="no path inside a bundle"):
        write({**NEW, name: b""}, EXECUTABLE, tmp_path / "b")
    assert names(tmp_path) == []


@pytest.mark.usefixtures("either_way")
def test_an_edit_made_while_writing_is_not_lost(old, monkeypatch):
    """Somebody edits the bundle after it was looked at, and before it is replaced."""
    fill = write_module._fill

    def slow_fill(*arguments):
        fill(*arguments)
        edit(old)

    monkeypatch.setattr(write_module, "_fill", slow_fill)
    with pytest.raises(RefusedError, match=r"'config\.yaml' changed"):
        write(NEW, EXECUTABLE, old)
    assert (old / "config.yaml").read_text() == "a: 3\n"
    assert names(old.parent) == ["b"]


@pytest.mark.usefixtures("either_way")
def test_a_folder_made_while_writing_is_not_lost(tmp_path, monkeypatch):
    fill = write_module._fill

    def slow_fill(*arguments):
        fill(*arguments)
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "mine").touch()

    monkeypatch.setattr(write_module, "_fill", slow_fill)
    with pytest.raises(RefusedError, match="no bundle"):
        write(NEW, EXECUTABLE, tmp_path / "b", force=True)
    assert content(tmp_path / "b") == {"mine": b""}
    assert names(tmp_path) == ["b"]


def test_an_exchange_that_fails_leaves_the_old_bundle(old, files, monkeypatch):
    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(write_module, "exchange", fail)
    refused(old, "Input/output error")
    assert content(old) == files


@pytest.mark.usefixtures("either_way")
def test_many_writers_at_once_end_in_a_whole_bundle(tmp_path):
    """Eight writers, six turns each, from nothing; none fails, none leaves anything."""
    bundles = [make_files(f"a: {number}\n") for number in range(8)]
    failures = []

    def work(files):
        try:
            for _ in range(6):
                write(files, EXECUTABLE, tmp_path / "b")
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=work, args=(files,)) for files in bundles]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert content(tmp_path / "b") in bundles
    assert names(tmp_path) == ["b"]


def test_a_bundle_that_another_writer_is_replacing_is_not_called_edited(old, files, monkeypatch):
    """Between two renames there is no folder, and so no lock in it."""
    verify = write_module.verify

    def without_folder(place):
        old.rename(old.parent / "aside")
        return verify(place)

    monkeypatch.setattr(write_module, "verify", without_folder)
    write(files, EXECUTABLE, old)
    assert content(old) == files
