"""What a tree holds of a patch: each of its files beside what the patch knows. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vlac.patching.places import read
from vlac.patching.record import Recorded, digest, read_record
from vlac.rlinf.trees.files import hash_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.adapters import PatchedFile, PatchVariant, SourcePatch
    from vlac.patching.places import Root

State = Literal["not applied", "applied", "missing", "unknown"]
_KNOWN: tuple[State, ...] = ("not applied", "applied")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file of a patch in a tree. `content` is None where it is missing.

    `recorded` is what vlac did to it, None where vlac did nothing, or something else was done since.
    """

    patch: SourcePatch
    variant: PatchVariant
    file: PatchedFile
    root: Root
    content: bytes | None
    recorded: Recorded | None

    @property
    def path(self) -> str:
        """The file, relative to the folder of its root."""
        return self.root.path(self.file.path)

    @property
    def state(self) -> State:
        """What the file is to the patch."""
        if self.content is None:
            return "missing"
        found = hash_of(self.content)
        if found == self.file.after:
            return "applied"
        return "not applied" if found == self.file.before else "unknown"

    @property
    def is_known(self) -> bool:
        """Whether the patch can be applied to it or taken back from it."""
        return self.state in _KNOWN


def look(patch: SourcePatch, root: Root, trees: Sequence[str] | None) -> tuple[Seen, ...]:
    """The files of a patch in a tree, as the variant knows them that fits best.

    `trees` are the names of trees that may be meant, None: any. Empty where the patch has no variant for one of them.
    """
    variants = [
        variant
        for variant in patch.variants
        if variant.project == root.project and (trees is None or variant.tree in trees)
    ]
    record = read_record(root.folder)
    found = [
        tuple(_see(patch, variant, file, root, record) for file in variant.files) for variant in variants
    ]
    return max(found, key=lambda seen: sum(one.is_known for one in seen), default=())


def _see(
    patch: SourcePatch, variant: PatchVariant, file: PatchedFile, root: Root, record: dict[str, Recorded]
) -> Seen:
    content = read(root.folder, root.path(file.path))
    recorded = record.get(root.path(file.path))
    if recorded and recorded.patch != patch.id:
        recorded = None
    return Seen(patch, variant, file, root, content, recorded)


def is_as_recorded(seen: Seen) -> bool:
    """Whether the file is, byte for byte, what vlac wrote."""
    return (
        seen.recorded is not None and seen.content is not None and digest(seen.content) == seen.recorded.after
    )
