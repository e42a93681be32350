"""What a patch sets, by meaning and without a tree."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vlac.patches.changes import CodeChange
from vlac.patches.config_changes import config_changes
from vlac.patches.python_changes import python_changes
from vlac.patches.shell_changes import shell_changes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from vlac.patches.changes import Change, Key
    from vlac.patches.parse import FilePatch, Patch

_CONFIG_FOLDERS = frozenset({"config", "configs", "conf"})
_TEXT_SUFFIXES = frozenset({".md", ".rst", ".txt"})


def changes(
    patch: Patch, groups: Mapping[str, Key] | None = None, layout: Collection[Key] = ()
) -> tuple[Change, ...]:
    """Everything that a patch sets, in its order.

    `groups` maps files of Hydra config groups to the section that Hydra puts them in, `layout` holds the keys
    that configurations are known to have. Raises `PatchError` where a hunk of a configuration is not YAML.
    """
    return tuple(
        change for file in patch.files for change in changes_of_file(patch.name, file, groups or {}, layout)
    )


def changes_of_file(
    name: str, file: FilePatch, groups: Mapping[str, Key], layout: Collection[Key]
) -> Iterator[Change]:
    """What the changes of one file set; `name` is the patch's, for positions."""
    path = PurePosixPath(file.path)
    if path.suffix in (".yaml", ".yml") and _CONFIG_FOLDERS & set(path.parts):
        above = next((section for name, section in groups.items() if same_file(file.path, name)), ())
        inside = [key[len(above) :] for key in layout if key[: len(above)] == above]
        yield from config_changes(name, file, above, inside)
    elif path.suffix in (".sh", ".bash"):
        yield from shell_changes(file)
    elif path.suffix == ".py":
        yield from python_changes(file)
    elif path.suffix not in _TEXT_SUFFIXES:
        yield CodeChange(file.path, "code", "", "", "", file.number)


def same_file(path: str, known: str) -> bool:
    """Whether a path of a patch, which may begin above the checkout, is a file of RLinf."""
    return path == known or path.endswith(f"/{known}")
