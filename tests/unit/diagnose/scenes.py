"""Logs of trainings with several ranks, in the forms that RLinf, Ray and torch leave: a fault is put into one.

What stands around the fault is drawn by a seed: how many ranks, which of them fails, how far the training was, one log
for all or one a rank, colours, bars that others write behind, lines that Ray prints once for several ranks.
"""

# ruff: noqa: E501  lines of logs, as they are printed
from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_WRITTEN_AT = re.compile(r"(2026-08-01[- ]|\[\w+ )\d\d:\d\d:\d\d")
COLOURS = ("\x1b[36m", "\x1b[33m", "\x1b[35m")
BAR = "\rGlobal Step: {percent:3d}%|{full:<10}| {step}/{total} [{passed}<514:18:22, 61.72s/it, time/step=61.7, train/grad_norm=0.533, train/learning_rate=2.5e-8, train/loss=0.0{loss}]"
DEDUPED = " (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable log deduplication, or see https://docs.ray.io/en/master/ray-observability/user-guides/configure-logging.html#log-deduplication for more options.)"
NOISE = (
    "[INFO {time} ActorGroup-Rank-{rank}][fsdp_model_manager.py:124] [FSDP] AMP is disabled.",
    "[INFO {time} ActorGroup-Rank-{rank}][fsdp_vla_sft_worker.py:57] batch of 4, prompt 'put the error message in the box'",
    "[WARNING {time} ActorGroup-Rank-{rank}][fsdp_model_manager.py:70] Provided there is sufficient GPU memory, set the actor.model.precision parameter to fp32",
    "/opt/venv/lib/python3.11/site-packages/torchdata/stateful_dataloader/stateful_dataloader.py:379: UserWarning: 'set_vital' is deprecated",
    "WARNING:root:Failed to import tensorrt, going on without it",
)
NOISE_OF_ASCEND = (
    "[ERROR] TBE Subprocess[task_distribute] raise error[], main process disappeared!",
    "    The torch.cuda.DoubleTensor is replaced with torch.npu.FloatTensor cause the double type is not supported now..",
)
CAUGHT = (
    "[INFO {time} ActorGroup-Rank-{rank}][utils.py:8] optional part is left out",
    "Traceback (most recent call last):",
    '  File "/opt/venv/lib/python3.11/site-packages/rlinf/utils/optional.py", line 12, in load',
    "    module = import_module(name)",
    "ImportError: DLL of apex is not built",
)
DRIVERS_END = """\
Error executing job with overrides: ['runner.logger.log_path=${{oc.env:VLAC_RUN_DIR}}']
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/urllib3/util/connection.py", line 73, in create_connection
    sock.connect(sa)
ConnectionRefusedError: [Errno 111] Connection refused

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/rlinf/scheduler/worker/worker_group.py", line 545, in wait
    self._wait_thread.join()
  File "/opt/venv/lib/python3.11/site-packages/ray/util/state/api.py", line 224, in _make_http_get_request
    raise ServerUnavailable(err_str)
ray.util.state.exception.ServerUnavailable: Failed to make request to http://127.0.0.1:8265/api/v0/actors.

Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace."""
# What the other ranks say when one is gone, by backend.
AFTERWARDS = {
    "ascend": (
        "[ERROR] 2026-08-01-{time} (PID:{pid}, Device:{rank}, RankID:{rank}) ERR02200 DIST call hccl api failed.",
        "EI0002: [PID: {pid}] 2026-08-01-{time}.331.412 Notify register times out. Reason: The wait execution of the Notify register times out.",
        "        Solution: 1. Check the rank service processes with other errors in the cluster.",
    ),
    "cuda": (
        "[rank{rank}]:[E801 {time}.991214118 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4113, OpType=_ALLGATHER_BASE) ran for 600042 milliseconds before timing out.",
    ),
    "cpu": (
        "Traceback (most recent call last):",
        '  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 2806, in all_reduce',
        "    work = group.allreduce([tensor], opts)",
        "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:537] Read error [10.0.0.7]:9131: Connection reset by peer.",
    ),
}
CONSEQUENCES = {
    "ascend": "ascend-link-timeout",
    "cuda": "cuda-collective-timeout",
    "cpu": "machine-peer-closed",
}


@dataclass
class Scene:
    """A training that fails. `victim` is the rank that prints the fault, `files` the logs by name."""

    seed: int
    backend: str
    world: int = 0
    victim: int = 0
    files: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)
        self.world = self.draw.choice((2, 4, 8))
        self.victim = self.draw.randrange(self.world)
        self.one_log = self.draw.random() < 0.6
        self.colours = self.draw.random() < 0.7
        self.steps = self.draw.choice((0, 0, 1, 3, 40))  # made before the fault
        self.seconds = 12 * 3600 + self.draw.randrange(3000)
        self.parts: dict[str, list[str]] = {}

    def write(self, folder: Path) -> list[Path]:
        """Put the logs into a folder."""
        found = []
        for name, parts in self.parts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(parts))
            found.append(path)
        return found

    def fail(self, fault: list[str], *, afterwards: bool = True, caught: bool = True) -> None:
        """The whole training: start, steps, the fault, and what follows from it.

        `caught`: another rank prints the traceback of an exception that it went on from, before.
        """
        self._start(caught=caught)
        self._train()
        early: list[int] = []
        if self.one_log and afterwards:  # Ray's driver prints what comes first, not what happened first
            early = [rank for rank in range(self.world) if rank != self.victim and self.draw.random() < 0.3]
            self._afterwards(early)
        self._bar(open_end=True)
        self.say(self.victim, [_WRITTEN_AT.sub(rf"\g<1>{self.time}", line) for line in fault])
        if afterwards:
            self.seconds += self.draw.randrange(1, 700)
            self._afterwards(
                [rank for rank in range(self.world) if rank != self.victim and rank not in early]
            )
            self.driver(DRIVERS_END.format() + "\n")
        self._chatter(10)

    def driver(self, text: str) -> None:
        """What the driver itself prints."""
        self.parts.setdefault("run.log", []).append(text)

    def say(self, rank: int, lines: list[str], repeated: int = 0) -> None:
        """What a rank prints: in its own file, or in the driver's with Ray's prefix."""
        if not self.one_log:
            self.parts.setdefault(f"logs/ActorGroup/rank_{rank}.log", []).append("\n".join(lines) + "\n")
            return
        for number, line in enumerate(lines):
            suffix = f"\x1b[32m [repeated {repeated}x across cluster]{DEDUPED}\x1b[0m" if repeated else ""
            self.driver(f"{self._prefix(rank)}{line}{suffix}\n")
            if number % 5 == 4:  # others write in between
                other = (rank + 1) % self.world
                self.driver(f"{self._prefix(other)}{self._noise(other)}\n")

    def _prefix(self, rank: int) -> str:
        text = f"(ActorGroup(rank={rank}) pid={25000 + rank})"
        return f"{self.draw.choice(COLOURS)}{text}\x1b[0m " if self.colours else f"{text} "

    def _noise(self, rank: int) -> str:
        self.seconds += self.draw.randrange(2)
        known = (*NOISE, *NOISE_OF_ASCEND) if self.backend == "ascend" else NOISE
        return self.draw.choice(known).format(time=self.time, rank=rank)

    @property
    def time(self) -> str:
        return f"{self.seconds // 3600 % 24:02}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}"

    def _chatter(self, count: int) -> None:
        for _ in range(count):
            rank = self.draw.randrange(self.world)
            self.say(rank, [self._noise(rank)], repeated=self.draw.choice((0, 0, 0, self.world - 1)))

    def _start(self, *, caught: bool) -> None:
        self.driver(f"2026-08-01 {self.time},407\tINFO worker.py:2038 -- Connected to Ray cluster.\n")
        self.driver(
            f"[INFO {self.time} RLinf] RLinf is running on a cluster with 1 node and {self.world} accelerators.\n"
        )
        for rank in range(self.world):
            self.say(rank, [NOISE[0].format(time=self.time, rank=rank)])
        self._chatter(12)
        if caught:
            other = (self.victim + 1) % self.world
            self.say(other, [line.format(time=self.time, rank=other) for line in CAUGHT])
        self._chatter(8)

    def _train(self) -> None:
        for step in range(1, self.steps + 1):
            self.seconds += 61
            self._chatter(2)
            self._bar(step, open_end=self.draw.random() < 0.5)

    def _bar(self, step: int | None = None, *, open_end: bool = False) -> None:
        step = self.steps if step is None else step
        self.driver(
            BAR.format(percent=step, full="█" * (step // 10), step=step, total=100, passed="01:01", loss=step)
            + ("" if open_end else "\n")
        )

    def _afterwards(self, ranks: list[int]) -> None:
        for rank in ranks:
            text = [
                line.format(time=self.time, pid=25000 + rank, rank=rank) for line in AFTERWARDS[self.backend]
            ]
            self.say(rank, text)
