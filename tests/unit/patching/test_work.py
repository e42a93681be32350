"""Status, apply and revert on small trees: all files or none, and every byte comes back."""

import os
import stat
import subprocess

import pytest

from tests.unit.patching.conftest import (
    AFTER,
    BEFORE,
    MODELS,
    PI0,
    STRATEGY,
    WORKER,
    as_bytes,
    content,
    everything,
    plant,
)
from vlac.errors import RefusedError
from vlac.patching import holding
from vlac.patching.places import find_root
from vlac.patching.work import Job, UnknownFilesError, apply, revert, status

RLINF = (MODELS, STRATEGY, WORKER)


def states(report):
    return {file.path: file.state for file in report.files}


def test_apply_twice_and_revert_twice(both, tree, openpi):
    untouched = everything(tree.parent)
    assert set(states(status(both)).values()) == {"not applied"}
    first = apply(both)
    assert [file.done for file in first.files] == ["applied now"] * 4
    assert content(tree) == as_bytes(AFTER, *RLINF)
    assert content(openpi) == as_bytes(AFTER, PI0)
    again = apply(both)
    assert again.is_applied
    assert [file.done for file in again.files] == [""] * 4
    assert status(both).is_applied
    assert {file.detail for file in status(both).files} == {""}
    assert [file.done for file in revert(both).files] == ["taken back now"] * 4
    assert content(tree) == as_bytes(BEFORE, *RLINF)
    assert [file.done for file in revert(both).files] == [""] * 4
    assert everything(tree.parent) == untouched


def test_status_writes_nothing(both, tree):
    before = everything(tree.parent)
    status(both)
    assert everything(tree.parent) == before


def test_without_openpi_its_files_are_not_asked_for(patches, tree):
    job = Job((patches.one, patches.two), (find_root("rlinf", tree),), ("0.3",))
    assert set(states(apply(job))) == set(RLINF)


def test_one_folder_of_packages_holds_both(patches, tree):
    plant(tree, (PI0,))
    job = Job((patches.one, patches.two), (find_root("rlinf", tree), find_root("openpi", tree)), ("0.3",))
    assert apply(job).is_applied
    assert content(tree) == as_bytes(AFTER, *RLINF, PI0)
    revert(job)
    assert content(tree) == as_bytes(BEFORE, *RLINF, PI0)
    assert not (tree / ".vlac-patch").exists()


def test_a_checkout_of_openpi_has_its_package_in_src(patches, tree, tmp_path):
    checkout = tmp_path / "checkout"
    plant(checkout / "src", (PI0,))
    job = Job((patches.two,), (find_root("rlinf", tree), find_root("openpi", checkout)), ("0.3",))
    assert states(apply(job)) == {WORKER: "applied", f"src/{PI0}": "applied"}
    assert (checkout / "src" / PI0).read_text() == AFTER[PI0]


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_the_mode_stays(job, tree, mode):
    (tree / MODELS).chmod(mode)
    apply(job)
    assert stat.S_IMODE((tree / MODELS).stat().st_mode) == mode
    (tree / MODELS).chmod(0o700)
    revert(job)
    assert stat.S_IMODE((tree / MODELS).stat().st_mode) == mode


def test_windows_line_endings_come_back(job, tree):
    original = BEFORE[MODELS].replace("\n", "\r\n").replace("line 9\r\n", "line 9\n").encode()
    (tree / MODELS).write_bytes(original)
    apply(job)
    assert b"and a half\r\n" in (tree / MODELS).read_bytes()
    revert(job)
    assert (tree / MODELS).read_bytes() == original


def test_other_names_of_a_file_keep_its_content(job, tree):
    """Installers link one cached file into many environments: those must not be patched with it."""
    (tree / "cached").hardlink_to(tree / MODELS)
    apply(job)
    assert (tree / "cached").read_text() == BEFORE[MODELS]
    assert (tree / MODELS).read_text() == AFTER[MODELS]


def test_what_somebody_else_patched_is_applied_and_can_be_taken_back(job, tree):
    plant(tree, (MODELS, STRATEGY), AFTER)
    report = status(job)
    assert report.is_applied
    assert all("not by vlac" in file.detail for file in report.files)
    revert(job)
    assert content(tree) == as_bytes(BEFORE, *RLINF)


def test_a_half_patched_tree_is_completed(job, tree):
    plant(tree, (STRATEGY,), AFTER)
    assert [file.done for file in apply(job).files] == ["applied now", ""]
    assert status(job).is_applied


def test_a_file_that_was_checked_out_again_is_patched_again(job, tree):
    apply(job)
    plant(tree, (MODELS,))
    assert states(status(job)) == {MODELS: "not applied", STRATEGY: "applied"}
    assert apply(job).is_applied


def test_an_unknown_file_stops_all_of_them(job, tree):
    (tree / STRATEGY).write_text("mine\n")
    before = everything(tree)
    for act in (apply, revert):
        with pytest.raises(UnknownFilesError, match=r"strategy\.py: edited by you or changed upstream"):
            act(job)
    assert (tree / MODELS).read_text() == BEFORE[MODELS]
    assert everything(tree) == before


def test_a_missing_file_stops_all_of_them(job, tree):
    (tree / STRATEGY).unlink()
    with pytest.raises(UnknownFilesError, match="the tree has no such file"):
        apply(job)
    assert (tree / MODELS).read_text() == BEFORE[MODELS]


def test_the_file_of_another_version_is_told(patches, tree):
    plant(tree, (MODELS,), patches.newer)
    job = Job((patches.one,), (find_root("rlinf", tree),), ("0.3",))
    (file, _) = status(job).files
    assert file.detail == "it is that of RLinf main, as published; expected was RLinf 0.3"


def test_a_tree_that_nobody_has_seen_may_hold_the_files_of_any_version(patches, tree):
    plant(tree, (MODELS, STRATEGY), patches.newer)
    job = Job((patches.one,), (find_root("rlinf", tree),), None)
    assert apply(job).is_applied
    assert (tree / MODELS).read_text().startswith("newer\n")


def test_edited_after_the_patch(job, tree):
    apply(job)
    path = tree / MODELS
    path.write_text(path.read_text().replace("line 10\n", "ten\x1b[31m\n"))
    with pytest.raises(UnknownFilesError, match="edited since vlac patched it") as caught:
        revert(job)
    (file, _) = caught.value.report.files
    assert file.lines == ("@@ -11 +11 @@", "-line 10", "+ten\\x1b[31m")
    assert "ten" in path.read_text()


@pytest.fixture
def repository(tree):
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    return tree


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_git_tells_an_edit_from_a_change_upstream(job, repository):
    path = repository / MODELS
    path.write_text(BEFORE[MODELS].replace("line 10\n", "ten\n"))
    (file, _) = status(job).files
    assert file.detail.startswith(
        "edited by you since the commit; the lines that the patch changes are there"
    )
    assert file.lines == ("@@ -10 +10 @@", "-line 10", "+ten")
    git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qam", "m")
    (file, _) = status(job).files
    assert file.detail.startswith("changed upstream: the tree is no RLinf that vlac knows")
    assert file.lines == ()


def test_git_does_not_see_what_vlac_keeps(job, repository):
    apply(job)
    assert git(repository, "status", "--short") == f" M {STRATEGY}\n M {MODELS}\n"
    revert(job)
    assert git(repository, "status", "--short", "--ignored") == ""


def test_a_work_tree_beside_the_repository(patches, repository, tmp_path):
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"))
    job = Job((patches.one,), (find_root("rlinf", tmp_path / "other"),), ("0.3",))
    apply(job)
    assert git(tmp_path / "other", "status", "--short") == f" M {STRATEGY}\n M {MODELS}\n"
    assert git(repository, "status", "--short") == ""
    (tmp_path / "other" / MODELS).write_text("mine\n")
    assert "edited since vlac patched it" in status(job).files[0].detail


def test_changes_of_the_user_in_other_files_stay(job, repository):
    (repository / WORKER).write_text("mine\n")
    (repository / "new.py").write_text("mine\n")
    apply(job)
    revert(job)
    assert (repository / WORKER).read_text() == "mine\n"
    assert (repository / "new.py").read_text() == "mine\n"


def test_symbolic_links_are_refused(job, tree, tmp_path):
    elsewhere = plant(tmp_path / "elsewhere", (MODELS, STRATEGY))
    (tree / MODELS).unlink()
    (tree / MODELS).symlink_to(elsewhere / MODELS)
    with pytest.raises(RefusedError, match="is a symbolic link"):
        apply(job)
    (tree / MODELS).unlink()
    plant(tree, (MODELS,))
    (tree / "rlinf/fsdp").rename(tree / "moved")
    (tree / "rlinf/fsdp").symlink_to(tree / "moved")
    with pytest.raises(RefusedError, match="fsdp is a symbolic link"):
        apply(job)
    assert (tree / MODELS).read_text() == BEFORE[MODELS]
    assert content(elsewhere) == as_bytes(BEFORE, MODELS, STRATEGY)


def test_the_tree_itself_may_be_named_by_a_link(patches, tree, tmp_path):
    (tmp_path / "link").symlink_to(tree)
    job = Job((patches.one,), (find_root("rlinf", tmp_path / "link"),), ("0.3",))
    apply(job)
    assert (tree / MODELS).read_text() == AFTER[MODELS]


def test_vlacs_own_folder_is_no_link(job, tree, tmp_path):
    (tmp_path / "trap").mkdir()
    (tree / ".vlac-patch").symlink_to(tmp_path / "trap")
    with pytest.raises(RefusedError, match="is a symbolic link"):
        apply(job)
    assert everything(tmp_path / "trap") == []


def test_a_path_out_of_the_tree_is_refused(patches, tree):
    from dataclasses import replace

    first = patches.one.variants[0]
    outside = replace(first, files=(replace(first.files[0], path="rlinf/../../diffs/x"),))
    job = Job((replace(patches.one, variants=(outside,)),), (find_root("rlinf", tree),), ("0.3",))
    with pytest.raises(RefusedError, match="leads out of the tree"):
        apply(job)


def test_a_read_only_file_is_refused(job, tree):
    (tree / STRATEGY).chmod(0o444)
    before = everything(tree)
    with pytest.raises(RefusedError, match=r"strategy\.py is read-only"):
        apply(job)
    assert (tree / MODELS).read_text() == BEFORE[MODELS]
    assert everything(tree) == before


def test_a_read_only_tree_is_a_clear_error(job, tree, monkeypatch):
    def refuse(path, *_arguments, **_options):
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(RefusedError, match=r"tree cannot be written: Read-only file system") as caught:
        apply(job)
    assert "nothing was changed" in caught.value.hint
    assert (tree / MODELS).read_text() == BEFORE[MODELS]


def test_what_is_no_tree(tmp_path):
    for project in ("rlinf", "openpi"):
        with pytest.raises(RefusedError, match=f"is no tree of {project}"):
            find_root(project, tmp_path)


def test_another_writer_is_waited_for_and_then_told(job, tree, monkeypatch):
    monkeypatch.setattr(holding, "PATIENCE", 0.05)
    with holding.holding([tree]), pytest.raises(RefusedError, match="another vlac patch has been working on"):
        apply(job)
    assert (tree / MODELS).read_text() == BEFORE[MODELS]
    assert apply(job).is_applied


def test_a_file_system_without_locks_is_refused(job, tree, monkeypatch):
    import fcntl

    def no_locks(*_arguments):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(RefusedError, match="has no locks"):
        apply(job)
    assert (tree / MODELS).read_text() == BEFORE[MODELS]


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 2}', '{"schema": 1, "files": {"a": {"patch": 1}}}'])
def test_a_record_that_cannot_be_read_stops_everything(job, tree, text):
    apply(job)
    (tree / ".vlac-patch/record.json").write_text(text)
    with pytest.raises(RefusedError, match="is none that this vlac can read"):
        revert(job)
    assert (tree / MODELS).read_text() == AFTER[MODELS]


def test_an_edit_at_the_very_moment_is_seen(job, tree, monkeypatch):
    """Somebody saves a file between the look and the exchange: the edit stays, and nothing is patched."""
    from vlac.patching import transaction

    real = transaction._exchange

    def slow(entry, journal):
        if entry.path == STRATEGY:
            entry.target.write_text("mine\n")
        real(entry, journal)

    monkeypatch.setattr(transaction, "_exchange", slow)
    with pytest.raises(RefusedError, match="was edited just now"):
        apply(job)
    assert content(tree) == as_bytes(BEFORE, MODELS, WORKER) | {STRATEGY: b"mine\n"}
    assert not (tree / ".vlac-patch").exists()


def test_writers_beside_each_other_leave_a_whole_tree(job, tree):
    pids = []
    for act in (apply, revert, apply, revert):
        pid = os.fork()
        if pid == 0:
            code = 3
            try:
                for _ in range(10):
                    act(job)
                code = 0
            finally:
                os._exit(code)
        pids.append(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0] * 4
    assert len(set(states(status(job)).values())) == 1
    revert(job)
    assert content(tree) == as_bytes(BEFORE, *RLINF)
    assert not (tree / ".vlac-patch").exists()
