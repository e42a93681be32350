"""Both sides of a change on a tree: which configs and scripts it touches, and what a run sees of them."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from vlac.diff.effects import Effect, changes_of, effect_of
from vlac.diff.touched import config_folder, is_entry, users
from vlac.diff.twin import twin
from vlac.errors import RefusedError
from vlac.patches.config_changes import config_changes
from vlac.patches.meaning import changes_of_file
from vlac.rlinf.stock_configs import CONFIG_NAME, GROUP_FILES, LIBERO_SFT_OPENPI, known_layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.diff.image import Image
    from vlac.patches.changes import Change, ConfigChange, Held, Key

_TASK = re.compile(r"^\s+task_type:\s*[\"']?(\w+)", re.MULTILINE)
_KIND: tuple[Key, Key] = (("runner", "task_type"), ("actor", "model", "model_type"))


@dataclass(frozen=True, slots=True)
class Other:
    """A touched config that another run is started with; `why` says which."""

    config: str
    why: str


@dataclass
class Evaluation:
    """A change on a tree. `before` and `after` are the trees, the second a copy.

    `effects` are the configs that a run of the spec's kind is started with, composed; the first is the one that is
    nearest to the spec. `others` are of other runs, `undecided` what could not be looked at, in words.
    """

    before: Path
    after: Path
    images: Mapping[str, Image]
    kind: tuple[Held, Held]
    effects: list[Effect] = field(default_factory=list)
    others: list[Other] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    shared: dict[str, int] = field(default_factory=dict)

    @property
    def reference(self) -> Effect | None:
        """The config that the spec's run would be started with on this tree."""
        return self.effects[0] if self.effects else None

    @cached_property
    def composed(self) -> bool:
        """Whether Hydra is there to compose."""
        return not any("Hydra" in sentence for sentence in self.undecided)

    def changes(self, name: str) -> tuple[Change, ...]:
        """Everything that the change sets, as a run of the spec's kind sees it; `name` is the change's."""
        return tuple(self._changes(name))

    def _changes(self, name: str) -> Iterator[Change]:
        for image in self.images.values():
            if config_folder(image.path) and self.composed:
                yield from self._of_config(name, image)
            else:
                groups = GROUP_FILES if config_folder(image.path) else {}
                yield from changes_of_file(name, image.widened(), groups, known_layout())

    def _of_config(self, name: str, image: Image) -> Iterator[Change]:
        """The composed keys that the lines of one file cause, and those that its lines set in vain, line by line."""
        for effect in self.effects:
            caused = list(changes_of(effect, self.images))
            found = [change for change in caused if change.file == image.path]
            if effect.config == image.path or self._brings_in(effect, image):
                found += self._in_vain(name, effect, image, {change.key for change in caused})
            yield from sorted(found, key=lambda change: change.line)

    def _brings_in(self, effect: Effect, image: Image) -> bool:
        files = [file for side in (effect.before, effect.after) if side for file in side.files]
        return any(file.as_posix().endswith(f"/{image.path}") for file in files)

    def _in_vain(self, name: str, effect: Effect, image: Image, caused: set[Key]) -> Iterator[ConfigChange]:
        """The keys that changed lines write, and that are composed to the same value as before."""
        if not (effect.before and effect.after):
            return
        above = _package(effect, image.path)
        for written in config_changes(name, image.widened(), above):
            if written.key in caused or written.key[0] in ("defaults", "hydra"):
                continue
            line = next(
                (line for line in image.lines if line.number == written.line and line.mark != " "), None
            )
            if line is not None:
                yield effect.change(written.key, image, line)


def _package(effect: Effect, path: str) -> Key:
    """Where Hydra puts the keys of a file: what `defaults` say after the `@`."""
    if effect.config == path:
        return ()
    option = path.rpartition("/config/")[2].removesuffix(".yaml")
    for side in (effect.after, effect.before):
        for file in side.files if side else ():
            found = re.search(rf"\b{re.escape(option)}@([\w.]+)", file.read_text("utf-8", "replace"))
            if found:
                return tuple(found[1].split("."))
    return GROUP_FILES.get(path, tuple(option.split("/")[:-1]))


@contextmanager
def evaluated(before: Path, images: Sequence[Image], bundle: Bundle) -> Iterator[Evaluation]:
    """Compose what the changed files are part of, in the tree and in a copy with the changes."""
    with ExitStack() as stack:
        after = stack.enter_context(twin(before, images))
        yield evaluation(before, after, {image.path: image for image in images}, bundle)


def evaluation(before: Path, after: Path, images: Mapping[str, Image], bundle: Bundle) -> Evaluation:
    """What a run sees of a change, from the trees before and after it."""
    held = {key: bundle.config[key].value for key in _KIND if key in bundle.config}
    made = Evaluation(before, after, images, (held.get(_KIND[0]), held.get(_KIND[1])))
    try:
        _compose(made, bundle)
    except RefusedError as problem:
        made.undecided.append(f"the configs are read line by line, not composed: {problem}; {problem.hint}")
    return made


def _compose(made: Evaluation, bundle: Bundle) -> None:
    stock = _stock_of(bundle)
    wanted = dict.fromkeys(path for path in made.images if is_entry(path))
    for path in made.images:
        if config_folder(path) and not is_entry(path):
            wanted |= dict.fromkeys(_users(made, path, stock))
    found = [effect for config in wanted if (effect := _effect(made, config))]
    if not any(effect.config == stock for effect in found) and (made.before / stock).is_file():
        found.append(effect_of(stock, made.before, made.after))
    name = bundle.config.get(CONFIG_NAME)
    made.effects = sorted(found, key=lambda effect: _distance(effect, stock, name.value if name else None))


def _stock_of(bundle: Bundle) -> str:
    return bundle.plan.base.name if bundle.plan.base else LIBERO_SFT_OPENPI.path


def _users(made: Evaluation, path: str, stock: str) -> list[str]:
    """One config that brings a group's file in: the stock one, else the first of the spec's task."""
    found = users(path, (made.before, made.after))
    task = made.kind[0]
    of_task = [config for config in found if _task(made, config) in (None, task)]
    chosen = [stock] if stock in found else of_task[:1]
    made.shared[path] = len(of_task) - len(chosen)
    if not chosen:
        words = (
            f"it is brought in by {found[0]} and {len(found) - 1} more" if found else "no config brings it in"
        )
        made.others.append(Other(path, f"{words}, none of task {task}" if found else words))
    return chosen


def _effect(made: Evaluation, config: str) -> Effect | None:
    """A config composed; None for one of another run, which is noted."""
    task = _task(made, config)
    if task is not None and task != made.kind[0]:
        made.others.append(Other(config, f"a config of task {task}"))
        return None
    effect = effect_of(config, made.before, made.after)
    if effect.problem:
        made.undecided.append(effect.problem)
    if effect.before or effect.after:
        if effect.broken or effect.kind == made.kind:
            return effect
        made.others.append(
            Other(config, f"a config of task {effect.kind[0]} with model type {effect.kind[1]}")
        )
    return None


def _task(made: Evaluation, config: str) -> str | None:
    for tree in (made.after, made.before):
        file = tree / config
        found = _TASK.search(file.read_text("utf-8", "replace")) if file.is_file() else None
        if found:
            return found[1]
    return None


def _distance(effect: Effect, stock: str, config_name: object) -> tuple[bool, bool]:
    """A touched config for the spec's data comes first, then the stock one, then the others."""
    changed = effect.before != effect.after
    return not (changed and effect.value(CONFIG_NAME) == config_name), effect.config != stock
