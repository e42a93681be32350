from __future__ import annotations

import io

import pytest

from vlac.run.live import Live, describe, duration
from vlac.run.progress import Lines, parse, without_bar

BAR = "Global Step:   0%|▏         | "
FIELD_REPORT = (
    BAR + "1/30000 [01:01<514:18:22, 61.72s/it, time/step=61.7, train/grad_norm=0.533, "
    "train/learning_rate=2.5e-8, train/loss=0.0633]"
)


def test_the_bar_of_a_real_run():
    progress = parse(FIELD_REPORT)
    assert progress is not None
    assert (progress.step, progress.total, progress.seconds_per_step) == (1, 30000, 61.7)
    assert (progress.loss, progress.learning_rate) == (0.0633, 2.5e-8)
    assert progress.remaining == 514 * 3600 + 18 * 60 + 22


def test_a_bar_without_figures_yet():
    progress = parse(BAR + "0/6 [00:00<?, ?it/s]")
    assert progress is not None
    assert (progress.step, progress.seconds_per_step, progress.remaining) == (0, None, None)


def test_steps_faster_than_a_second():
    progress = parse(BAR + "3/6 [00:01<00:01, 4.00it/s, train/loss=nan]")
    assert progress is not None
    assert progress.seconds_per_step == 0.25
    assert progress.loss != progress.loss


@pytest.mark.parametrize(
    "line", ["", "Global Step:", BAR, BAR + "1/300", BAR + "1/300 [00:0", "loss=1/3 [00:01<"]
)
def test_torn_bars_are_none(line):
    assert parse(line) is None


def test_a_figure_that_was_cut_off_is_not_read():
    progress = parse(BAR + "1/9 [00:01<00:08, 1.00s/it, train/learning_rate=2.5e-8, train/loss=0.06")
    assert progress is not None
    assert progress.learning_rate == 2.5e-8
    assert progress.loss is None


def test_what_another_process_printed_behind_the_bar():
    assert without_bar(BAR + "0/6 [00:00<?, ?it/s]Exception occurred") == "Exception occurred"
    assert without_bar("no bar") == "no bar"


def test_lines_are_cut_at_returns_and_newlines_however_the_pieces_come():
    text = f"\r{BAR}0/2 [00:00<?, ?it/s]\r{FIELD_REPORT}\n\x1b[36m(Worker pid=1)\x1b[0m hello\nlast".encode()
    for size in (1, 3, 1000):
        lines = Lines()
        found = [
            line for i in range(0, len(text), size) for line in lines.feed(text[i : i + size])
        ] + lines.end()
        assert [line.strip() for line in found if "/2 [" not in line][-3:] == [
            FIELD_REPORT,
            "(Worker pid=1) hello",
            "last",
        ]


def test_a_finished_bar_is_seen_before_the_next_one_begins():
    assert Lines().feed(f"\r{FIELD_REPORT}".encode()) == [FIELD_REPORT]
    assert Lines().feed(f"\r{FIELD_REPORT[:-1]}".encode()) == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_one_line_that_is_redrawn(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    live = Live(stream)
    live.show(parse(FIELD_REPORT))
    live.show(parse(FIELD_REPORT.replace("1/30000", "2/30000")))
    live.say("done")
    drawn = stream.getvalue().split("\r\x1b[K")
    assert drawn[1:] == [
        "step 1/30000  loss 0.0633  learning rat",
        "step 2/30000  loss 0.0633  learning rat\ndone\n",
    ]


def test_a_pipe_has_plain_lines_and_not_too_many():
    stream = io.StringIO()
    live = Live(stream)
    for step in range(1, 31):
        live.show(parse(FIELD_REPORT.replace("1/30000", f"{step}/30")))
    lines = stream.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == ["1/30", "30/30"]
    assert "\x1b" not in stream.getvalue()


def test_the_words():
    expected = "step 1/30000  loss 0.0633  learning rate 2.5e-08  61.7 s a step  21 d 10 h left"
    assert describe(parse(FIELD_REPORT)) == expected
    assert [duration(s) for s in (42, 200, 18240)] == ["42 s", "3 min 20 s", "5 h 04 min"]
