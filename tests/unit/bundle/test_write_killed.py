"""A writer that is killed, or whose system calls fail, at every step in turn and at random moments."""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.unit.bundle.conftest import EXECUTABLE, make_files
from tests.unit.bundle.test_write import content
from vlac.bundle import exchange as exchange_module
from vlac.bundle import lock
from vlac.bundle.staging import clean
from vlac.bundle.verify import verify
from vlac.bundle.write import write
from vlac.errors import RefusedError

SMALL = {"launch.sh", "bootstrap/vlac_demo/model.py"}
OLD, NEW = make_files(names=SMALL), make_files("a: 2\n", names=SMALL)
STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "ctypes.dlsym"}
"""What Python announces to an audit hook before it does it: each system call of a writer that changes names."""

DONE, REFUSED, FAULT = 0, 1, 3


@pytest.fixture
def unflushed(monkeypatch):
    """Without waiting for the disk: a kill takes nothing from the system's memory."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def in_child(work) -> int:
    """Run `work` in a forked process; its exit code, or minus the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        code = FAULT
        try:
            work()
            code = DONE
        except RefusedError:
            code = REFUSED
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def at_step(number, act):
    """Call `act` before the step with that number of this process."""
    count = 0

    def hook(event, _arguments):
        nonlocal count
        if event not in STEPS:
            return
        count += 1
        if count == number:
            act()

    sys.addaudithook(hook)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def fail():
    raise OSError(errno.EIO, "injected")


def write_new(folder, number, act):
    def work():
        at_step(number, act)
        write(NEW, EXECUTABLE, folder)

    return in_child(work)


def leftovers(folder):
    return [path.name for path in folder.parent.iterdir() if path != folder]


def make_start(parent, start):
    """One of the three places that a writer may find, and what may stand there after a kill."""
    parent.mkdir()
    if start == "empty":
        (parent / "b").mkdir()
    if start == "bundle":
        write(OLD, EXECUTABLE, parent / "b")
    return parent / "b", OLD if start == "bundle" else {}


def standing(folder):
    return content(folder) if folder.exists() else {}


@pytest.mark.real
@pytest.mark.usefixtures("unflushed")
@pytest.mark.parametrize("start", ["absent", "empty", "bundle"])
def test_a_kill_before_any_step_leaves_the_old_or_the_new(tmp_path, start):
    seen = []
    for number in range(1, 1000):
        folder, old = make_start(tmp_path / str(number), start)
        code = write_new(folder, number, kill)
        assert code in (DONE, -signal.SIGKILL)
        assert standing(folder) in (old, NEW)
        seen.append(standing(folder) == NEW)
        if code == DONE:
            break
        write(OLD, EXECUTABLE, folder)
        assert content(folder) == OLD
        assert leftovers(folder) == []
    assert len(seen) > 20
    assert seen[-1]
    assert not seen[10]
    assert seen == sorted(seen)


@pytest.mark.real
@pytest.mark.usefixtures("unflushed")
def test_without_an_exchange_the_next_write_puts_the_old_bundle_back(tmp_path, monkeypatch):
    """Between the two renames nothing stands there; cleaning alone restores what did."""
    monkeypatch.setattr(exchange_module, "exchange_at_once", lambda *_: False)
    gaps = 0
    for number in range(1, 1000):
        folder, old = make_start(tmp_path / str(number), "bundle")
        code = write_new(folder, number, kill)
        if not folder.exists():
            gaps += 1
            clean(folder)
        assert content(folder) in (old, NEW)
        if code == DONE:
            break
        write(OLD, EXECUTABLE, folder)
        assert leftovers(folder) == []
    assert gaps == 1


@pytest.mark.real
@pytest.mark.usefixtures("unflushed")
@pytest.mark.parametrize("exchanges", [True, False])
@pytest.mark.parametrize("start", ["absent", "empty", "bundle"])
def test_a_failure_of_any_step_is_a_refusal_or_has_no_effect(tmp_path, monkeypatch, start, exchanges):
    if not exchanges:
        monkeypatch.setattr(exchange_module, "exchange_at_once", lambda *_: False)
    codes = []
    for number in range(1, 1000):
        folder, old = make_start(tmp_path / str(number), start)
        codes.append(write_new(folder, number, fail))
        assert codes[-1] in (DONE, REFUSED)
        assert standing(folder) == (NEW if codes[-1] == DONE else old)
        write(OLD, EXECUTABLE, folder)
        assert leftovers(folder) == []
        if codes[-3:] == [DONE] * 3 and len(codes) > 60:
            break
    assert codes.count(REFUSED) > 15


@pytest.mark.real
def test_sixty_kills_at_random_moments(tmp_path):
    """A writer that never rests, killed anywhere; a reader that comes afterwards finds one whole bundle."""
    folder, seed = tmp_path / "b", random.randrange(1 << 30)
    moments = random.Random(seed)
    kills_within = 0
    for number in range(60):
        pid = os.fork()
        if pid == 0:
            while True:
                write(NEW, EXECUTABLE, folder)
                write(OLD, EXECUTABLE, folder)
        time.sleep(moments.uniform(0.001, 0.04))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        if folder.exists():
            assert verify(folder) == (), f"kill {number}, seed {seed}"
            assert content(folder) in (OLD, NEW), f"kill {number}, seed {seed}"
        kills_within += bool(leftovers(folder))
    write(NEW, EXECUTABLE, folder)
    assert leftovers(folder) == []
    assert kills_within > 10, "the kills came too early or too late to show anything"


def test_a_killed_writer_among_living_ones_harms_nobody(tmp_path):
    folder = tmp_path / "b"
    writers = []
    for files in (OLD, NEW, OLD, NEW):
        pid = os.fork()
        if pid == 0:
            code = FAULT
            with suppress(BaseException):
                for _ in range(15):
                    write(files, EXECUTABLE, folder)
                code = DONE
            os._exit(code)
        writers.append(pid)
    time.sleep(0.05)
    os.kill(writers[0], signal.SIGKILL)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in writers]
    assert set(codes[1:]) == {DONE}
    assert content(folder) in (OLD, NEW)
    write(NEW, EXECUTABLE, folder)
    assert leftovers(folder) == []


def test_the_folder_of_a_living_writer_is_left_alone(tmp_path):
    """The writer stops in the middle; another one writes the same folder; then the first goes on."""
    folder = tmp_path / "b"
    pid = os.fork()
    if pid == 0:
        at_step(12, lambda: os.kill(os.getpid(), signal.SIGSTOP))
        write(NEW, EXECUTABLE, folder)
        os._exit(DONE)
    os.waitpid(pid, os.WUNTRACED)
    assert len(leftovers(folder)) == 1
    write(OLD, EXECUTABLE, folder)
    assert len(leftovers(folder)) == 1
    os.kill(pid, signal.SIGCONT)
    assert os.waitpid(pid, 0)[1] == DONE
    assert content(folder) == NEW
    assert leftovers(folder) == []


def test_what_only_looks_like_a_leftover_is_left_alone(tmp_path):
    folder = tmp_path / "b"
    write(OLD, EXECUTABLE, folder)
    prefix = f".vlac-write-{lock.sha256(b'b')[:12]}-"
    (tmp_path / f"{prefix}00000000").mkdir()  # killed before its marker: removed
    (tmp_path / f"{prefix}11111111").mkdir()
    (tmp_path / f"{prefix}11111111" / "mine").touch()
    (tmp_path / f"{prefix}22222222").touch()
    (tmp_path / f"{prefix}33333333").symlink_to(tmp_path / f"{prefix}11111111")
    (tmp_path / f"{prefix}xyz").mkdir()
    (tmp_path / f".vlac-write-{lock.sha256(b'c')[:12]}-44444444").mkdir()
    write(NEW, EXECUTABLE, folder)
    assert len(leftovers(folder)) == 5
    assert (tmp_path / f"{prefix}11111111" / "mine").exists()


def test_the_leftover_of_another_user_is_left_alone(tmp_path, monkeypatch):
    """In a folder that all may write, nobody else decides what is put back."""
    leftover = tmp_path / f".vlac-write-{lock.sha256(b'b')[:12]}-00000000"
    write(OLD, EXECUTABLE, leftover / "old")
    (leftover / "writing").touch()
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    clean(Path(tmp_path / "b"))
    assert not (tmp_path / "b").exists()
    monkeypatch.undo()
    clean(Path(tmp_path / "b"))
    assert content(tmp_path / "b") == OLD
