"""What the code of an RLinf version reads from its configuration on the openpi SFT path, as data.

`known_reads.json` is made by `scripts/extract_reads.py` from checkouts of the known versions: a static scan of
names, which errs to "read". What such a scan cannot see is stated here, with its source.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Key = tuple[str, ...]

# Sections whose every key is read, whatever its name.
_READ_WHOLE: tuple[Key, ...] = (
    ("actor", "model", "openpi"),  # copied key by key: rlinf/models/embodiment/openpi/__init__.py
    ("actor", "model", "openpi_data"),  # becomes arguments of the data-config class: .../openpi/dataconfig
    ("actor", "openpi_data"),  # same
    ("cluster",),  # becomes a dataclass, placement is walked: rlinf/scheduler/cluster/config.py
    ("hydra",),  # Hydra's own
    ("defaults",),  # Hydra's own
)

# Read under the same name elsewhere, never by SFT with openpi, in all three versions; why, or what holds instead.
_NEVER_READ: Mapping[Key, str] = {
    ("actor", "optim", "warmup_style"): "the schedule is chosen by actor.optim.lr_scheduler",
    ("actor", "seed"): "openpi's own seed holds; rlinf/config.py reads it for offline tasks only",
    ("data", "num_workers"): "openpi's data config fixes the number of loader workers",
}


@dataclass(frozen=True, slots=True)
class Reads:
    """The reads of one version.

    `names` are all key names that its SFT path reads, `strict` the places (`file:line`) where a missing key
    is fatal, for the keys that its openpi SFT configs set. `paths` are the files and folders that were
    scanned, `imports` the packages they import.
    """

    commit: str
    paths: tuple[str, ...]
    names: frozenset[str]
    imports: frozenset[str]
    strict: Mapping[str, tuple[str, ...]]

    def reads(self, key: Key) -> bool:
        """Whether anything may read this configuration key."""
        if key in _NEVER_READ:
            return False
        return key[-1] in self.names or any(key[: len(section)] == section for section in _READ_WHOLE)

    def scanned(self, file: str) -> bool:
        """Whether a file of RLinf belongs to the SFT path."""
        return any(file == path or file.startswith(f"{path}/") for path in self.paths)

    def strict_in(self, file: str, name: str) -> tuple[str, ...]:
        """The strict reads of a key name in one file."""
        return tuple(place for place in self.strict.get(name, ()) if place.rpartition(":")[0] == file)


def why_unread(key: Key) -> str:
    """The known reason why a key that looks alive is not read, empty where there is none."""
    return _NEVER_READ.get(key, "")


@cache
def _data() -> dict[str, dict[str, object]]:
    text = (Path(__file__).parent / "known_reads.json").read_text(encoding="utf-8")
    data: dict[str, dict[str, object]] = json.loads(text)
    return data


def known_reads(version: str) -> Reads:
    """The reads of a version by its name (`0.3`). KeyError where vlac has no data for it."""
    row = _data()[version]
    strict = row["strict"]
    assert isinstance(strict, dict)
    return Reads(
        commit=str(row["commit"]),
        paths=tuple(row["paths"]) if isinstance(row["paths"], list) else (),
        names=frozenset(str(row["names"]).split()),
        imports=frozenset(str(row["imports"]).split()),
        strict={name: tuple(places) for name, places in strict.items()},
    )
