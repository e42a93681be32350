"""Apply a patch to the files of a tree in memory, as `git apply` would, and say what does not fit and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.diff.image import Image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vlac.patches.parse import FilePatch, Hunk, Patch

_NEARLY = (
    0.5  # the share of a hunk's lines that must be there for a place to be called the place that is meant
)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a hunk went: its number in the file's changes, its first line there, and how far from where it says."""

    path: str
    hunk: int
    line: int
    offset: int


@dataclass
class Applied:
    """The files that a patch touches, as they become. With `problems`, the patch does not apply."""

    images: dict[str, Image] = field(default_factory=dict)
    placements: list[Placement] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def changed(self) -> list[Image]:
        """The files that are different after all."""
        return [image for image in self.images.values() if image.is_changed]


def apply(patch: Patch, read: Callable[[str], str | None]) -> Applied:
    """Apply every change; `read` gives the text of a file of the tree, None where there is none."""
    done = Applied()
    for file in patch.files:
        image = done.images.setdefault(file.path, Image.of(file.path, read(file.path)))
        if not _is_possible(done, patch, file, image):
            continue
        for number, hunk in enumerate(file.hunks, 1):
            _apply_hunk(done, patch, image, hunk, number)
        image.exists = file.change != "delete"
    return done


def _is_possible(done: Applied, patch: Patch, file: FilePatch, image: Image) -> bool:
    position = patch.position(file.number)
    if file.change == "create" and image.exists:
        same = image.side("-") == [line.text for hunk in file.hunks for line in hunk.side("-")]
        code, words = (
            ("patch-applied", "exactly as the patch makes it") if same else ("patch-file-exists", "")
        )
        message = f"{file.path} is to be created, and the tree has it already {words}".rstrip()
        done.problems.append(Diagnostic(code, message, position=position))
        return False
    if file.change != "create" and not image.exists:
        message = f"{file.path} is to be changed, and the tree has no such file"
        done.problems.append(Diagnostic("patch-file-missing", message, position=position))
        return False
    return True


def _apply_hunk(done: Applied, patch: Patch, image: Image, hunk: Hunk, number: int) -> None:
    fitted = image.fit(hunk) if hunk.lines else None
    if fitted is None:
        done.problems.append(_refusal(patch, image, hunk, number))
        return
    image.put(hunk, fitted)
    expected = max(hunk.after - 1, 0)
    done.placements.append(Placement(image.path, number, fitted.at + 1, fitted.at - expected))


def _refusal(patch: Patch, image: Image, hunk: Hunk, number: int) -> Diagnostic:
    position, where = patch.position(hunk.number), f"hunk {number} of {image.path}"
    if hunk.lines and image.has_already(hunk):
        message = f"{where} is in the tree already"
        return Diagnostic("patch-applied", message, position=position)
    loose = image.fit_loosely(hunk) if hunk.lines else None
    message = f"{where} does not apply: {_why(image, hunk)}"
    if loose:
        hint = f"git apply -C{loose.context} would put it at line {loose.at + 1}"
        return Diagnostic("patch-context", message, position=position, hint=hint)
    return Diagnostic("patch-does-not-apply", message, position=position)


def _why(image: Image, hunk: Hunk) -> str:
    """What the tree has instead of the lines that the hunk needs."""
    wanted, lines = [line.text for line in hunk.side("+")], image.side("-")
    at, equal = max(_likeness(lines, wanted), key=lambda place: place[1], default=(0, 0))
    if not wanted or equal < max(1, _NEARLY * len(wanted)):
        expected = next((text for text in wanted if text.strip() and text not in lines), "")
        return (
            f"no line there is `{expected.strip()}`" if expected else "its lines are nowhere together there"
        )
    apart = (index for index, text in enumerate(wanted) if lines[at + index : at + index + 1] != [text])
    first = next(apart, None)
    if first is None:
        where = "beginning" if hunk.before <= 1 else "end"
        return f"its lines stand at line {at + 1}, and with no context beyond they belong at the {where} of the file"
    if at + first >= len(lines):
        return f"the file ends before `{wanted[first].strip()}`"
    return f"line {at + first + 1} is `{lines[at + first].strip()}` where the patch has `{wanted[first].strip()}`"


def _likeness(lines: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[int, int]]:
    """For each place in the file, how many of the wanted lines are there; blank ones do not count."""
    for at in range(len(lines)):
        pairs = zip(lines[at : at + len(wanted)], wanted, strict=False)
        yield at, sum(bool(two.strip()) and one == two for one, two in pairs)
