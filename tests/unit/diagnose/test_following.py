"""A reading that follows a training: whether a worker is lost, and what is said of it first."""

from __future__ import annotations

from vlac.diagnose.catalogue import patterns
from vlac.diagnose.reading import Reading
from vlac.diagnose.show import first_error
from vlac.diagnose.sieve import Sieve

CONSTRUCTOR = """\
(DemoSftWorker pid=30) [INFO] before
(DemoSftWorker pid=30) Exception raised in creation task: The actor died because of an error, ray::A:0.__init__()
(DemoSftWorker pid=30)   File "dataset.py", line 45, in __init__
(DemoSftWorker pid=31)   File "other.py", line 1, in other
(DemoSftWorker pid=30) FileNotFoundError: [Errno 2] No such file or directory: '/nope/meta/info.json'
Exception occurred while running DemoSftWorker's function __ray_ready__: exception is The actor died, ray::A:1
  File "dataset.py", line 45, in __init__
FileNotFoundError: the second
"""

METHOD = """\
Exception occurred while running DemoSftWorker's function run_training: exception is ray::A.run_training() (pid=2)
           ^^^^^^^^
  File "worker.py", line 58, in get_train_model_output
ValueError: the sample of rank 1 is broken
Error executing job with overrides: []
Traceback (most recent call last):
  File "api.py", line 224, in _make_http_get_request
ray.util.state.exception.ServerUnavailable: Failed to make request
"""

HOOK = """\
(pid=7) Traceback (most recent call last):
(pid=7)   File "vlac_worker.py", line 30, in register
(pid=7) ModuleNotFoundError: No module named 'no_such_module'
(pid=7) vlac_worker: worker hook 'vlac_cpu_worker' (VLAC_WORKER_HOOKS) failed; this process ends
"""

KILLED = """\
Exception occurred while running DemoSftWorker's function run_training: exception is The actor died unexpectedly
\tclass_name: DemoSftWorker
\tpid: 27789
The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR
(raylet) A worker died or was killed while executing a task by an unexpected system error.
"""

DRIVER = """\
Error executing job with overrides: []
Traceback (most recent call last):
  File "config.py", line 1376, in validate_cfg
AssertionError: actor.global_batch_size (7) must be divisible by 4

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "x.py", line 1
RuntimeError: the last
"""


class Log:
    def __init__(self, text: str) -> None:
        self.reading = Reading("output", Sieve(patterns("cpu")))
        for line in text.splitlines():
            self.reading.feed(line.encode())
        self.is_lost = self.reading.is_lost
        self.first_error = first_error(self.reading)


def test_a_constructor_that_raises():
    log = Log(CONSTRUCTOR)
    assert log.is_lost
    assert "'/nope/meta/info.json'" in log.first_error
    assert "the second" not in log.first_error
    assert "other.py" not in log.first_error


def test_a_method_that_raises_is_shown_and_not_what_follows_from_it():
    log = Log(METHOD)
    assert log.is_lost
    assert log.first_error.endswith("ValueError: the sample of rank 1 is broken")


def test_the_traceback_that_a_lost_worker_printed_just_before():
    log = Log(HOOK)
    assert log.is_lost
    assert log.first_error.startswith("(pid=7)\n")
    assert log.first_error.endswith("ModuleNotFoundError: No module named 'no_such_module'")


def test_a_hook_that_fails_in_the_driver_is_quoted_with_its_error():
    driver = HOOK.replace("(pid=7) ", "")
    log = Log(f"Traceback (most recent call last):\nImportError: optional\n{driver}")
    assert log.is_lost
    assert log.first_error.endswith("ModuleNotFoundError: No module named 'no_such_module'")


def test_a_killed_worker():
    log = Log(KILLED)
    assert log.is_lost
    assert "pid: 27789" in log.first_error
    assert "SYSTEM_ERROR" in log.first_error
    assert "(raylet)" not in log.first_error


def test_the_drivers_own_error_is_the_first_one_and_no_lost_worker():
    log = Log(DRIVER)
    assert not log.is_lost
    (fault,) = log.reading.faults
    assert fault.text == "AssertionError: actor.global_batch_size (7) must be divisible by 4"
    assert fault.is_fatal


def test_a_traceback_of_a_living_worker_loses_nobody():
    log = Log("(W pid=1) Traceback (most recent call last):\n(W pid=1) ImportError: optional\n")
    assert not log.is_lost


def test_a_long_run_with_many_tracebacks_keeps_the_first_and_the_latest():
    log = Log("Traceback (most recent call last):\nValueError: 0\n" * 600)
    assert [fault.count for fault in log.reading.faults] == [600]
    assert log.first_error.endswith("ValueError: 0")
    log = Log("(W pid=1) Traceback (most recent call last):\n(W pid=1) ValueError: early\n" * 600 + HOOK)
    assert log.first_error.endswith("ModuleNotFoundError: No module named 'no_such_module'")


def test_a_crash_is_shown_with_where_it_happened():
    crash = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n"
    stack = '  File "worker.py", line 5 in step\n\nExtension modules: torch._C\nlater\n'
    log = Log("".join(f"(W pid=5) {line}\n" for line in (crash + stack).splitlines()))
    assert 'File "worker.py", line 5 in step' in log.first_error
    assert "later" not in log.first_error


def test_an_error_without_end_is_cut():
    log = Log("Exception occurred while running W's function f: exception is x\n" + "  line\n" * 500)
    assert len(log.first_error.splitlines()) < 100


def test_the_exception_at_the_end_of_a_long_traceback_is_kept():
    begin = "Exception occurred while running W's function f: exception is ray::W.f()\n"
    log = Log(begin + "  line\n" * 150 + "RuntimeError: Connection reset by peer\nlater\n")
    assert log.first_error.startswith(f"  {begin}")
    assert log.first_error.endswith("RuntimeError: Connection reset by peer")
    assert len(log.first_error.splitlines()) < 70
