"""The commit that a git checkout is at, read from its files: no git program is needed (gitrepository-layout(5))."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}")
_LARGEST = 8 << 20  # bytes; packed-refs of a large repository have a few hundred KiB


def head_commit(tree: Path) -> str | None:
    """The full commit of HEAD; None where the tree is no checkout or its files cannot be understood."""
    folder = _git_folder(tree)
    if folder is None:
        return None
    head = _read(folder / "HEAD").strip()
    if not head.startswith("ref:"):
        return head if _COMMIT.fullmatch(head) else None
    return _resolve(folder, head.removeprefix("ref:").strip())


def _git_folder(tree: Path) -> Path | None:
    """`.git` itself, or where the file `.git` of a worktree or submodule points to."""
    git = tree / ".git"
    if git.is_dir():
        return git
    text = _read(git).strip()
    return tree / text.removeprefix("gitdir:").strip() if text.startswith("gitdir:") else None


def _resolve(folder: Path, reference: str) -> str | None:
    """The commit of a reference; branches of a worktree lie in the repository that it belongs to."""
    if ".." in reference.split("/") or reference.startswith("/"):
        return None
    shared = _read(folder / "commondir").strip()
    for place in (folder, folder / shared) if shared else (folder,):
        commit = _read(place / reference).strip()
        if _COMMIT.fullmatch(commit):
            return commit
        packed = re.search(
            rf"^([0-9a-f]{{40}}) {re.escape(reference)}$", _read(place / "packed-refs"), re.MULTILINE
        )
        if packed:
            return packed[1]
    return None


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(_LARGEST).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""
