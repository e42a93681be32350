"""The data set: format, counts, files, features, instructions, time, and whether it fills a batch."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from vlac.doctor import dataset
from vlac.doctor.data_files import files
from vlac.doctor.dataset import DatasetError
from vlac.doctor.finding import fail, ok, some, unchecked, warning
from vlac.doctor.formats import format_fits
from vlac.doctor.parquet import INSTALL, MissingPyarrow
from vlac.doctor.timestamps import timestamps
from vlac.models.data_needs import MODEL_ACTION_DIM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vlac.doctor.dataset import Dataset
    from vlac.doctor.finding import Finding
    from vlac.doctor.places import Place
    from vlac.doctor.subject import Subject


def data(subject: Subject) -> Iterator[Finding]:
    """Everything about the data sets of a run."""
    if not subject.data:
        yield unchecked("data", "the run names no data set")
    if subject.writes_data:
        yield unchecked("data", "the demo data set is written when the run starts")
        return
    for place in subject.data:
        yield from _one(subject, place)


def _one(subject: Subject, place: Place) -> Iterator[Finding]:
    if place.path is None:
        yield unchecked("data", f"data set: {place.why}")
        return
    if not place.path.is_dir():
        fix = "download it, or correct data.path"
        yield fail("data", "doctor-data-missing", f"there is no data set at {place.path}", fix)
        return
    try:
        found = dataset.read(place.path)
    except DatasetError as problem:
        yield fail("data", "doctor-data-missing", problem.message, problem.fix)
        return
    yield from format_fits(subject, found)
    for check in (counts, files, tasks, timestamps):
        yield from _guarded(check, found)
    yield from features(subject, found)
    yield from fills_batch(subject, found)


def _guarded(check: Callable[[Dataset], Iterator[Finding]], found: Dataset) -> Iterator[Finding]:
    """A check that may need pyarrow, or fail to read a file of meta/."""
    try:
        yield from check(found)
    except MissingPyarrow:
        yield unchecked("data", f"{check.__name__}: pyarrow is not installed", INSTALL)
    except DatasetError as problem:
        yield fail("data", "doctor-data-meta", problem.message, problem.fix)


def counts(found: Dataset) -> Iterator[Finding]:
    """Episodes and frames of meta/ against the totals of info.json."""
    episodes, frames = len(found.episodes), sum(episode.length for episode in found.episodes)
    said = (("total_episodes", episodes, "episodes"), ("total_frames", frames, "frames"))
    wrong = [
        f"{name} is {found.count(name)}, but meta/ lists {number:,} {what}"
        for name, number, what in said
        if found.count(name) != number
    ]
    if wrong:
        fix = "convert or download the data set again; a conversion that was interrupted leaves this"
        yield fail("data", "doctor-data-counts", f"meta/info.json: {'; '.join(wrong)}", fix)
    elif not episodes:
        yield fail("data", "doctor-data-counts", "the data set has no episodes", "record or download some")
    else:
        yield ok("data", f"{episodes:,} episodes, {frames:,} frames, {found.fps:g} frames a second")


def tasks(found: Dataset) -> Iterator[Finding]:
    """Instructions are there, which become the prompts."""
    told = [task for task in found.tasks if task.strip()]
    if not found.tasks:
        fix = "add them: openpi ends with `Prompt is required`, or a task_index that has no task"
        yield fail("data", "doctor-data-tasks", "the data set has no tasks", fix)
    elif len(told) < len(found.tasks):
        lost = len(found.tasks) - len(told)
        fix = "write the instruction of each task"
        yield warning("data", "doctor-data-tasks", f"{lost} of {len(found.tasks)} tasks have no text", fix)
    elif found.count("total_tasks") != len(told):
        message = f"meta/info.json says {found.count('total_tasks')} tasks, meta/ lists {len(told)}"
        yield warning("data", "doctor-data-tasks", message, "correct total_tasks, or add the missing tasks")
    else:
        yield ok("data", f"{len(told)} {'task' if len(told) == 1 else 'tasks'}")


def features(subject: Subject, found: Dataset) -> Iterator[Finding]:
    """Features and their sizes against what the data config reads."""
    needs, config = subject.needs, subject.config
    if needs is None or config is None:
        yield unchecked("data", "features: what this data config reads is not known to vlac")
        return
    if needs.broken:
        fix = f"no data set cures it: mend the class in RLinf, or take another config than {config.name}"
        yield fail("data", "doctor-config-broken", f"RLinf cannot build {config.name}: {needs.broken}", fix)
    if needs.prompt == "option":
        fix = "data: {options: {task_key: task}}, or prompt_key, or default_prompt"
        message = f"{config.name} takes no prompt from the tasks, and data.options names none"
        yield fail("data", "doctor-data-tasks", message, fix)
    if not needs.state:
        yield unchecked("data", f"features: {config.name}: {needs.no_statistics}")
        return
    wrong = [*_missing(subject, found), *_sizes(subject, found)]
    yield from wrong
    if not wrong:
        read = ", ".join((*needs.images, *needs.state, *needs.actions))
        yield ok("data", f"{config.name} finds its features: {read}")


def _missing(subject: Subject, found: Dataset) -> Iterator[Finding]:
    needs, config = subject.needs, subject.config
    assert needs is not None and config is not None
    wanted = (*needs.images, *needs.state, *needs.actions, "task_index")
    absent = [name for name in wanted if name not in found.features]
    if absent:
        has = [name for name in found.features if name not in wanted and not _is_index(name)]
        fix = f"rename features of the data set or take the config that fits it; it has {some(has, 8)}"
        close = {name: get_close_matches(name, has, 1, 0.6) for name in absent}
        alike = ", ".join(f"{name} may be {found[0]}" for name, found in close.items() if found)
        message = f"{config.name} reads features that the data set has not: {', '.join(absent)}"
        yield fail("data", "doctor-data-features", message, f"{fix} ({alike})" if alike else fix)
    for name in needs.images:
        if name in found.features and not found.is_picture(name):
            what = f"{name} is {found.features[name].get('dtype')}, and {config.name} reads it as an image"
            yield fail("data", "doctor-data-features", what, "take the feature that holds the images")


def _is_index(name: str) -> bool:
    return name in ("index", "frame_index", "episode_index", "task_index", "timestamp")


def _sizes(subject: Subject, found: Dataset) -> Iterator[Finding]:
    needs, config = subject.needs, subject.config
    assert needs is not None and config is not None
    parts = (("state", needs.state, needs.state_size), ("action", needs.actions, needs.action_size))
    for what, names, exact in parts:
        if any(name not in found.features for name in names):
            continue
        size = sum(found.size(name) for name in names)
        told = f"the {what} of the data set has {size} entries"
        if exact is not None and size != exact:
            message = f"{told}, and {config.name} takes {exact}"
            yield fail("data", "doctor-data-size", message, "take the data config that fits the robot")
        elif size > MODEL_ACTION_DIM and not (what == "state" and needs.cut_state):
            message = f"{told}, more than the {MODEL_ACTION_DIM} of the model"
            yield fail("data", "doctor-data-size", message, "choose the entries that the model should have")
        elif size < _delta_length(subject) and not _is_padded(subject, what):
            message = (
                f"{told}, and {config.name} makes the first {_delta_length(subject)} of an action relative"
            )
            yield fail("data", "doctor-data-size", message, "set data.options.extra_delta_transform: false")
        elif what == "action" and size != config.action_dim:
            message = f"{told}; RLinf's configs with {config.name} act with {config.action_dim}"
            fix = "check that the data config is the one of this robot"
            yield warning("data", "doctor-data-size", message, fix)


def _is_padded(subject: Subject, what: str) -> bool:
    needs = subject.needs
    return needs is not None and (needs.padded_state if what == "state" else needs.padded_actions)


def _delta_length(subject: Subject) -> int:
    return sum(abs(length) for length in subject.needs.delta) if subject.needs else 0


def fills_batch(subject: Subject, found: Dataset) -> Iterator[Finding]:
    """A rank's share of the frames against its batch: openpi's loader drops the last incomplete one.

    Source: openpi 15a9616, training/data_loader.py, `Local batch size ... is larger than the dataset size`.
    """
    if "world_size" not in subject.plan.derived or not subject.is_openpi or not found.frames:
        return
    ranks, micro = subject.plan.integer("world_size"), subject.plan.get("train.micro_batch")
    batch = subject.plan.get("train.global_batch")
    share = found.frames // ranks
    if isinstance(micro, int) and share < micro:
        message = f"{found.frames} frames are {share} for each of {ranks} ranks, fewer than a micro batch of {micro}"
        yield fail("data", "doctor-data-small", message, "train on fewer cards, or lower train.micro_batch")
    elif isinstance(batch, int) and found.frames < batch:
        message = f"one step takes {batch} samples, and the data set has {found.frames} frames"
        yield warning("data", "doctor-data-small", message, "lower train.global_batch")
    elif isinstance(batch, int):
        yield ok("data", f"an epoch is {found.frames // batch:,} steps of {batch} samples")
