"""One folder a run: `<output>/<name>/<n>`. Making it is the lock, so two runs never get the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vlac.errors import MachineError

if TYPE_CHECKING:
    from pathlib import Path

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


def next_number(parent: Path) -> int:
    """One more than the highest number among the folders in `parent`; it need not exist."""
    names = [path.name for path in parent.iterdir() if path.is_dir()] if parent.is_dir() else []
    return 1 + max((int(name) for name in names if _NUMBER.fullmatch(name)), default=0)


def take(parent: Path) -> Path:
    """Make the next free run folder in `parent` and return it.

    Raises `MachineError` where it cannot be written, or holds a colon, which PYTHONPATH cannot carry.
    """
    if ":" in str(parent):
        raise MachineError(f"the run folder must not contain ':': {parent}", "name another output: folder")
    try:
        parent.mkdir(parents=True, exist_ok=True)
        return _make(parent, next_number(parent))
    except OSError as problem:
        raise MachineError(
            f"cannot make a run folder in {parent}: {problem.strerror}", "name another output: folder"
        ) from None


def _make(parent: Path, number: int) -> Path:
    while True:
        folder = parent / str(number)
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder
