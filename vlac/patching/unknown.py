"""Why a file is not as a patch knows it: another version, changed upstream, or edited here, with the lines."""

from __future__ import annotations

import subprocess
from difflib import unified_diff
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.patching import change
from vlac.patching.record import original
from vlac.rlinf.trees.files import hash_of

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.patching.look import Seen

_MOST_LINES = 20
_GIT_SECONDS = 20


def why_unknown(seen: Seen) -> tuple[str, tuple[str, ...]]:
    """The reason in a sentence, and the lines that somebody edited, as a diff without its header."""
    if seen.content is None:
        return "the tree has no such file", ()
    reason = _other_version(seen)
    if reason:
        return reason, ()
    patched = _patched_before(seen)
    if patched is not None:
        return "edited since vlac patched it", _difference(patched, seen.content)
    committed = _committed(seen.root.folder, seen.path)
    if committed is not None:
        return _beside_git(seen, committed)
    return _without_git(seen), ()


def _other_version(seen: Seen) -> str:
    """The version, where the file is that of another tree which the patch knows."""
    found = hash_of(seen.content or b"")
    for variant in seen.patch.variants:
        for file in variant.files:
            if file.path == seen.file.path and found in (file.before, file.after):
                state = "patched" if found == file.after else "published"
                expected = _name(seen, seen.variant.tree)
                return f"it is that of {_name(seen, variant.tree)}, as {state}; expected was {expected}"
    return ""


def _name(seen: Seen, tree: str) -> str:
    return f"RLinf {tree}" if seen.root.project == "rlinf" else tree


def _patched_before(seen: Seen) -> bytes | None:
    """What vlac wrote, made again from what it saved."""
    saved = original(seen.root.folder, seen.recorded.before) if seen.recorded else None
    if saved is None or hash_of(saved) != seen.file.before:
        return None
    return change.after(seen.variant, seen.file, saved)


def _beside_git(seen: Seen, committed: bytes) -> tuple[str, tuple[str, ...]]:
    content = seen.content or b""
    found = hash_of(committed)
    if found in (seen.file.before, seen.file.after):
        return f"edited by you since the commit; {_fit(seen)}", _difference(committed, content)
    upstream = f"changed upstream: {_tree(seen)}; {_fit(seen)}"
    if found == hash_of(content):
        return upstream, ()
    return f"{upstream}; and edited by you since the commit", _difference(committed, content)


def _without_git(seen: Seen) -> str:
    if seen.root.project == "rlinf" and _is_known_tree(seen.root.folder):
        return f"edited by you: {_tree(seen)}; without git its lines cannot be told; {_fit(seen)}"
    return f"edited by you or changed upstream: {_tree(seen)}; {_fit(seen)}"


def _is_known_tree(folder: Path) -> bool:
    from vlac.rlinf.trees import recognise

    return recognise(folder).version is not None


def _tree(seen: Seen) -> str:
    """What the tree is, with the nearest known version."""
    if seen.root.project != "rlinf":
        known = ", ".join(v.tree for v in seen.patch.variants if v.project == seen.root.project)
        return f"the patch knows {known}"
    from vlac.rlinf.trees import recognise

    try:
        return f"the tree is {recognise(seen.root.folder).described}"
    except RefusedError as problem:
        return problem.message


def _fit(seen: Seen) -> str:
    if change.fits(seen.variant, seen.file, seen.content or b""):
        return "the lines that the patch changes are there, so `git apply` of the bundle's patch may make the change"
    return "the lines that the patch changes are not there"


def _committed(folder: Path, path: str) -> bytes | None:
    """A file as the commit under the tree has it; None without git, and where git knows no such file."""
    command = ["git", "--no-optional-locks", "-C", str(folder), "show", f"HEAD:./{path}"]
    try:
        return subprocess.run(command, capture_output=True, check=True, timeout=_GIT_SECONDS).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def _difference(one: bytes, other: bytes) -> tuple[str, ...]:
    """The lines that differ, as `git diff` shows them, without the header and without what a terminal acts upon."""
    lines = list(unified_diff(_lines(one), _lines(other), n=0, lineterm=""))[2:]
    shown = ["".join(c if c.isprintable() or c == "\t" else ascii(c)[1:-1] for c in line) for line in lines]
    if len(shown) <= _MOST_LINES:
        return tuple(shown)
    return (*shown[:_MOST_LINES], f"... and {len(shown) - _MOST_LINES} more lines")


def _lines(content: bytes) -> list[str]:
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")
