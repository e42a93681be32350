"""Logs of real runs: RLinf 0.3.0 under Ray 2.60 with two ranks, and one thing made to go wrong in each."""

from pathlib import Path

import pytest

from vlac.diagnose import diagnose
from vlac.diagnose.show import MOST_LINES, as_text

LOGS = Path(__file__).parent / "logs"


@pytest.mark.parametrize(
    ("log", "found", "name", "rank", "said"),
    [
        (
            "worker-out-of-memory",
            "cause",
            "machine-host-memory",
            1,
            "DefaultCPUAllocator: can't allocate memory",
        ),
        ("worker-crashed", "cause", "machine-crash", 1, "Fatal Python error: Segmentation fault"),
        ("worker-exited", "consequence", "ray-worker-lost", None, "A worker died or was killed"),
        ("worker-raised", "unknown", "unknown", 1, "ValueError: something nobody has seen before"),
        ("missing-key", "cause", "rlinf-missing-key", 0, "Key 'is_lora' is not in struct"),
        ("batch-indivisible", "cause", "rlinf-batch-indivisible", None, "actor.global_batch_size (7)"),
        ("disk-full", "cause", "machine-disk-full", 1, "[Errno 28] No space left on device"),
    ],
)
def test_what_is_found(log, found, name, rank, said):
    path = LOGS / f"{log}.log"
    diagnosis = diagnose([path], "cpu")
    fault = diagnosis.main.first
    assert (diagnosis.found, diagnosis.main.id, fault.rank) == (found, name, rank)
    assert said in fault.text
    assert said in path.read_bytes().split(b"\n")[fault.number - 1].decode()
    text = as_text(diagnosis)
    assert said in text
    assert len(text.splitlines()) <= MOST_LINES


def test_what_the_other_rank_said_is_a_consequence():
    diagnosis = diagnose([LOGS / "worker-crashed.log"], "cpu")
    assert [(group.id, group.ranks) for group in diagnosis.followed] == [
        ("machine-peer-closed", (0,)),
        ("ray-worker-lost", ()),
        ("rlinf-dead-api-server", ()),
    ]


def test_the_innermost_frames_stand_before_the_exception():
    text = as_text(diagnose([LOGS / "worker-raised.log"], "cpu"))
    frame = text.index('File "/opt/worker_code.py", line 19, in step')
    assert frame < text.index("| ValueError: something nobody has seen before")


def test_records_of_lost_workers_without_a_line_feed_between_them(tmp_path):
    record = (
        "Exception occurred while running DemoSftWorker's function {}: exception is The actor died because of an "
        "error raised in its creation task, \x1b[36mray::ActorGroup:0:DemoSftWorker.__init__()\x1b[39m (pid=6061, "
        "ip=192.0.2.2, actor_id=525f, repr=ActorGroup(rank=0))\n"
        '  File "/opt/vlac_demo/dataset.py", line 45, in __init__\n'
        '    info = json.loads((root / "meta/info.json").read_text(encoding="utf-8"))\n'
        "FileNotFoundError: [Errno 2] No such file or directory: '/no/such/data/meta/info.json'"
    )
    log = tmp_path / "run.log"
    log.write_text(record.format("get_max_steps_per_epoch") + record.format("__ray_ready__") + "\n")
    diagnosis = diagnose([log], "cpu")
    assert (diagnosis.found, diagnosis.main.id) == ("cause", "data-missing")
    assert "/no/such/data/meta/info.json" in as_text(diagnosis)
