"""Apply and revert that are killed, or whose system calls fail, at every step in turn and at random moments.

Whatever happened, the next call leaves every file patched or every file as it was, and no byte is lost.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.patching.conftest import AFTER, BEFORE, MODELS, PI0, STRATEGY, WORKER, as_bytes, content
from vlac.errors import RefusedError
from vlac.patching import recovery, transaction
from vlac.patching.work import apply, revert, status

RLINF = (MODELS, STRATEGY, WORKER)
STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "os.listdir", "ctypes.dlsym"}
"""What Python announces to an audit hook before it does it: each system call of a writer that changes names."""
DONE, REFUSED, FAULT = 0, 1, 3
_CODES = (errno.EIO, errno.ENOSPC, errno.EACCES)
OLD, NEW = as_bytes(BEFORE, *RLINF), as_bytes(AFTER, *RLINF)


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
        if event in STEPS:
            count += 1
            if count == number:
                act()

    sys.addaudithook(hook)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def fails_with(code):
    def fail():
        raise OSError(code, os.strerror(code))

    return fail


def from_step_on(number, act):
    """Every system call that writes fails from a step on: a disk that is full stays full."""
    count = 0

    def hook(event, arguments):
        nonlocal count
        if event in STEPS:
            count += 1
            makes = event == "os.mkdir" or (event == "open" and arguments[2] & (os.O_CREAT | os.O_WRONLY))
            if count >= number and makes:
                act()

    sys.addaudithook(hook)


def attempt(job, action, number, act, arm=at_step):
    def work():
        arm(number, act)
        action(job)

    return in_child(work)


def without_exchange(monkeypatch):
    """As where the system or the file system has no exchange of names."""
    for module in (transaction, recovery):
        monkeypatch.setattr(module, "exchange_at_once", lambda *_: False)


def trees(job):
    return [root.folder for root in job.roots]


def held(job):
    return {path: text for folder in trees(job) for path, text in content(folder).items()}


def whole(files):
    """The files of both trees, old or new as a whole: all of them."""
    return files | as_bytes(AFTER if files == NEW else BEFORE, PI0)


WAYS = {"apply": (apply, OLD, NEW), "revert": (revert, NEW, OLD)}


def start(job, way):
    """Bring both trees to where the action begins."""
    (revert if way == "apply" else apply)(job)
    action, before, after = WAYS[way]
    assert held(job) == whole(before)
    return action, whole(before), whole(after)


def no_leftovers(job):
    """Nothing but the record and the originals lies in vlac's folder, and nothing beside the files."""
    for folder in trees(job):
        assert not list(folder.rglob(".vlac-patch-*"))
        names = {path.name for path in (folder / ".vlac-patch").glob("*")}
        assert names <= {".gitignore", "lock", "record.json", "originals"}


@pytest.mark.real
@pytest.mark.parametrize(
    ("way", "then", "exchanges"),
    [
        ("apply", apply, True),
        ("apply", revert, True),
        ("revert", apply, True),
        ("revert", revert, True),
        ("apply", revert, False),
        ("revert", apply, False),
    ],
)
def test_a_kill_before_any_step(both, monkeypatch, way, then, exchanges):
    if not exchanges:
        without_exchange(monkeypatch)
    mixtures = kills = 0
    for number in range(1, 2000):
        action, before, after = start(both, way)
        code = attempt(both, action, number, kill)
        assert code in (DONE, -signal.SIGKILL)
        if code == DONE:
            assert held(both) == after
            break
        kills += 1
        mixtures += held(both) not in (before, after) and bool(status(both).interrupted)
        then(both)
        assert held(both) == whole(NEW if then is apply else OLD), number
        no_leftovers(both)
    assert kills > 60
    assert mixtures > 3, "no kill came between two files: nothing was shown"


@pytest.mark.real
@pytest.mark.parametrize("way", ["apply", "revert"])
def test_a_kill_while_an_interrupted_call_is_put_right(both, way):
    """Kills upon kills: the second one comes at every step of the call that repairs the first."""
    action, _, _ = start(both, way)
    first = next(n for n in range(1, 500) if _leaves_a_mixture(both, way, n))
    for number in range(1, 2000, 2):
        start(both, way)
        assert attempt(both, action, first, kill) == -signal.SIGKILL
        code = attempt(both, revert, number, kill)
        if code == DONE:
            break
        apply(both)
        assert held(both) == whole(NEW), number
        no_leftovers(both)
    assert number > 40


def _leaves_a_mixture(job, way, number):
    action, before, after = start(job, way)
    attempt(job, action, number, kill)
    return held(job) not in (before, after)


@pytest.mark.real
@pytest.mark.parametrize("exchanges", [True, False])
@pytest.mark.parametrize("way", ["apply", "revert"])
def test_a_failure_of_any_step_is_a_refusal_or_has_no_effect(both, monkeypatch, way, exchanges):
    if not exchanges:
        without_exchange(monkeypatch)
    codes = []
    for number in range(1 + exchanges, 2000, 2):  # the other steps belong to the other case
        action, before, after = start(both, way)
        codes.append(attempt(both, action, number, fails_with(_CODES[number % 3])))
        assert codes[-1] in (DONE, REFUSED), number
        assert held(both) == (after if codes[-1] == DONE else before), number
        apply(both)
        assert held(both) == whole(NEW), number
        no_leftovers(both)
        if codes[-10:] == [DONE] * 10:
            break
    assert codes.count(REFUSED) > 15


@pytest.mark.real
@pytest.mark.parametrize("way", ["apply", "revert"])
def test_a_disk_that_is_full_from_any_step_on(both, way):
    codes = []
    for number in range(1, 2000, 2):
        action, before, after = start(both, way)
        codes.append(attempt(both, action, number, fails_with(errno.ENOSPC), from_step_on))
        assert codes[-1] in (DONE, REFUSED), number
        assert held(both) == (after if codes[-1] == DONE else before), number
        apply(both)
        no_leftovers(both)
        if codes[-10:] == [DONE] * 10:
            break
    assert codes.count(REFUSED) > 10


@pytest.mark.real
def test_kills_at_random_moments(both):
    moments = random.Random(seed := random.randrange(1 << 30))
    interrupted = number = 0
    while number < 60 or (interrupted < 10 and number < 600):
        number += 1
        pid = os.fork()
        if pid == 0:
            while True:
                apply(both)
                revert(both)
        time.sleep(moments.uniform(0.002, 0.05))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        interrupted += bool(status(both).interrupted)
        act, expected = moments.choice([(apply, NEW), (revert, OLD)])
        act(both)
        assert held(both) == whole(expected), f"kill {number}, seed {seed}"
        no_leftovers(both)
    assert interrupted >= 10, "the kills came too early or too late to show anything"


def killed_between_two_files(job, monkeypatch):
    """Apply, and die after the first file has its new name."""
    real = transaction._exchange

    def work():
        def first_alone(entry, journal):
            real(entry, journal)
            kill()

        monkeypatch.setattr(transaction, "_exchange", first_alone)
        apply(job)

    assert in_child(work) == -signal.SIGKILL


def test_status_tells_an_interrupted_call_and_leaves_it(job, tree, monkeypatch):
    killed_between_two_files(job, monkeypatch)
    mixed = content(tree)
    assert mixed not in (OLD, NEW)
    report = status(job)
    assert report.interrupted == (str(tree),)
    assert not report.is_applied
    assert content(tree) == mixed
    apply(job)
    assert status(job).is_applied


def test_revert_undoes_an_interrupted_apply(job, tree, monkeypatch):
    killed_between_two_files(job, monkeypatch)
    revert(job)
    assert content(tree) == OLD
    assert not (tree / ".vlac-patch").exists()


def test_one_tree_of_two_is_enough_to_put_both_right(both, tree, openpi, monkeypatch):
    killed_between_two_files(both, monkeypatch)
    assert len(status(both).interrupted) == 2
    revert(replace(both, roots=both.roots[1:]))
    assert held(both) == whole(OLD)
    assert not (tree / ".vlac-patch").exists()
    assert not (openpi / ".vlac-patch").exists()


def test_an_edit_after_an_interrupted_call_is_not_overwritten(job, tree, monkeypatch):
    killed_between_two_files(job, monkeypatch)
    (patched,) = (path for path in (MODELS, STRATEGY) if (tree / path).read_text() == AFTER[path])
    (tree / patched).write_text("mine\n")
    before = content(tree)
    for act in (apply, revert):
        with pytest.raises(RefusedError, match="was interrupted, and the file was edited since") as caught:
            act(job)
    assert content(tree) == before
    saved = caught.value.hint.split("its content before is ")[1].split(": put it back")[0]
    (tree / patched).write_bytes(Path(saved).read_bytes())
    revert(job)
    assert content(tree) == OLD


def test_an_edit_of_a_file_that_was_not_reached_stays(job, tree, monkeypatch):
    killed_between_two_files(job, monkeypatch)
    (other,) = (path for path in (MODELS, STRATEGY) if (tree / path).read_text() == BEFORE[path])
    (tree / other).write_text("mine\n")
    with pytest.raises(RefusedError, match="not as the patch knows them"):
        apply(job)
    assert content(tree) == OLD | {other: b"mine\n"}


@pytest.mark.parametrize(
    "text", ["{", '{"schema": 1}', '{"schema": 1, "id": "x", "phase": "p", "files": [{}]}']
)
def test_a_journal_that_cannot_be_read_stops_everything(job, tree, text):
    (tree / ".vlac-patch").mkdir()
    (tree / ".vlac-patch/journal.json").write_text(text)
    for act in (status, apply, revert):
        with pytest.raises(RefusedError, match="journal"):
            act(job)
    assert content(tree) == OLD
