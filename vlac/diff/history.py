"""Files of a commit, from the git history of a checkout; nothing of the checkout is changed."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def has_commit(tree: Path, commit: str) -> bool:
    """Whether a tree is the root of a git checkout that has a commit."""
    if not (tree / ".git").exists():
        return False
    return _git(tree, "cat-file", "-e", f"{commit}^{{commit}}") is not None


def file_at(tree: Path, commit: str, path: str) -> str | None:
    """A file as the commit has it, None where it has none."""
    data = _git(tree, "cat-file", "blob", f"{commit}:{path}")
    return None if data is None else data.decode("utf-8", "replace")


def archive(tree: Path, commit: str, *parts: str) -> bytes | None:
    """A tar file of parts of a commit; None where git refuses."""
    return _git(tree, "archive", commit, *parts)


def listed(tree: Path, commit: str) -> list[str]:
    """The paths of the commit's files."""
    return (_git(tree, "ls-tree", "-r", "-z", "--name-only", commit) or b"").decode().split("\0")[:-1]


def _git(tree: Path, *arguments: str) -> bytes | None:
    """What git prints; None where it fails, or is not there. The checkout's own hooks and filters are not run."""
    command = ["git", "-C", str(tree), "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments]
    try:
        ran = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError:
        return None
    return ran.stdout if ran.returncode == 0 else None
