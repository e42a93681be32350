"""Where the files of a patch lie: inside one folder, reached through no symbolic link."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vlac.errors import RefusedError

if TYPE_CHECKING:
    from pathlib import Path

Project = Literal["rlinf", "openpi"]

# The packages of a project, and the folders of a checkout that hold them.
_PACKAGES: dict[Project, str] = {"rlinf": "rlinf", "openpi": "openpi/models_pytorch"}
_HOLDERS: dict[Project, tuple[str, ...]] = {"rlinf": ("",), "openpi": ("", "src/")}


@dataclass(frozen=True, slots=True)
class Root:
    """A tree to be patched. `folder` is real; `inside` stands between it and the paths of a patch (`src/`)."""

    project: Project
    folder: Path
    inside: str = ""

    def path(self, file: str) -> str:
        """A file of a patch, relative to the folder."""
        return f"{self.inside}{file}"


def find_root(project: Project, folder: Path) -> Root:
    """The tree of a project in a checkout or a folder of packages. Raises RefusedError where there is none."""
    package = _PACKAGES[project]
    for inside in _HOLDERS[project]:
        if (folder / inside / package).is_dir():
            return Root(project, folder.resolve(), inside)
    held = " or ".join(f"{inside}{package}/" for inside in _HOLDERS[project])
    raise RefusedError(
        f"{folder} is no tree of {project}: it does not hold {held}",
        hint=f"give the root of a checkout, or the folder of packages that holds {project}/",
    )


def read(folder: Path, path: str) -> bytes | None:
    """The content of a file in a tree; None where there is none. RefusedError for what is no plain file inside it."""
    status = _status(folder, path)
    if status is None:
        return None
    try:
        descriptor = os.open(folder / path, os.O_RDONLY | os.O_NOFOLLOW)
        with open(descriptor, "rb") as stream:  # noqa: PTH123  # a descriptor
            return stream.read()
    except OSError as problem:
        raise RefusedError(f"{folder / path} cannot be read: {problem.strerror}") from problem


def mode(folder: Path, path: str) -> int:
    """The permission bits of a file. Raises RefusedError where there is no plain file inside the tree."""
    status = _status(folder, path)
    if status is None:
        raise RefusedError(f"{folder / path} is gone")
    return stat.S_IMODE(status.st_mode)


def _status(folder: Path, path: str) -> os.stat_result | None:
    """What the system says of a file, after a look at every folder on the way to it."""
    parts = path.split("/")
    if not all(part not in ("", ".", "..") and "\0" not in part for part in parts):
        raise RefusedError(f"{path!r} leads out of the tree")
    at = folder
    for number, part in enumerate(parts, 1):
        at = at / part
        try:
            status = at.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(status.st_mode):
            raise RefusedError(
                f"{at} is a symbolic link",
                hint="a patch changes files of the tree itself; nothing was changed",
            )
        if number == len(parts) and not stat.S_ISREG(status.st_mode):
            raise RefusedError(f"{at} is no file")
    return status
