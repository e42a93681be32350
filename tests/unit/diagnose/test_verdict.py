"""Which of several faults is the cause: by time, over files, nodes and days; and what is no fault any more."""

from pathlib import Path

import pytest

from vlac.diagnose import diagnose
from vlac.diagnose.show import MOST_LINES, as_json, as_text

BAR = "\rGlobal Step:  10%|█   | {step}/100 [01:01<10:18:22, 61.72s/it, time/step=61.7, train/loss=0.06]"
DISK = "OSError: [Errno 28] No space left on device"
PARQUET = "pyarrow.lib.ArrowInvalid: Parquet magic bytes not found in footer."
PEER = "RuntimeError: Read error [127.0.0.1]:9131: Connection reset by peer"
ODD = """\
Traceback (most recent call last):
  File "a.py", line {line}, in f
    g()
  File "b.py", line 2, in g
    h()
ValueError: {text}"""


def found(folder: Path, *texts: str, backend: str = "cpu", **named: str):
    """The diagnosis of logs: a.log, b.log, ..., or by their names."""
    files = {**{chr(97 + place): text for place, text in enumerate(texts)}, **named}
    for name, text in files.items():
        (folder / f"{name}.log").write_text(text + "\n")
    return diagnose([folder / f"{name}.log" for name in files], backend)


def record(time: str, rank: int, text: str) -> str:
    return f"[ERROR {time} ActorGroup-Rank-{rank}][a.py:1] {text}"


def test_memory_on_one_rank_is_the_cause_of_timeouts_on_seven(tmp_path):
    late = "[rank{rank}]:[E801 12:14:58.9 NCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout"
    timeouts = [late.format(rank=rank) for rank in range(1, 8)]
    out = (
        "(W(rank=0) pid=20) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has"
    )
    diagnosis = found(tmp_path, "\n".join([*timeouts[:3], out, *timeouts[3:]]), backend="cuda")
    assert (diagnosis.found, diagnosis.main.id, diagnosis.main.ranks) == ("cause", "cuda-out-of-memory", (0,))
    assert [(group.id, group.ranks) for group in diagnosis.followed] == [
        ("cuda-collective-timeout", tuple(range(1, 8)))
    ]
    assert "followed by: cuda-collective-timeout (rank 1, also ranks 2-7" in as_text(diagnosis)


def test_the_first_of_two_causes_by_time_whatever_the_order_of_files(tmp_path):
    later, earlier = record("12:00:09", 0, DISK), record("12:00:02", 1, PARQUET)
    assert found(tmp_path, later, earlier).main.id == "data-parquet"
    assert found(tmp_path, earlier, later).main.id == "data-parquet"


def test_a_log_goes_over_midnight(tmp_path):
    diagnosis = found(
        tmp_path,
        "[INFO 23:59:10 ActorGroup-Rank-0] begin\n" + record("00:00:20", 0, DISK),
        record("23:59:50", 1, PARQUET),
    )
    assert diagnosis.main.id == "data-parquet"


def test_files_with_and_without_dates_are_of_the_same_day(tmp_path):
    dated = f"[ERROR] 2026-08-01-12:00:05 (PID:1, Device:0, RankID:0) {PARQUET}"
    assert found(tmp_path, record("12:00:09", 1, DISK), dated).main.id == "data-parquet"
    assert found(tmp_path, record("12:00:02", 1, DISK), dated).main.id == "machine-disk-full"


def test_where_a_file_tells_no_time_the_doubt_is_said(tmp_path):
    diagnosis = found(tmp_path, DISK, record("12:00:02", 1, PARQUET))
    assert diagnosis.main.id == "machine-disk-full"
    assert any("not all lines have a time, so data-parquet" in note for note in diagnosis.notes)


def test_what_is_close_in_time_on_two_files_may_be_the_other_way_round(tmp_path):
    diagnosis = found(tmp_path, record("12:00:02", 0, DISK), record("12:00:03", 1, PARQUET))
    assert any("1.0 s apart; clocks of two machines" in note for note in diagnosis.notes)
    diagnosis = found(tmp_path, record("12:00:02", 0, DISK), record("12:08:03", 1, PARQUET))
    assert diagnosis.notes == ()


def test_a_node_whose_clock_is_behind(tmp_path):
    here, there = "(W(rank=0) pid=1) ", "(W(rank=1) pid=2, ip=10.0.0.2) "
    log = [
        f"{here}[INFO 12:00:00 ActorGroup-Rank-0] begin",
        f"{there}[INFO 11:55:00 ActorGroup-Rank-1] begin",
        f"{here}{record('12:00:10', 0, DISK)}",
        f"{there}{record('11:55:20', 1, PARQUET)}",
    ]
    diagnosis = found(tmp_path, "\n".join(log))
    assert diagnosis.main.id == "machine-disk-full"
    assert diagnosis.notes == (
        "the clock of 10.0.0.2 is about 290 s behind; its lines are placed by where they stand",
    )


def test_a_fault_that_steps_follow_ended_nothing(tmp_path):
    log = f"{BAR.format(step=1)}\n{DISK}\n{BAR.format(step=2)}\n{BAR.format(step=3)}\n{PARQUET}"
    diagnosis = found(tmp_path, log)
    assert diagnosis.main.id == "data-parquet"
    assert [group.id for group in diagnosis.survived] == ["machine-disk-full"]
    assert "survived: machine-disk-full" in as_text(diagnosis)


def test_one_more_step_may_have_been_on_its_way(tmp_path):
    assert (
        found(tmp_path, f"{BAR.format(step=1)}\n{DISK}\n{BAR.format(step=2)}").main.id == "machine-disk-full"
    )


def test_a_fault_before_the_first_step_is_survived_too(tmp_path):
    log = f"{DISK}\n{BAR.format(step=41)}\n{BAR.format(step=42)}\n{BAR.format(step=43)}"
    diagnosis = found(tmp_path, log)
    assert (diagnosis.found, diagnosis.steps) == ("nothing", (43, 100))
    assert as_text(diagnosis).startswith("no fault in the log: it ends at step 43 of 100\n")


def test_a_fault_of_a_rank_that_the_drivers_log_shows_to_be_survived(tmp_path):
    bars = "".join(f"[INFO 12:0{n}:00 RLinf] x\n{BAR.format(step=n)}\n" for n in range(1, 9))
    diagnosis = found(tmp_path, run=bars, rank_1=record("12:01:00", 1, DISK))
    assert diagnosis.found == "nothing"
    assert found(tmp_path, run=bars, rank_1=record("12:08:30", 1, DISK)).main.id == "machine-disk-full"


def test_an_attempt_that_starts_anew_leaves_the_faults_of_the_one_before(tmp_path):
    log = f"{BAR.format(step=60)}\n{DISK}\n{BAR.format(step=50)}\n{PARQUET}"
    assert found(tmp_path, log).main.id == "data-parquet"


def test_what_workers_say_when_all_steps_are_made_is_their_end(tmp_path):
    diagnosis = found(tmp_path, f"{BAR.format(step=100)}\n{PEER}")
    assert diagnosis.found == "nothing"
    assert "the training made all steps" in as_text(diagnosis)
    assert found(tmp_path, f"{BAR.format(step=100)}\n{DISK}").main.id == "machine-disk-full"


def test_an_unknown_error_that_ended_a_worker_goes_before_later_causes(tmp_path):
    lost = "Exception occurred while running W's function f: exception is ray::W.f()\n  File 'a'\nValueError: odd"
    diagnosis = found(tmp_path, f"{lost}\n{DISK}")
    assert (diagnosis.found, diagnosis.main.first.text) == ("unknown", "ValueError: odd")
    assert found(tmp_path, f"{DISK}\n{lost}").main.id == "machine-disk-full"
    assert "vlac does not know this error. It is the first one in the log." in as_text(diagnosis)


def test_an_unknown_error_that_ended_nothing_we_know_gives_way_to_a_cause(tmp_path):
    diagnosis = found(tmp_path, f"{ODD.format(line=1, text='odd')}\n{DISK}")
    assert diagnosis.main.id == "machine-disk-full"
    assert "before it: unknown: ValueError: odd" in as_text(diagnosis)


def test_an_error_after_which_its_process_went_on_is_no_cause_of_a_consequence(tmp_path):
    odd = ODD.format(line=1, text="caught")
    assert found(tmp_path, f"{odd}\n{PEER}").main.first.text == "ValueError: caught"
    assert (
        found(tmp_path, f"{odd}\n{'all is well' + chr(10):s}still\nagain\nthere\n{PEER}").found
        == "consequence"
    )


def test_the_first_of_unknown_errors_with_what_stood_before_it(tmp_path):
    diagnosis = found(tmp_path, "one\ntwo\nthree\nfour\n[ERROR] something is odd\n[ERROR] and odder")
    assert diagnosis.found == "unknown"
    assert [text for _, text in diagnosis.main.first.lines][:3] == ["two", "three", "four"]
    assert diagnosis.main.first.text == "[ERROR] something is odd"


def test_an_empty_log_holds_no_fault(tmp_path):
    diagnosis = found(tmp_path, "")
    assert (diagnosis.found, diagnosis.main, diagnosis.is_retryable) == ("nothing", None, None)
    assert as_text(diagnosis) == "no fault in the log; it shows no step of a training\n"


@pytest.mark.parametrize("world", [2, 100])
def test_the_answer_is_short_however_much_went_wrong(tmp_path, world):
    odd = "\n".join(
        f"(W(rank={rank}) pid={rank}) {line}"
        for rank in range(world)
        for line in [*ODD.format(line=rank, text=f"{'x' * 900} {rank}").splitlines(), PEER, DISK]
    )
    diagnosis = found(tmp_path, odd)
    assert len(as_text(diagnosis).splitlines()) <= MOST_LINES
    assert max(map(len, as_text(diagnosis).splitlines())) < 260


def test_the_answer_of_a_whole_world_names_ranges_of_ranks(tmp_path):
    log = "\n".join(f"(W(rank={rank}) pid={rank}) {DISK}" for rank in (0, 1, 2, 5, 7, 8))
    assert "(rank 0, also ranks 1-2, 5, 7-8)" in as_text(found(tmp_path, log))


def test_json_has_the_same(tmp_path):
    document = as_json(found(tmp_path, f"{record('12:00:02', 3, DISK)}\n{record('12:00:04', 2, PEER)}"))
    assert (document["found"], document["id"], document["rank"]) == ("cause", "machine-disk-full", 3)
    assert document["retryable"] is False
    assert document["time"] == "12:00:02"
    assert document["evidence"][-1]["line"] == document["line"] == 1
    assert document["followed"][0]["id"] == "machine-peer-closed"
