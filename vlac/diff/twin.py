"""A copy of what of an RLinf tree a run reads, in a temporary folder, with the files of a patch as they become."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vlac.diff.image import Image

# What of a tree a run reads: the code, the configs and the scripts.
PARTS = ("rlinf", "examples", "evaluations")
SUFFIXES = (".py", ".yaml", ".yml", ".sh")


@contextmanager
def twin(tree: Path, images: Iterable[Image]) -> Iterator[Path]:
    """The copy, for as long as it is needed; the tree itself is only read."""
    with TemporaryDirectory(prefix="vlac-diff-") as folder:
        root = Path(folder, "tree")
        for part in PARTS:
            _copy(tree, root, part)
        for image in images:
            _write(root, image)
        yield root


def _copy(tree: Path, root: Path, part: str) -> None:
    for folder, folders, names in os.walk(tree / part):
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        wanted = [name for name in names if name.endswith(SUFFIXES)]
        if not wanted:
            continue
        target = root / Path(folder).relative_to(tree)
        target.mkdir(parents=True, exist_ok=True)
        for name in wanted:
            source = Path(folder, name)
            if source.is_file():  # not a link that leads nowhere
                shutil.copyfile(source, target / name)


def _write(root: Path, image: Image) -> None:
    path = root / image.path
    path.unlink(missing_ok=True)
    if image.exists:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(image.text, encoding="utf-8")
