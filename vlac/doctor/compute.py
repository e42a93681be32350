"""`vlac norm-stats`: compute the statistics of a run's data, and put them where training reads them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from vlac.doctor import dataset
from vlac.doctor.dataset import DatasetError
from vlac.doctor.parquet import INSTALL, MissingPyarrow, pyarrow_parquet
from vlac.doctor.statistics import RunningStatistics
from vlac.doctor.vectors import batches
from vlac.errors import MachineError, RefusedError
from vlac.models.data_needs import ASSETS
from vlac.models.norm_stats import norm_stats_files

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.doctor.dataset import Dataset
    from vlac.doctor.places import Place
    from vlac.doctor.statistics import Statistics
    from vlac.doctor.subject import Subject

Progress = Callable[[int, int], None]
"""Told after each batch: frames that are done, and all frames."""


def compute(subject: Subject, *, force: bool, progress: Progress) -> list[Path]:
    """Compute and write; returns the files. Raises RefusedError, or MachineError without pyarrow and numpy."""
    files = targets(subject)
    present = [file for file in files if file.exists()]
    if present and not force:
        raise RefusedError(f"{present[0]} is there already", hint="--force replaces it")
    found = _dataset(subject)
    _refuse_unfit(subject, found, files[0])
    try:
        pyarrow_parquet()
        statistics = statistics_of(subject, found, progress)
    except (MissingPyarrow, ModuleNotFoundError) as problem:
        raise MachineError("pyarrow or numpy is not installed here", INSTALL) from problem
    except DatasetError as problem:
        raise RefusedError(problem.message, hint=problem.fix) from problem
    for file in files:
        write(file, statistics)
    return files


def targets(subject: Subject) -> list[Path]:
    """The files that training will read. Raises RefusedError where they are not known, or not on this machine."""
    if not subject.is_openpi or subject.config is None or not subject.data:
        raise RefusedError("this run has no openpi data config", hint="statistics are for pi0 and pi0.5")
    weights = subject.weights
    if weights is None or weights.path is None or not weights.path.is_dir():
        why = f"there is no folder {weights.path}" if weights and weights.path else _why(weights)
        raise RefusedError(f"statistics go beside the weights: {why}", hint="correct model.weights")
    data = str(subject.data[0].path or subject.data[0].written)
    files = [*norm_stats_files(subject.config.name, weights.path, data, subject.options)]
    if not files:
        raise RefusedError(f"where {subject.config.name} reads its statistics is not known to vlac")
    return files


def _why(place: Place | None) -> str:
    return place.why if place else "the run names none"


def _dataset(subject: Subject) -> Dataset:
    place = subject.data[0]
    if place.path is None:
        raise RefusedError(f"data set: {place.why}", hint="download it, and name its folder under data.path")
    try:
        return dataset.read(place.path)
    except DatasetError as problem:
        raise RefusedError(problem.message, hint=problem.fix) from problem


def _refuse_unfit(subject: Subject, found: Dataset, target: Path) -> None:
    needs, config = subject.needs, subject.config
    if needs is None or config is None or needs.no_statistics:
        name, why = (
            (config.name if config else "this config"),
            needs.no_statistics if needs else "it is unknown",
        )
        raise RefusedError(
            f"vlac does not compute the statistics of {name}: {why}", hint=_by_rlinf(name, found, target)
        )
    absent = [name for name in (*needs.state, *needs.actions) if name not in found.features]
    if absent:
        message = f"{config.name} reads {', '.join(absent)}, which the data set has not"
        raise RefusedError(message, hint="vlac doctor SPEC says more")


def _by_rlinf(name: str, found: Dataset, target: Path) -> str:
    """RLinf's script writes into the data set, from where it has to be copied (v0.3 and main)."""
    script = f"python toolkits/lerobot/calculate_norm_stats.py --config-name {name} --repo-id {found.root}"
    return f"in the RLinf checkout: {script} && mkdir -p {target.parent} && cp {found.root}/{target.name} {target}"


def statistics_of(subject: Subject, found: Dataset, progress: Progress) -> dict[str, Statistics]:
    """The statistics of `state` and `actions`. Raises DatasetError, MissingPyarrow."""
    needs, config = subject.needs, subject.config
    assert needs is not None and config is not None
    state, actions = RunningStatistics(), RunningStatistics()
    for states, sequences in batches(found, needs, config.action_horizon, ASSETS[config.name].batch_size):
        state.update(states)
        actions.update(sequences)
        progress(state.count, found.frames)
    if state.count < 2:
        raise DatasetError(f"{state.count} frames are too few for statistics", "record more episodes")
    return {"state": state.result(), "actions": actions.result()}


def write(file: Path, statistics: dict[str, Statistics]) -> None:
    """Write a file as openpi reads it: whole or not at all, its folder made where it is missing."""
    document = {"norm_stats": {name: asdict(one) for name, one in statistics.items()}}
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8") as opened:
            json.dump(document, opened, indent=2)
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
