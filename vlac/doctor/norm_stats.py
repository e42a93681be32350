"""Normalisation statistics where training reads them: there, of the right size, not degenerate, not out of date.

A file is openpi's: `{"norm_stats": {"state": {"mean", "std", "q01", "q99"}, "actions": ...}}` (openpi 15a9616,
shared/normalize.py). A missing file ends the run, in the model builder or in the data loader; too few entries end it
at the first batch (transforms.py, Normalize).
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from vlac.doctor import dataset
from vlac.doctor.dataset import INFO, DatasetError
from vlac.doctor.finding import fail, ok, some, unchecked, warning
from vlac.models.data_needs import MODEL_ACTION_DIM, uses_quantiles
from vlac.models.norm_stats import norm_stats_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vlac.doctor.dataset import Dataset
    from vlac.doctor.finding import Finding
    from vlac.doctor.subject import Subject

LEAST_STD = 1e-4
LEAST_RANGE = 1e-3
"""Of what is nearly constant, values that differ a little become thousands when they are divided by its spread."""
_COMMAND = "vlac norm-stats SPEC"


def norm_stats(subject: Subject) -> Iterator[Finding]:
    """Every file of statistics that the run reads."""
    if subject.plan.family.name == "demo":
        return
    if not subject.is_openpi:
        yield unchecked("normalisation", "where this model takes its statistics from is not known to vlac")
        return
    if subject.config is None or subject.weights is None or not subject.data:
        yield unchecked("normalisation", "the run names no data config, no weights or no data")
        return
    if subject.weights.path is None:
        yield unchecked("normalisation", f"statistics lie beside the weights: {subject.weights.why}")
        return
    data = str(subject.data[0].path or subject.data[0].written)
    found = norm_stats_files(subject.config.name, subject.weights.path, data, subject.options)
    if not found:
        yield unchecked("normalisation", f"which statistics {subject.config.name} reads is not known to vlac")
    for file, reader in found.items():
        yield from _file(subject, file, reader)


def _file(subject: Subject, file: Path, reader: str) -> Iterator[Finding]:
    if not file.is_file():
        message = f"the {reader} will read {file}, and there is no such file{_elsewhere(subject)}"
        yield fail(
            "normalisation", "doctor-norm-stats-missing", message, f"{_COMMAND} computes it and puts it there"
        )
        return
    stats = _read(file)
    if stats is None:
        message = f"{file} holds no statistics as openpi writes them"
        yield fail("normalisation", "doctor-norm-stats-broken", message, f"{_COMMAND} --force")
        return
    found = _dataset(subject)
    problems = [*_quantiles(subject, stats), *_sizes(subject, stats, found), *_degenerate(subject, stats)]
    yield from (*problems, *_age(file, found))
    if not problems:
        sizes = ", ".join(f"{name} {len(one['mean'])}" for name, one in stats.items())
        yield ok("normalisation", f"{file} ({reader}): {sizes}")


def _elsewhere(subject: Subject) -> str:
    """RLinf's and openpi's scripts write beside the data set, where training does not look."""
    place = subject.data[0].path
    beside = place / "norm_stats.json" if place else None
    return f" ({beside} is not read)" if beside and beside.is_file() else ""


def _read(file: Path) -> dict[str, dict[str, list[float]]] | None:
    """The statistics by key, None where the file holds none."""
    try:
        document: Any = json.loads(file.read_text(encoding="utf-8"))
        return {name: _lists(one) for name, one in document["norm_stats"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _lists(one: dict[str, Any]) -> dict[str, list[float]]:
    """Raises TypeError or KeyError where `mean` and `std` are no lists of numbers."""
    found = {name: [float(value) for value in values] for name, values in one.items() if values is not None}
    if len(found["mean"]) != len(found["std"]):
        raise TypeError("mean and std differ in length")
    return found


def _dataset(subject: Subject) -> Dataset | None:
    place = subject.data[0].path
    try:
        return dataset.read(place) if place else None
    except DatasetError:
        return None


def _quantiles(subject: Subject, stats: dict[str, dict[str, list[float]]]) -> Iterator[Finding]:
    lost = [name for name in ("state", "actions") if name not in stats]
    if lost:
        message = f"the statistics have no {' and no '.join(lost)}: they would not be normalised"
        yield fail("normalisation", "doctor-norm-stats-broken", message, f"{_COMMAND} --force")
    without = [name for name, one in stats.items() if "q01" not in one or "q99" not in one]
    if without and _by_quantiles(subject):
        message = f"no q01 and q99 of {', '.join(without)}: this model is normalised by quantiles"
        yield fail("normalisation", "doctor-norm-stats-broken", message, f"{_COMMAND} --force")


def _by_quantiles(subject: Subject) -> bool:
    assert subject.config is not None
    return uses_quantiles(subject.config.name, subject.config.family, subject.options)


def _sizes(
    subject: Subject, stats: dict[str, dict[str, list[float]]], found: Dataset | None
) -> Iterator[Finding]:
    needs = subject.needs
    if found is None or needs is None or needs.no_statistics:
        return
    parts = (("state", needs.state, needs.padded_state), ("actions", needs.actions, needs.padded_actions))
    for name, features, padded in parts:
        if name not in stats or any(feature not in found.features for feature in features):
            continue
        size = sum(found.size(feature) for feature in features)
        size = min(size, MODEL_ACTION_DIM) if name == "state" and needs.cut_state else size
        wanted = max(size, MODEL_ACTION_DIM) if padded else size
        have = len(stats[name]["mean"])
        fix = f"they may be of another robot: {_COMMAND} --force"
        if have < wanted:
            message = f"{name}: the statistics have {have} entries, the data {wanted}"
            yield fail("normalisation", "doctor-norm-stats-size", message, fix)
        elif have > wanted and not _is_zero(stats[name], wanted):
            message = f"{name}: the statistics have {have} entries, of which the data use the first {wanted}"
            yield warning("normalisation", "doctor-norm-stats-size", message, fix)


def _is_zero(one: dict[str, list[float]], start: int) -> bool:
    """Whether the entries from `start` on are padding."""
    return all(value == 0 for value in one["std"][start:])


def _degenerate(subject: Subject, stats: dict[str, dict[str, list[float]]]) -> Iterator[Finding]:
    """Entries that are nearly constant. Those that are exactly zero everywhere are padding, and stay zero."""
    for name in ("state", "actions"):
        one = stats.get(name)
        if one is None:
            continue
        numbers = [value for values in one.values() for value in values]
        if not all(math.isfinite(value) for value in numbers):
            message = f"{name}: the statistics hold NaN or infinite values"
            fix = "look for such values in the data; then " + f"{_COMMAND} --force"
            yield fail("normalisation", "doctor-norm-stats-range", message, fix)
            continue
        narrow = _narrow(one, by_quantiles=_by_quantiles(subject))
        if narrow:
            limit = (
                f"q99 - q01 below {LEAST_RANGE:g}" if _by_quantiles(subject) else f"std below {LEAST_STD:g}"
            )
            message = f"{name}: nearly constant ({limit}): {some([f'[{index}]' for index in narrow], 8)}"
            fix = "a small deviation becomes a huge value there: widen their spread in the file, or drop the entries"
            yield warning("normalisation", "doctor-norm-stats-range", message, fix)


def _narrow(one: dict[str, list[float]], *, by_quantiles: bool) -> list[int]:
    padding = {index for index, std in enumerate(one["std"]) if std == 0 and one["mean"][index] == 0}
    if by_quantiles and "q01" in one and "q99" in one:
        spread = [high - low for low, high in zip(one["q01"], one["q99"], strict=False)]
        return [i for i, width in enumerate(spread) if width < LEAST_RANGE and i not in padding]
    return [i for i, std in enumerate(one["std"]) if std < LEAST_STD and i not in padding]


def _age(file: Path, found: Dataset | None) -> Iterator[Finding]:
    """Older than the data: meta/info.json is written whenever episodes are added."""
    if found is None:
        return
    try:
        newer = (found.root / INFO).stat().st_mtime - file.stat().st_mtime
    except OSError:
        return
    if newer > 0:
        days = newer / 86400
        older = f"{days:.1f} days older" if days >= 0.1 else "older"
        message = f"{file} is {older} than the data set"
        fix = f"if the data changed: {_COMMAND} --force; the statistics of the weights are meant to stay otherwise"
        yield warning("normalisation", "doctor-norm-stats-old", message, fix)
