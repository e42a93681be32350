"""Which known version a patch was made for: by git's ids of the files before the change, which `git diff` writes.

`known_blobs.json` holds the ids of the known versions' files; `scripts/extract_blobs.py` makes it from checkouts.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.diff.apply import apply
from vlac.diff.moved_keys import group_file_of
from vlac.rlinf.versions import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.patches.parse import Patch
    from vlac.rlinf.versions import Version

_DATA = Path(__file__).parent / "known_blobs.json"
_ABSENT = "-"


@cache
def known_blobs() -> Mapping[str, Mapping[str, str]]:
    """For each known version, the beginning of git's id of each of its files."""
    document = json.loads(_DATA.read_text(encoding="utf-8"))
    versions: dict[str, dict[str, str]] = {name: {} for name in document["versions"]}
    for file, text in document["files"].items():
        ids = text.split()
        for name, blob in zip(versions, ids * (len(versions) if len(ids) == 1 else 1), strict=True):
            if blob != _ABSENT:
                versions[name][file] = blob
    return versions


def fitting(patch: Patch, tree: Path) -> Iterator[Diagnostic]:
    """What is known about the tree that a patch would fit: a note for each known version, or that none is it."""
    exact = [name for name in VERSIONS if _was_made_for(patch, name)]
    applies = [] if exact else [name for name in VERSIONS if _applies_to(patch, VERSIONS[name], tree)]
    yield Diagnostic("patch-fits", f"{_which(exact, applies)}; {_is(tree)}", "note")
    for file in patch.files:
        now = group_file_of(file.path)
        if now and (tree / now).is_file() and not (tree / file.path).is_file():
            yield Diagnostic("patch-fits", f"this tree calls {file.path} {now}", "note")


def _which(exact: list[str], applies: list[str]) -> str:
    if exact:
        return f"the patch was made for RLinf {' or '.join(exact)}: its files are those before the change"
    if applies:
        return f"the patch would apply to RLinf {' or '.join(applies)}"
    return "it is not made for a version that vlac knows, as far as its `index` lines tell"


def _is(tree: Path) -> str:
    from vlac.errors import RefusedError
    from vlac.rlinf.trees import recognise

    try:
        return f"the tree is {recognise(tree).described}"
    except RefusedError:
        return "the tree is not known"


def _was_made_for(patch: Patch, version: str) -> bool:
    known = known_blobs().get(version, {})
    marked = [file for file in patch.files if file.blob and file.change != "create"]
    return bool(marked) and all(known.get(file.path, "").startswith(file.blob[:10]) for file in marked)


def _applies_to(patch: Patch, version: Version, tree: Path) -> bool:
    """Whether it applies to the version's own files, where git has them in the tree."""
    from vlac.diff.history import file_at, has_commit

    if not has_commit(tree, version.commit):
        return False
    return not apply(patch, lambda path: file_at(tree, version.commit, path)).problems
