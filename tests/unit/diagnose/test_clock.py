from __future__ import annotations

import pytest

from vlac.diagnose.clock import Clock, written

NOON = 12 * 3600


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("[INFO 12:00:05 ActorGroup-Rank-0][worker.py:12] hello", NOON + 5),
        ("[2026-08-01 12:00:05,250][rlinf][ERROR] - hydra's", NOON + 5.25),
        ("2026-08-01 12:00:05,407\tINFO worker.py:2038 -- Started a local Ray instance.", NOON + 5.407),
        ("[2026-08-01 12:00:05,046 E 8986 8986] logging.cc:474: Ray's C++", NOON + 5.046),
        ("[ERROR] 2026-08-01-12:00:05 (PID:1, Device:0, RankID:0) ERR00100", NOON + 5),
        ("[ERROR] HCCL(12,python):2026-08-01-12:00:05.123.456 [file.cc:12]", NOON + 5.123),
        ("[E801 12:00:05.991214118 ProcessGroupNCCL.cpp:616] torch's", NOON + 5.991214118),
        ("E0801 12:00:05.500000 139 file.cc:12] glog's", NOON + 5.5),
        ("2026-08-01T12:00:05.5Z kubectl's", NOON + 5.5),
        ("2026/08/01 12:00:05 Go's", NOON + 5),
    ],
)
def test_the_forms_of_time_stamps(line, seconds):
    time = Clock().read(line)
    assert time is not None
    assert time % 86400 == pytest.approx(seconds, abs=1e-3)


@pytest.mark.parametrize(
    "line",
    [
        "loading: 50%|##   | 1/2 [10:02:03<10:02:03, 61.72s/it]",
        "Global Step: 1/30000 [01:01<514:18:22, 61.72s/it",
        "ratio 45:67:89",
        "2026-13-41 12:00:05 no such day",
        "12:00",
        "",
    ],
)
def test_what_is_no_time_stamp(line):
    assert Clock().read(line) is None


def test_midnight_without_and_with_dates():
    clock = Clock()
    times = [clock.read(f"[INFO {text} x]") for text in ("23:59:59", "00:00:01", "00:00:00", "23:00:00")]
    assert times == [86399, 86401, 86400, 82800]  # the last came late
    clock.read("2026-08-01 12:00:00 now it is known")
    assert clock.read("[INFO 12:00:01 x]") % 86400 == NOON + 1
    assert clock.first_day == clock.read("[INFO 12:00:01 x]") // 86400


def test_times_are_written_with_the_date_that_is_known():
    clock = Clock()
    assert written(clock.read("[INFO 09:00:05 x]")) == "09:00:05"
    assert written(clock.read("2026-08-01 12:00:05,250 x")) == "2026-08-01 12:00:05"
