"""Each check of a finished run: it holds for a good run, and fails for one that is not as compiled."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import vlac
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.schedule import schedule_of
from vlac.run import checks
from vlac.run.events import scalars

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """
vlac: 1
name: tiny
rlinf: {version: "0.3"}
model: {family: demo}
hardware: {backend: cpu, cards: 2}
train: {steps: 30, micro_batch: 2, global_batch: 8, lr: 1.0e-3, warmup_steps: 3}
"""


def field(number: int, kind: int, content: bytes) -> bytes:
    return bytes([number << 3 | kind]) + content


def message(number: int, content: bytes) -> bytes:
    return field(number, 2, bytes([len(content)]) + content)


def event(step: int, tag: str, value: float) -> bytes:
    scalar = message(1, message(1, tag.encode()) + field(2, 5, struct.pack("<f", value)))
    return field(1, 1, struct.pack("<d", 1.0)) + field(2, 0, bytes([step])) + message(5, scalar)


def write_events(folder: Path, metrics: dict[str, dict[int, float]]) -> Path:
    """Write metrics by optimizer step as RLinf does: the first step is 0."""
    records = [
        event(step - 1, tag, value) for tag, values in metrics.items() for step, value in values.items()
    ]
    version = field(1, 1, struct.pack("<d", 1.0)) + message(3, b"brain.Event:2")
    content = b"".join(struct.pack("<QI", len(r), 0) + r + b"\0\0\0\0" for r in [version, *records])
    path = folder / "tensorboard/events.out.tfevents.1.host"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


class Finished:
    """A good run of SPEC; tests spoil one thing of it."""

    def __init__(self, folder: Path, spec: str = SPEC) -> None:
        self.folder = folder
        self.bundle = vlac.compile_text(spec, folder=folder)
        schedule = schedule_of(self.bundle.config)
        assert schedule is not None
        steps = range(1, 31)
        self.metrics = {
            "train/learning_rate": {step: schedule.logged_rate(step) for step in steps},
            "train/micro_batches": dict.fromkeys(steps, 2.0),
            "train/loss": {step: 2.0 / step for step in steps},
        }
        self.checkpoint = folder / "tiny/checkpoints/global_step_30/actor"
        shards = self.checkpoint / "dcp_checkpoint"
        shards.mkdir(parents=True)
        (shards / ".metadata").write_bytes(b"...__0_0.distcp...__1_0.distcp...")
        for name in ("__0_0.distcp", "__1_0.distcp"):
            (shards / name).write_bytes(b"x")
        (self.checkpoint / "model_state_dict").mkdir()
        (self.checkpoint / "model_state_dict/full_weights.pt").write_bytes(b"x")

    def run(self, steps: int | None = 30) -> checks.Run:
        write_events(self.folder, self.metrics)
        return checks.read_run(self.bundle, self.folder, steps)


@pytest.fixture
def finished(tmp_path):
    return Finished(tmp_path)


def test_a_good_run_passes_every_check(finished):
    found = checks.all_checks(finished.run())
    assert [(check.name, check.verdict) for check in found if check.verdict != "ok"] == []
    assert len(found) == 5


def test_a_run_that_left_nothing_is_not_checked_or_failed_but_never_ok(tmp_path, finished):
    run = checks.read_run(finished.bundle, tmp_path / "empty", 30)
    assert [check.verdict for check in checks.all_checks(run)] == [
        "not checked",
        "not checked",
        "not checked",
        "failed",
        "not checked",
    ]


def test_a_run_that_goes_on_from_a_checkpoint(tmp_path):
    finished = Finished(tmp_path, SPEC + "checkpoints: {resume: /old/global_step_20}\n")
    for values in finished.metrics.values():
        for step in range(1, 21):
            del values[step]
    found = {check.name: (check.verdict, check.detail) for check in checks.all_checks(finished.run())}
    assert found["optimizer steps"] == ("ok", "steps 21 to 30 were logged")
    assert found["learning rate"][0] == "ok"
    assert found["loss"][0] == "not checked"
    del finished.metrics["train/learning_rate"][21]
    assert checks.steps_trained(finished.run()).verdict == "failed"


def test_the_loss_of_a_run_that_goes_on_from_a_checkpoint_fell_before(tmp_path):
    finished = Finished(tmp_path, SPEC + "checkpoints: {resume: /old/global_step_20}\n")
    finished.metrics["train/loss"] = dict.fromkeys(range(21, 61), 0.3)
    assert checks.loss_falls(finished.run()).verdict == "not checked"


def test_a_missing_step(finished):
    del finished.metrics["train/learning_rate"][17]
    check = checks.steps_trained(finished.run())
    assert (check.verdict, "17" in check.detail) == ("failed", True)


def test_a_run_that_ended_early(finished):
    del finished.metrics["train/learning_rate"][30]
    assert checks.steps_trained(finished.run()).verdict == "failed"
    assert checks.steps_trained(finished.run(steps=None)).verdict == "ok"


def test_a_learning_rate_of_another_schedule(finished):
    finished.metrics["train/learning_rate"][20] *= 1.0001
    check = checks.learning_rate(finished.run())
    assert (check.verdict, "step 20" in check.detail) == ("failed", True)


def test_a_schedule_shifted_by_one_step(finished):
    rates = finished.metrics["train/learning_rate"]
    finished.metrics["train/learning_rate"] = {step: rates[max(1, step - 1)] for step in rates}
    assert checks.learning_rate(finished.run()).verdict == "failed"


def test_a_compiled_rate_that_was_edited_to_zero(finished):
    finished.metrics["train/learning_rate"] = dict.fromkeys(range(1, 31), 0.0)
    finished.metrics["train/loss"] = dict.fromkeys(range(1, 31), 1.5)
    run = finished.run()
    assert checks.learning_rate(run).verdict == "failed"
    assert checks.loss_falls(run).verdict == "failed"


def test_a_schedule_without_formula_is_not_checked(finished):
    key = ("actor", "optim", "lr_scheduler")
    config = {**finished.bundle.config, key: Setting("torch_cosine", Origin(Layer.OVERRIDE, "a test"))}
    finished.bundle = replace(finished.bundle, config=config)
    assert checks.learning_rate(finished.run()).verdict == "not checked"


def test_another_number_of_micro_batches(finished):
    finished.metrics["train/micro_batches"][9] = 1.0
    check = checks.micro_batches(finished.run())
    assert (check.verdict, "step 9" in check.detail) == ("failed", True)


@pytest.mark.parametrize(
    "lost",
    [
        "dcp_checkpoint/.metadata",
        "dcp_checkpoint/__1_0.distcp",
        "model_state_dict/full_weights.pt",
    ],
)
def test_a_checkpoint_with_a_file_missing(finished, lost):
    (finished.checkpoint / lost).unlink()
    assert checks.checkpoint(finished.run()).verdict == "failed"


def test_a_checkpoint_with_an_empty_shard(finished):
    (finished.checkpoint / "dcp_checkpoint/__0_0.distcp").write_bytes(b"")
    assert checks.checkpoint(finished.run()).verdict == "failed"


def test_a_checkpoint_without_the_shards_of_a_rank(finished):
    (finished.checkpoint / "dcp_checkpoint/.metadata").write_bytes(b"__0_0.distcp")
    check = checks.checkpoint(finished.run())
    assert (check.verdict, "rank 1" in check.detail) == ("failed", True)


def test_a_checkpoint_of_an_earlier_step_is_not_that_of_the_last(finished):
    finished.checkpoint.parent.rename(finished.checkpoint.parent.parent / "global_step_20")
    assert checks.checkpoint(finished.run()).verdict == "failed"


def test_a_run_that_keeps_no_checkpoints_is_not_checked(tmp_path):
    finished = Finished(tmp_path, SPEC + "checkpoints: {every: never}\n")
    assert checks.checkpoint(finished.run()).verdict == "not checked"


def test_a_loss_that_does_not_fall(finished):
    finished.metrics["train/loss"] = {step: 2.0 - 0.01 * step for step in range(1, 31)}
    assert checks.loss_falls(finished.run()).verdict == "failed"


def test_a_loss_that_is_not_a_number(finished):
    finished.metrics["train/loss"] = dict.fromkeys(range(1, 31), float("nan"))
    assert checks.loss_falls(finished.run()).verdict == "failed"


def test_a_loss_at_the_limit_passes_and_above_it_fails(finished):
    for last, verdict in ((0.7, "ok"), (0.71, "failed")):
        finished.metrics["train/loss"] = {step: 1.0 if step <= 20 else last for step in range(1, 31)}
        assert checks.loss_falls(finished.run()).verdict == verdict


def test_few_steps_do_not_show_a_falling_loss(finished):
    del finished.metrics["train/loss"][30]
    assert checks.loss_falls(finished.run()).verdict == "not checked"


def test_events_that_were_cut_off(finished, tmp_path):
    whole = write_events(tmp_path, finished.metrics)
    content = whole.read_bytes()
    for length in (len(content) - 1, len(content) - 30, 5, 0):
        whole.write_bytes(content[:length])
        assert len(scalars(tmp_path / "tensorboard").get("train/loss", {})) <= 30
    whole.write_bytes(content[:-1])
    assert len(scalars(tmp_path / "tensorboard")["train/loss"]) == 29


def test_no_events_at_all(tmp_path):
    assert scalars(tmp_path / "nowhere") == {}
