"""Where the files of a run lie on this machine, and why some cannot be looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import MachineError
from vlac.run.launch import resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class Place:
    """A path of the spec on this machine; `path` is None where it is not known here, and `why` says for what reason."""

    written: str
    path: Path | None
    why: str = ""


def place_of(written: str, variables: Mapping[str, str]) -> Place:
    """Resolve a path of the spec with the variables of the run; hub ids and remote paths have no place here."""
    if _REMOTE.match(written):
        return Place(written, None, f"{written} is remote")
    try:
        path = resolve(written, variables)
    except MachineError as problem:
        return Place(written, None, problem.message)
    if "${" in path:
        return Place(written, None, f"{written} is resolved by RLinf")
    if not path.startswith("/"):
        return Place(written, None, f"{written} is an id of the Hugging Face hub")
    return Place(written, Path(path))


def dataset_place(written: str, variables: Mapping[str, str]) -> Place:
    """As `place_of`; a hub id is looked up where LeRobot keeps what it downloaded.

    Source: RLinf v0.3, rlinf/data/lerobot_paths.py: $HF_LEROBOT_HOME, else $HF_HOME/lerobot, else
    ~/.cache/huggingface/lerobot.
    """
    place = place_of(written, variables)
    if place.path is not None or "://" in written or "${" in written:
        return place
    cached = _lerobot_home(variables) / written
    if (cached / "meta/info.json").is_file():
        return Place(written, cached)
    return Place(written, None, f"{place.why}, and it is not in {cached.parent.parent}")


def _lerobot_home(variables: Mapping[str, str]) -> Path:
    if own := variables.get("HF_LEROBOT_HOME"):
        return Path(own)
    if hub := variables.get("HF_HOME"):
        return Path(hub) / "lerobot"
    return home(variables) / ".cache/huggingface/lerobot"


def home(variables: Mapping[str, str]) -> Path:
    """The home folder of the run."""
    return Path(variables.get("HOME", "/root"))
