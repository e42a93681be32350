"""Put a bundle together: every emitter in its turn, the lock last, because it hashes the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.bundle import Bundle, launch_sh, lock, run_env
from vlac.bundle.bootstrap import bootstrap_files
from vlac.bundle.patch_files import patch_files
from vlac.rlinf import config_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting

EXECUTABLE = frozenset({"launch.sh"})


def build(
    plan: RunPlan, config: Mapping[tuple[str, ...], Setting], diagnostics: tuple[Diagnostic, ...]
) -> Bundle:
    """The bundle of a plan and its lowered configuration."""
    files = {"config.yaml": config_yaml.emit(config, name=plan.name)}
    if plan.adapter.name:
        files |= _launch_files(plan)
    files |= patch_files(plan)
    files["vlac.lock.json"] = lock.emit(plan, config, files, diagnostics, EXECUTABLE)
    return Bundle(plan, config, files, EXECUTABLE & files.keys(), diagnostics)


def _launch_files(plan: RunPlan) -> dict[str, bytes]:
    """What starts the run. A spec with a base may leave open where it runs; then there is nothing to start."""
    return {
        "launch.sh": launch_sh.emit(plan),
        "run.env": run_env.emit(plan),
        **{f"bootstrap/{path}": content for path, content in bootstrap_files(plan).items()},
    }
