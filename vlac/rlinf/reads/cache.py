"""Results on disk, by the content of the tree, the question, and the reader's own code.

The folder is `$XDG_CACHE_HOME/vlac/reads`, or `~/.cache/vlac/reads` (XDG Base Directory Specification). A cache that is
missing, unwritable or damaged costs time, never a result.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Result = TypeVar("_Result")

_MOST_RESULTS = 200  # some 100 KB each; the oldest go first


def default_folder() -> Path | None:
    """The cache folder, None where there is no home to have one in."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base and Path(base).is_absolute():
        return Path(base) / "vlac" / "reads"
    with suppress(RuntimeError):
        return Path.home() / ".cache" / "vlac" / "reads"
    return None


def key_of(*parts: str) -> str:
    """The name of a result: a hash of what it depends on, this package's own code included."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    for part in parts:
        digest.update(f"\0{len(part)}\0{part}".encode())
    return digest.hexdigest()


def load(folder: Path | None, key: str, from_json: Callable[[Any], _Result]) -> _Result | None:
    """A kept result, None where there is none that can be read."""
    if folder is None:
        return None
    try:
        return from_json(json.loads((folder / f"{key}.json").read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def store(folder: Path | None, key: str, document: Mapping[str, object]) -> None:
    """Keep a result as JSON, whole or not at all."""
    if folder is None:
        return
    text = json.dumps(document, separators=(",", ":"))
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(folder / f"{key}.json")
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        _prune(folder)


def _prune(folder: Path) -> None:
    results = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in results[:-_MOST_RESULTS]:
        path.unlink(missing_ok=True)
