"""What ended a training, from its logs: the first cause, not the last symptom."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vlac.diagnose.catalogue import patterns
from vlac.diagnose.files import logs_of, read
from vlac.diagnose.sieve import Sieve
from vlac.diagnose.verdict import Diagnosis, judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Diagnosis", "diagnose"]


def diagnose(paths: Sequence[Path], backend: str | None = None) -> Diagnosis:
    """Read logs, run folders and folders of logs, and say what ended the training.

    `backend` names the hardware whose signatures are asked; where it is None, the bundle in a run folder names it, else
    those of all installed backends are asked. Raises `RefusedError` where there is nothing to read, `KeyError` for a
    backend that is not installed.
    """
    chosen = patterns(backend or _backend(paths))
    logs = logs_of(paths)
    sieve = Sieve(chosen)
    return judge([read(path, _shown(path), sieve) for path in logs])


def _backend(paths: Sequence[Path]) -> str | None:
    """The backend of the bundle in a run folder; None where there is none, or it is not installed here."""
    import json

    from vlac import adapter_registry

    for path in paths:
        lock = path / "bundle/vlac.lock.json"
        try:
            target = json.loads(lock.read_bytes())["target"]["backend"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        return target if target in adapter_registry.names() else None
    return None


def _shown(path: Path) -> str:
    """The path as it is shortest from the working folder."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)
