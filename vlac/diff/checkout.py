"""What a checkout changes beside its version: the originals come from a tree, or from its own git history."""

from __future__ import annotations

import io
import os
import tarfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from vlac.diff.history import archive, has_commit, listed
from vlac.diff.image import between
from vlac.diff.inputs import reader
from vlac.diff.twin import PARTS, SUFFIXES
from vlac.errors import RefusedError
from vlac.rlinf.trees import recognise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.bundle import Bundle
    from vlac.diff.comparison import Comparison
    from vlac.diff.image import Image
    from vlac.rlinf.trees import Recognised


@dataclass(frozen=True, slots=True)
class Original:
    """The tree that a checkout was made from, and what it is in words."""

    tree: Path
    described: str


def compare_checkout(checkout: Path, original: Path | None, bundle: Bundle) -> Comparison:
    """What was changed in a checkout, by meaning. `original` is its stock tree, None: take it from git's history.

    Raises RefusedError where the folder is no RLinf tree, or nothing has its original files.
    """
    from vlac.diff.on_tree import compare_images

    found = recognise(checkout)
    with _original(checkout, original, found) as stock:
        images = changed_files(stock.tree, checkout)
        return compare_images(images, stock.tree, bundle, str(checkout), target=stock.described)


@contextmanager
def _original(checkout: Path, original: Path | None, found: Recognised) -> Iterator[Original]:
    if original is not None:
        yield Original(original, f"beside {original}")
        return
    version = found.nearest.version
    commit = version.commit if has_commit(checkout, version.commit) else found.commit
    if not commit or not has_commit(checkout, commit):
        raise _unknown(checkout, found)
    name = f"RLinf {version.name}" if commit == version.commit else f"its own commit {commit[:9]}"
    with TemporaryDirectory(prefix="vlac-diff-") as folder:
        _extract(checkout, commit, Path(folder))
        yield Original(Path(folder), f"beside {name}")


def _unknown(checkout: Path, found: Recognised) -> RefusedError:
    files = found.nearest.differing
    shown = ", ".join(files[:5]) + (f" and {len(files) - 5} more" if len(files) > 5 else "")
    known = f"by its content it is {found.described}" + (f": {shown}" if files else "")
    return RefusedError(
        f"{checkout} has no git history with the files that it was made from, so what changed is not known; {known}",
        hint="name the unchanged tree beside it: --rlinf PATH",
    )


def _extract(checkout: Path, commit: str, folder: Path) -> None:
    tops = {path.partition("/")[0] for path in listed(checkout, commit)}
    packed = archive(checkout, commit, *(part for part in PARTS if part in tops))
    if packed is None:
        raise RefusedError(f"git cannot read commit {commit[:9]} of {checkout}")
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for member in tar:
            if member.isfile() and member.name.endswith(SUFFIXES) and ".." not in member.name.split("/"):
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                content = tar.extractfile(member)
                target.write_bytes(content.read() if content else b"")


def changed_files(before: Path, after: Path) -> list[Image]:
    """The files of a run that differ between two trees."""
    old, new = reader(before), reader(after)
    paths = sorted({*_files(before), *_files(after)})
    sides = ((path, old(path), new(path)) for path in paths)
    return [between(path, one, two) for path, one, two in sides if one != two]


def _files(tree: Path) -> Iterator[str]:
    for part in PARTS:
        for folder, folders, names in os.walk(tree / part):
            folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
            inside = Path(folder).relative_to(tree).as_posix()
            yield from (f"{inside}/{name}" for name in names if name.endswith(SUFFIXES))
