"""Lines of a log as people and processes left them: colours, redrawn bars, several speakers on one line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.run.progress import without_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# What Ray's driver puts before a worker's output: `(ActorGroup(rank=0) pid=25080) `, `(pid=25080, ip=10.0.0.2) `.
_SPEAKER = re.compile(r"\((?:(?:[^()\s]|\([^()]*\))+ )?pid=\d+(?:, ip=[^)]*)?\) ?|\(raylet(?:, ip=[^)]*)?\) ")
# What torchrun and torch's own excepthook put before the lines of a rank.
_TORCH_RANK = re.compile(r"(\[(?:rank|default)\d+\]): ?")
# Ray 2.x prints a line that several workers said once, and counts the others behind it.
_REPEATED = re.compile(
    r" ?\[repeated (\d+)x across (?:cluster|all nodes)\](?: \(Ray deduplicates logs.*?\))?"
)
# The driver ends no record of a lost worker with a line feed (worker_group.py v0.3): they stick together.
_LOST_RECORD = re.compile(r"(?<=.)(?=Exception occurred while running \S+ function \S+: exception is)")
_PID = re.compile(r"pid=(\d+)")
_NODE = re.compile(r"ip=([^),\s]+)")
# `[rank3]:` of torch, `ActorGroup-Rank-3]` of RLinf's logger, `RankID:3` of CANN's, `ActorGroup:3` of a worker's name.
_RANK = re.compile(r"\(rank=(\d+)\)|\[(?:rank|default)(\d+)\]|-Rank-(\d+)\]|RankID:\s?(\d+)")
_WORKER_NAME = re.compile(r"(?:ray::|name: |in worker |worker_name=)\w+:(\d+)\b")
_FILE_PID = re.compile(r"-(\d+)\.(?:out|err)$")  # worker-<id>-<job>-<pid>.err of Ray
_FILE_RANK = re.compile(r"rank[_-]?(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """What one speaker says on a line. `speaker` is the prefix that Ray wrote, empty for the file's own process."""

    speaker: str
    text: str
    repeated: int = 0


def pieces(line: str) -> Iterator[Piece]:
    """A line without colours and bar, by speaker; one whose end another process overwrote gives several."""
    if "\x1b" in line:
        line = COLOUR.sub("", line)
    if "Global Step:" in line:
        line = without_bar(line)
    if "Exception occurred while" in line:
        for record in _LOST_RECORD.split(line):
            yield from _of_record(record)
    else:
        yield from _of_record(line)


def _of_record(line: str) -> Iterator[Piece]:
    if "pid=" in line or "(raylet" in line:
        yield from _by_speaker(line)
    else:
        yield _by_rank(line)


def _by_rank(text: str) -> Piece:
    prefix = _TORCH_RANK.match(text) if text.startswith("[") else None
    return _piece(prefix.group(1), text[prefix.end() :]) if prefix else _piece("", text)


def _by_speaker(text: str) -> Iterator[Piece]:
    """Only a prefix at the beginning, or behind what is no sentence about a process, is one."""
    begin, speaker = 0, ""
    for prefix in _SPEAKER.finditer(text):
        before = text[begin : prefix.start()]
        if prefix.start() and not _was_cut(before):
            continue
        if before.strip():
            yield _piece(speaker, before)
        begin, speaker = prefix.end(), prefix.group().strip()
    yield _piece(speaker, text[begin:])


def _was_cut(before: str) -> bool:
    """Whether a line ended without its line feed: `text(ActorGroup pid=7) text`, not `f() (pid=7, ip=...)`."""
    return not before.strip() or not before.endswith(" ")


def _piece(speaker: str, text: str) -> Piece:
    if "[repeated " not in text:
        return Piece(speaker, text)
    repeated = _REPEATED.search(text)
    return Piece(speaker, _REPEATED.sub("", text), int(repeated.group(1)) if repeated else 0)


def pid_of(text: str) -> str | None:
    """The process that a text names."""
    found = _PID.search(text) if "pid" in text else None
    return found.group(1) if found else None


def node_of(speaker: str) -> str:
    """The node of a speaker, empty where it is the driver's own."""
    found = _NODE.search(speaker)
    return found.group(1) if found else ""


def rank_of(text: str) -> int | None:
    """The rank that a speaker or a line gives itself."""
    found = _RANK.search(text)
    return int(next(group for group in found.groups() if group)) if found else None


def rank_of_name(text: str) -> int | None:
    """The rank in the name of a worker that a line speaks of (`ray::ActorGroup:2`)."""
    found = _WORKER_NAME.search(text)
    return int(found.group(1)) if found else None


def pid_of_file(name: str) -> str | None:
    """The process in the name of a file of Ray's session folder."""
    found = _FILE_PID.search(name)
    return found.group(1) if found else None


def rank_of_file(name: str) -> int | None:
    """The rank in the name of a file (`ActorGroup/rank_3.log`)."""
    found = _FILE_RANK.search(name)
    return int(found.group(1)) if found else None
