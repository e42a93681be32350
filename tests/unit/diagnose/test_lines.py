from __future__ import annotations

import pytest

from vlac.diagnose import lines
from vlac.diagnose.lines import Piece, pieces

WORKER = "(ActorGroup(rank=0) pid=25080)"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("plain", [Piece("", "plain")]),
        (f"{WORKER} text", [Piece(WORKER, "text")]),
        (f"\x1b[36m{WORKER}\x1b[0m text", [Piece(WORKER, "text")]),
        ("(pid=7, ip=10.0.0.2)   indented", [Piece("(pid=7, ip=10.0.0.2)", "  indented")]),
        ("(raylet) A worker died", [Piece("(raylet)", "A worker died")]),
        ("[rank3]: Traceback (most", [Piece("[rank3]", "Traceback (most")]),
        ("[rank3]:[E801 12:00:00.1 x] y", [Piece("[rank3]", "[E801 12:00:00.1 x] y")]),
        (
            f"\x1b[36m{WORKER}\x1b[0m hello\x1b[32m [repeated 7x across cluster] (Ray deduplicates logs by default.)",
            [Piece(WORKER, "hello", 7)],
        ),
        (f"half a line{WORKER} text", [Piece("", "half a line"), Piece(WORKER, "text")]),
        (f"(W pid=1) half{WORKER} text", [Piece("(W pid=1)", "half"), Piece(WORKER, "text")]),
        (
            f"Global Step:   1%|▏ | 1/100 [01:01<10:18:22, 61.72s/it, train/loss=0.06]{WORKER} text",
            [Piece(WORKER, "text")],
        ),
        (
            "exception is ray::W.run() (pid=9787, ip=10.0.0.2, actor_id=eb09)",
            [Piece("", "exception is ray::W.run() (pid=9787, ip=10.0.0.2, actor_id=eb09)")],
        ),
        (
            "KeyError: 'a'Exception occurred while running W's function f: exception is died, ray::W.f() (pid=7, ip=a)",
            [
                Piece("", "KeyError: 'a'"),
                Piece(
                    "",
                    "Exception occurred while running W's function f: exception is died, ray::W.f() (pid=7, ip=a)",
                ),
            ],
        ),
        ("(W pid=1) failed in (pid=5) and went", [Piece("(W pid=1)", "failed in (pid=5) and went")]),
    ],
)
def test_who_says_what(line, expected):
    assert list(pieces(line)) == expected


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("(ActorGroup(rank=12) pid=1)", 12),
        ("[rank3]: x", 3),
        ("[default5]", 5),
        ("[INFO 12:00:00 ActorGroup-Rank-7][a.py:1]", 7),
        ("(PID:n, Device:1, RankID:2)", 2),
        ("ranked 3", None),
    ],
)
def test_the_rank_that_a_line_gives_itself(text, rank):
    assert lines.rank_of(text) == rank


def test_ranks_and_processes_in_names():
    assert lines.rank_of_file("rank_3.log") == 3
    assert lines.rank_of_file("run.log") is None
    assert lines.pid_of_file("worker-2760deab-01000000-9752.err") == "9752"
    assert lines.rank_of_name("The actor died, ray::ActorGroup:2:W.__init__()") == 2
    assert lines.node_of("(pid=7, ip=10.0.0.2)") == "10.0.0.2"
