"""What a person gives as the change: a patch, a mail, a folder of patches, or an RLinf config as they edited it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.diff.apply import apply
from vlac.diff.image import between
from vlac.diff.touched import config_folder
from vlac.patches.parse import PatchError, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from vlac.diff.apply import Applied
    from vlac.diff.image import Image
    from vlac.patches.parse import FilePatch, Hunk, Patch

_PATCHES = (".patch", ".diff", ".mbox", ".eml")
CONFIGS = (".yaml", ".yml")


def read_patch(path: Path) -> Patch:
    """The patch of a file, or those of a folder one after the other, by name.

    Raises PatchError with all problems where one cannot be read.
    """
    if not path.is_dir():
        return parse(read(path), str(path))
    files = sorted(file for file in path.iterdir() if file.suffix in _PATCHES)
    if not files:
        raise PatchError([_unreadable(path, "it is a folder that holds no *.patch or *.diff")])
    found: list[Patch] = []
    problems: list[Diagnostic] = []
    for file in files:
        try:
            found.append(parse(read(file), str(file)))
        except PatchError as problem:  # noqa: PERF203 - all problems of all files are told at once
            problems += problem.diagnostics
    if problems:
        raise PatchError(problems)
    return joined(found, str(path))


def read(path: Path) -> bytes:
    """The content of a file. Raises PatchError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise PatchError([_unreadable(path, error.strerror or str(error))]) from None


def _unreadable(path: Path, why: str) -> Diagnostic:
    return Diagnostic("patch-unreadable", f"the patch {path} cannot be read: {why}", hint="name a file")


def joined(patches: Sequence[Patch], name: str) -> Patch:
    """Several patches as one, their lines numbered through."""
    files: list[FilePatch] = []
    parts: list[tuple[str, int]] = []
    start = 0
    for patch in patches:
        parts.append((patch.name, start))
        files += (_shifted(file, start) for file in patch.files)
        start = max([start, *(hunk_end(hunk) for file in files for hunk in file.hunks)]) + 1
    return replace(patches[0], name=name, files=tuple(files), parts=tuple(parts))


def hunk_end(hunk: Hunk) -> int:
    """The last line of a hunk in its patch."""
    return max((line.number for line in hunk.lines), default=hunk.number)


def _shifted(file: FilePatch, start: int) -> FilePatch:
    hunks = tuple(
        replace(
            hunk,
            number=hunk.number + start,
            lines=tuple(replace(line, number=line.number + start) for line in hunk.lines),
        )
        for hunk in file.hunks
    )
    return replace(file, hunks=hunks, number=file.number + start)


def reader(tree: Path) -> Callable[[str], str | None]:
    """What reads a file of a tree by its path there."""

    def text(path: str) -> str | None:
        file = tree / path
        return file.read_bytes().decode("utf-8", "replace") if file.is_file() else None

    return text


def applied(patch: Patch, tree: Path) -> Applied:
    """The patch on the files of a tree. Raises PatchError with every hunk that does not fit, and what it would fit."""
    done = apply(patch, reader(tree))
    if done.problems:
        from vlac.diff.fits import fitting

        raise PatchError([*done.problems, *fitting(patch, tree)])
    return done


def edited_config(path: Path, tree: Path) -> Image:
    """A config that a person edited, beside the tree's own of that name; a new one where the tree has none.

    Raises PatchError where it cannot be read or is not UTF-8.
    """
    text = text_of(path)
    place = place_of(path, text, tree)
    return between(place, reader(tree)(place), text)


def text_of(path: Path) -> str:
    """The text of a config. Raises PatchError where it cannot be read or is not UTF-8."""
    data = read(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path}: byte 0x{data[error.start]:02x} is not UTF-8"
        raise PatchError([Diagnostic("patch-not-utf8", message)]) from None


def place_of(path: Path, text: str, tree: Path) -> str:
    """Where a config belongs in a tree: where it lies, where one of its name lies, else among the SFT configs."""
    whole = path.absolute()
    for folder in whole.parents:
        inside = whole.relative_to(folder).as_posix()
        if config_folder(inside):
            return inside
    named = sorted(file.relative_to(tree).as_posix() for file in (tree / "examples").rglob(path.name))
    own = [file for file in named if config_folder(file)]
    if own:
        return next((file for file in own if file.startswith("examples/sft/")), own[0])
    example = "sft" if "task_type: sft" in text.replace('"', "") else "embodiment"
    return f"examples/{example}/config/{path.stem}.yaml"
