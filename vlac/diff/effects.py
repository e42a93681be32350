"""What a change does to a config as a run sees it: composed by Hydra before and after, each key with its cause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.patches.changes import ABSENT, ConfigChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vlac.diff.image import Image
    from vlac.errors import RefusedError
    from vlac.patches.changes import Held, Key
    from vlac.patches.parse import Line
    from vlac.rlinf.compose import Composition

_KIND: tuple[Key, Key] = (("runner", "task_type"), ("actor", "model", "model_type"))


@dataclass(frozen=True)
class Effect:
    """A config before and after; None where there is none, or where it does not compose.

    `problem` says why it does not before the change, so that nothing is known about it; `broken` why it does not after.
    """

    config: str
    before: Composition | None
    after: Composition | None
    problem: str = ""
    broken: str = ""

    @property
    def kind(self) -> tuple[Held, Held]:
        """Task and model type of its run."""
        composed = self.after or self.before
        leaves = composed.leaves if composed else {}
        task, model = (leaves[key].value if key in leaves else ABSENT for key in _KIND)
        return task, model

    def value(self, key: Key) -> Held:
        """A key after the change."""
        return _held(self.after, key)

    def changed(self) -> list[Key]:
        """The keys whose composed value is another; none where one side cannot be known."""
        if self.problem or self.broken:
            return []
        before, after = self._leaves(self.before), self._leaves(self.after)
        return [
            key for key in {**before, **after} if not _same(_held(self.before, key), _held(self.after, key))
        ]

    def change(self, key: Key, image: Image, line: Line) -> ConfigChange:
        """The record of a key that a changed line of a file causes."""
        return ConfigChange(
            file=image.path,
            key=key,
            old=_held(self.before, key),
            new=_held(self.after, key),
            line=line.number,
            config=self.config,
            old_place=place(self.before, key),
            new_place=place(self.after, key),
            cause=f"{line.mark}{line.text}",
        )

    @staticmethod
    def _leaves(composed: Composition | None) -> Mapping[Key, object]:
        return composed.leaves if composed else {}


def effect_of(config: str, before: Path, after: Path) -> Effect:
    """Compose a config in both trees. Raises RefusedError where Hydra is not installed."""
    old, wrong_before = _composed(config, before)
    new, wrong_after = _composed(config, after)
    if wrong_before:
        return Effect(config, old, new, problem=f"before the change {wrong_before}")
    return Effect(config, old, new, broken=wrong_after)


def _composed(config: str, tree: Path) -> tuple[Composition | None, str]:
    """The composition, None where there is no such config or it does not compose, which is told."""
    from vlac.rlinf.compose import ComposeError, compose

    if not (tree / config).is_file():
        return None, ""
    try:
        return compose(tree / config, tree), ""
    except ComposeError as refused:
        return None, _told(refused, tree)


def _told(refused: RefusedError, tree: Path) -> str:
    words = str(refused).replace(f"{tree}/", "")
    return f"{words} ({refused.hint})" if refused.hint else words


def _held(composed: Composition | None, key: Key) -> Held:
    leaf = composed.leaves.get(key) if composed else None
    return leaf.value if leaf else ABSENT


def place(composed: Composition | None, key: Key) -> str:
    """`file:line` of the tree that decides a key, empty where nobody knows."""
    leaf = composed.leaves.get(key) if composed else None
    return f"{leaf.file}:{leaf.line}" if leaf and leaf.file else ""


def _same(one: Held, other: Held) -> bool:
    return type(one) is type(other) and one == other


def changes_of(effect: Effect, images: Mapping[str, Image]) -> Iterator[ConfigChange]:
    """Every key that is composed to another value, with the changed line that causes it."""
    for key in effect.changed():
        image, line = _cause(effect, key, images)
        yield effect.change(key, image, line)


def _cause(effect: Effect, key: Key, images: Mapping[str, Image]) -> tuple[Image, Line]:
    """The changed line that decides a key; else the entry of `defaults` that brought its file in or left it out."""
    for composed, mark in ((effect.after, "+"), (effect.before, "-")):
        leaf = composed.leaves.get(key) if composed else None
        if leaf is None or leaf.file is None or leaf.line is None or leaf.file not in images:
            continue
        image = images[leaf.file]
        found = _changed_at(image, leaf.line, mark)
        if found:
            return image, found
    return _by_defaults(effect, key, images)


def _changed_at(image: Image, number: int, mark: str) -> Line | None:
    """The line of one side if it is changed, else the next changed one below it that is indented deeper or a list."""
    side = [line for line in image.lines if line.mark in (" ", mark)]
    if not 0 < number <= len(side):
        return None
    if side[number - 1].mark == mark:
        return side[number - 1]
    depth = _indent(side[number - 1].text)
    for line in side[number:]:
        if line.text.strip() and _indent(line.text) <= depth and not line.text.lstrip().startswith("- "):
            return None
        if line.mark == mark:
            return line
    return None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _by_defaults(effect: Effect, key: Key, images: Mapping[str, Image]) -> tuple[Image, Line]:
    """The changed entry that names the file which holds the key now, or held it; else any changed entry or line."""
    changed = [
        (image, line) for image in _own_first(effect, images) for line in image.lines if line.mark != " "
    ]
    for composed, mark in ((effect.after, "+"), (effect.before, "-")):
        leaf = composed.leaves.get(key) if composed else None
        option = (leaf.file or "").rpartition("/config/")[2].removesuffix(".yaml") if leaf else ""
        named = re.compile(rf"\b{re.escape(option)}(?!\w)")
        for image, line in changed if option else ():
            if line.mark == mark and named.search(line.text):
                return image, line
    entries = [pair for pair in changed if pair[1].text.lstrip().startswith("- ")]
    return next(iter([*entries, *changed]))


def _own_first(effect: Effect, images: Mapping[str, Image]) -> list[Image]:
    return sorted(images.values(), key=lambda image: image.path != effect.config)
