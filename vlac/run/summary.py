"""What is said at the end of a run: how it ended, where its things are, and what was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from vlac.diagnose import diagnose
from vlac.diagnose.masking import known_secrets, masked
from vlac.diagnose.show import as_text
from vlac.errors import RefusedError
from vlac.run import rlinf_files
from vlac.run.checks import Check, all_checks, read_run
from vlac.run.launch import first_step, smoke_steps
from vlac.run.live import duration
from vlac.run.patched import patched_files

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.run.launch import Launch
    from vlac.run.supervise import Outcome

CHECK_FAILED = 1


def finish(launch: Launch, folder: Path, outcome: Outcome, out: TextIO) -> int:
    """Check a run, print its summary, and return the exit code of `vlac run`."""
    is_trained = outcome.exit_code == 0
    checks = (
        [*_installed(launch), *all_checks(read_run(launch.bundle, folder, _steps(launch)))]
        if is_trained
        else []
    )
    out.write(
        "\n".join(["", *_ending(launch, folder, outcome), "", *_places(launch, folder), *_table(checks)])
        + "\n"
    )
    if is_trained and any(check.verdict == "failed" for check in checks):
        return CHECK_FAILED
    return outcome.exit_code


def _steps(launch: Launch) -> int | None:
    """Optimizer steps that the run was to make, None where its epochs may end it earlier."""
    if launch.overrides:
        return smoke_steps(launch.plan)
    steps = launch.plan.get("train.steps")
    return steps if isinstance(steps, int) and launch.plan.get("train.epochs") is None else None


def _installed(launch: Launch) -> list[Check]:
    """Whether RLinf is as published, for runs with the installed package."""
    if launch.checkout is not None:
        return []
    name = "RLinf as published"
    answer = rlinf_files.ask(launch.python)
    if not answer or not answer["files"]:
        return [Check(name, "not checked", "the interpreter has no rlinf with a RECORD")]
    assert isinstance(answer["changed"], list)
    patched = patched_files(launch.plan)
    changed = [file for file in answer["changed"] if file not in patched]
    if changed:
        return [
            Check(name, "failed", f"rlinf {answer['version']}: {len(changed)} files differ, as {changed[0]}")
        ]
    but = f", but the {len(patched)} that the listed patches change" if patched else ""
    return [
        Check(name, "ok", f"rlinf {answer['version']}: {answer['files']} files equal the wheel's RECORD{but}")
    ]


def _ending(launch: Launch, folder: Path, outcome: Outcome) -> list[str]:
    lines = [_headline(launch, outcome)]
    if outcome.exit_code and outcome.signal is None:
        lines += _diagnosis(launch, folder, outcome)
    if outcome.leftover:
        lines.append(f"These processes of the run do not end: {', '.join(map(str, outcome.leftover))}")
    return lines


def _diagnosis(launch: Launch, folder: Path, outcome: Outcome) -> list[str]:
    """What the log says that ended the run; the first error as it was printed where the log could not be written."""
    secrets = known_secrets(launch.shell, launch.plan.secrets)
    try:
        diagnosis = diagnose([folder / "run.log"], launch.plan.adapter.name)
    except RefusedError:
        diagnosis = None
    if diagnosis is not None and diagnosis.main is not None:
        return ["", "diagnosis", *(f"  {line}".rstrip() for line in as_text(diagnosis, secrets).splitlines())]
    said = masked(outcome.first_error or "", secrets).splitlines()
    return ["", "The first error:", *(f"  {line}" for line in said)] if said else []


def _headline(launch: Launch, outcome: Outcome) -> str:
    after = f"after {duration(outcome.seconds)}"
    name = launch.plan.name
    if outcome.signal is not None:
        return f"{name}: stopped by {'Ctrl-C' if outcome.signal == 2 else 'TERM'} {after}; nothing of it runs any more"
    if outcome.exit_code:
        return f"{name}: {_failure(outcome)} {after}, exit status {outcome.exit_code}"
    return f"{name}: trained {_size(launch, outcome)} {after}"


def _failure(outcome: Outcome) -> str:
    who = f"worker {', '.join(outcome.died)} died; " if outcome.died else ""
    return f"{who}vlac ended the run" if outcome.fault else f"{who}the run failed"


def _size(launch: Launch, outcome: Outcome) -> str:
    plan = launch.plan
    before = first_step(plan) - 1
    steps = outcome.last_progress.step - before if outcome.last_progress else "all"
    since = f", from step {before} on," if before else ""
    ranks, samples = plan.integer("world_size"), plan.integer("samples_per_step")
    family = plan.get("model.family")
    return f"{family} for {steps} steps of {samples} samples{since} on {ranks} ranks ({plan.adapter.name})"


def _places(launch: Launch, folder: Path) -> list[str]:
    places = {
        "log": "run.log",
        "bundle": "bundle",
        "checkpoints": f"{launch.plan.name}/checkpoints",
        "tensorboard": "tensorboard",
        "data": "data",
    }
    found = [f"  {name:<12} {path}" for name, path in places.items() if (folder / path).exists()]
    return [f"run folder: {folder}", *found]


def _table(checks: list[Check]) -> list[str]:
    if not checks:
        return []
    width = max(len(check.name) for check in checks)
    rows = [f"  {check.verdict:<11}  {check.name:<{width}}  {check.detail}" for check in checks]
    return ["", "checks", *rows]
