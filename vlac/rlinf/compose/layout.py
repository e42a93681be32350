"""Where a config lies in an RLinf tree, and the folders that its start script would put into the environment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_EXAMPLES, _CONFIG = "examples", "config"
_HOME_OF = {
    "sft": "sft",
    "embodied": "embodiment",
    "reasoning": "reasoning",
}  # a task's example, v0.3 and main
_DEFAULT = re.compile(r"^\s*-\s*(?:override\s+)?(?P<group>[\w./-]+?)(?:@[\w.]+)?(?:\s*:.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Layout:
    """A config and its surroundings.

    `tree` is the folder that holds `examples/`; `example` the folder that holds the config's `config/`, which RLinf's
    start scripts export as EMBODIED_PATH (examples/*/run_*.sh, v0.3 and main).
    """

    config: Path
    tree: Path
    example: Path

    def variables(self) -> dict[str, str]:
        """The variables that the search path of a config may name, as RLinf's start scripts set them."""
        paths = ("EMBODIED_PATH", "REWARD_PATH", "DIFFUSION_PATH", "VLM_PATH")
        return {"REPO_PATH": str(self.tree), **dict.fromkeys(paths, str(self.example))}

    @property
    def is_inside(self) -> bool:
        """Whether the config lies among the examples of the tree."""
        return self.config.is_relative_to(self.tree / _EXAMPLES)

    @property
    def name(self) -> str:
        """The config relative to the tree, as `base` names it; its whole path where it lies outside."""
        if self.config.is_relative_to(self.tree):
            return self.config.relative_to(self.tree).as_posix()
        return self.config.as_posix()


def layout_of(config: Path, tree: Path | None = None) -> Layout:
    """Find the tree and the example folder of a config; one that lies elsewhere borrows them from `tree`.

    Raises RefusedError where there is no file, or no tree around it and none is given.
    """
    config = config.absolute()
    if not config.is_file():
        raise RefusedError(f"{config} is no file")
    own = next((folder for folder in config.parents if folder.name == _EXAMPLES), None)
    if own is not None and (tree is None or own.parent == tree.absolute()):
        return Layout(config, own.parent, _example_above(config, own))
    if tree is None:
        raise RefusedError(
            f"{config} lies in no RLinf tree: no folder above it is called {_EXAMPLES}",
            hint="name the tree: --rlinf PATH",
        )
    return Layout(config, tree.absolute(), _borrowed(config, tree.absolute()))


def _example_above(config: Path, examples: Path) -> Path:
    for folder in config.parents:
        if folder == examples:
            break
        if folder.name == _CONFIG:
            return folder.parent
    return config.parent


def _borrowed(config: Path, tree: Path) -> Path:
    """The example whose groups the config names; of several, the one that holds a config of the same name."""
    text = config.read_text("utf-8", "replace")
    groups = {found["group"] for found in _DEFAULT.finditer(_defaults(text))}
    task = re.search(r"^\s*task_type:\s*[\"']?(\w+)", text, re.MULTILINE)
    home = _HOME_OF.get(task[1] if task else "", "embodiment")

    def fitness(example: Path) -> tuple[int, bool, bool, str]:
        folder = example / _CONFIG
        absent = sum(not (folder / f"{group}.yaml").is_file() for group in groups if group != "_self_")
        return (
            absent,
            not (folder / config.name).is_file(),
            example.name != home,
            example.as_posix(),
        )

    found = sorted(_examples(tree), key=fitness)
    return found[0] if found else tree


def _examples(tree: Path) -> Iterator[Path]:
    for folder in sorted((tree / _EXAMPLES).rglob(_CONFIG)):
        if folder.is_dir():
            yield folder.parent


def _defaults(text: str) -> str:
    """The lines of a config's `defaults` list."""
    found = re.search(r"^defaults:\s*\n((?:[ \t]*(?:-.*|#.*)?\n)*)", text, re.MULTILINE)
    return found[1] if found else ""
