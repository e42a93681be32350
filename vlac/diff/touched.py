"""Which configs of a tree a change touches: those that it edits, and those whose `defaults` bring an edited file in."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

_EXAMPLES, _CONFIG = "examples", "config"


def config_folder(path: str) -> PurePosixPath | None:
    """The `config/` folder of an example that a file lies in; None where it is no such file."""
    file = PurePosixPath(path)
    if file.parts[:1] != (_EXAMPLES,) or file.suffix not in (".yaml", ".yml"):
        return None
    return next((folder for folder in file.parents if folder.name == _CONFIG), None)


def is_entry(path: str) -> bool:
    """Whether a run is started with this config: it lies in the folder itself, not in a group."""
    folder = config_folder(path)
    return folder is not None and PurePosixPath(path).parent == folder


def users(path: str, trees: Iterable[Path]) -> list[str]:
    """The configs, of any of the trees, that bring in a file of a group, also through another group."""
    folder = config_folder(path)
    if folder is None:
        return []
    texts = {name: text for tree in trees for name, text in _texts(tree, folder)}
    found, fresh = {path}, {path}
    while fresh:
        fresh = {name for name, text in texts.items() if _brings_in(text, folder, fresh)} - found
        found |= fresh
    return sorted(name for name in found if is_entry(name))


def _texts(tree: Path, folder: PurePosixPath) -> Iterator[tuple[str, str]]:
    for file in (tree / folder).rglob("*.yaml"):
        yield file.relative_to(tree).as_posix(), file.read_text("utf-8", "replace")


def _brings_in(text: str, folder: PurePosixPath, files: Collection[str]) -> bool:
    for file in files:
        option = PurePosixPath(file).relative_to(folder).with_suffix("")
        group, name = re.escape(str(option.parent)), re.escape(option.name)
        if re.search(rf"^\s*-\s*(?:override\s+)?/?{group}(?:/|@?[\w.]*:\s*){name}\b", text, re.MULTILINE):
            return True
    return False
