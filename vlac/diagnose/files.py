"""Which files belong to a log or a run, and reading them as streams: what holds nothing is skipped by blocks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.diagnose.lines import rank_of_file
from vlac.diagnose.reading import GENERAL_MARKS, Reading
from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vlac.diagnose.catalogue import Pattern

_BLOCK = 1 << 18
_LONGEST_LINE = 1 << 20
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


def read(path: Path, name: str, patterns: Sequence[Pattern]) -> Reading:
    """Read a log to its end, in memory that does not grow with it.

    Raises `RefusedError` where it cannot be opened.
    """
    reading = Reading(name, patterns, rank_of_file(name))
    try:
        with path.open("rb", buffering=0) as stream:
            for block in _blocks(stream.read):
                _take(reading, block)
    except OSError as problem:
        raise RefusedError(f"cannot read {path}: {problem.strerror}") from None
    reading.end()
    return reading


def _blocks(read: Callable[[int], bytes]) -> Iterator[str]:
    """The text in pieces of whole lines; one that is longer than any line of a log is cut."""
    rest = b""
    while piece := read(_BLOCK):
        cut = piece.rfind(b"\n") + 1
        if not cut and len(rest) < _LONGEST_LINE:
            rest += piece
            continue
        cut = cut or len(piece)
        yield (rest + piece[:cut]).decode("utf-8", errors="replace")
        rest = piece[cut:]
    if rest:
        yield rest.decode("utf-8", errors="replace")


def _take(reading: Reading, block: str) -> None:
    """Hand on the lines of a block, unless none can begin a report."""
    likely = [pattern for pattern in reading.patterns if pattern.mark in block]
    marks = {pattern.mark for pattern in likely} | {mark for mark in GENERAL_MARKS if mark in block}
    texts = block.split("\n")
    if not texts[-1]:
        texts.pop()
    if not marks and not reading.is_open and reading.number:
        reading.clock.read(texts[0])
        reading.skip(len(texts))
        return
    for text in texts:
        reading.feed(text.rstrip("\r"), likely)
