"""Which files belong to a log or a run, and reading them line by line, in memory that does not grow with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.diagnose.lines import pid_of_file, rank_of_file
from vlac.diagnose.reading import Reading
from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnose.sieve import Sieve

_LONGEST_LINE = 1 << 20
"""Bytes after which a line is cut: bars that only use carriage returns are one line to a file."""
_MOST_FILES = 2000
_ENDINGS = (".log", ".out", ".err", ".txt")
# Files of Ray's session folder that speak of Ray's own services: their errors are seldom a training's.
_NOT_OF_TRAINING = (
    "dashboard",
    "log_monitor",
    "monitor.",
    "runtime_env_agent",
    "gcs_server",
    "debug_state",
    "agent-",
    "python-core-",  # holds exceptions as they travel, and repeats what the worker's own files have
    "old",
)
_NOT_LOGS = ("bundle", "checkpoints", "tensorboard", "data", "requirements.txt", "pip-freeze.txt")


def logs_of(paths: Sequence[Path]) -> list[Path]:
    """The log files that the paths name or hold, in the order in which they are to be read.

    Raises `RefusedError` for a path that is not there, and where there is nothing to read.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += _in_folder(path)
        elif path.is_file():
            found.append(path)
        else:
            raise RefusedError(
                f"there is no log {path}", "name a log file, a run folder, or a folder of logs"
            )
    if not found:
        raise RefusedError(
            f"no log in {', '.join(map(str, paths))}", "logs end with .log, .out, .err or .txt"
        )
    return list(dict.fromkeys(found))


def _in_folder(folder: Path) -> list[Path]:
    """A folder's logs: the run's own first, then by name; Ray's session folder keeps its in `logs`."""
    found: list[Path] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _NOT_LOGS and not name.startswith(_NOT_OF_TRAINING)
        )
        found += [Path(root) / name for name in sorted(names) if _is_log(name)]
        if len(found) > _MOST_FILES:
            raise RefusedError(f"{folder} holds more than {_MOST_FILES} logs", "name the folder of one run")
    return sorted(found, key=lambda path: path.parent != folder or path.name != "run.log")


def _is_log(name: str) -> bool:
    return name.endswith(_ENDINGS) and not name.startswith(_NOT_OF_TRAINING) and name not in _NOT_LOGS


def read(path: Path, name: str, sieve: Sieve) -> Reading:
    """Read a log to its end.

    Raises `RefusedError` where it cannot be opened.
    """
    reading = Reading(name, sieve, rank_of_file(path.name), pid_of_file(path.name))
    try:
        with path.open("rb") as stream:
            is_rest = False
            while line := stream.readline(_LONGEST_LINE):
                reading.number -= is_rest  # a line that was cut counts once
                reading.feed(line.rstrip(b"\r\n"))
                is_rest = not line.endswith(b"\n")
    except OSError as problem:
        raise RefusedError(f"cannot read {path}: {problem.strerror}") from None
    reading.end()
    return reading
