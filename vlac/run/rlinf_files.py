"""Is the installed RLinf the package as it was published? Its files are compared with the wheel's RECORD.

The file is also a script that the run's own interpreter executes, so it imports the standard library only.
RECORD: https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

DISTRIBUTION = "rlinf"


def compare(distribution: str = DISTRIBUTION) -> dict[str, object]:
    """The version, how many files were compared, which are changed or missing; `{}` where it is not installed."""
    from importlib import metadata

    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return {}
    recorded = [
        (Path(str(found.locate_file(file))), file.hash, str(file)) for file in found.files or () if file.hash
    ]
    changed = [name for path, expected, name in recorded if _digest(path, expected.mode) != expected.value]
    return {"version": found.version, "files": len(recorded), "changed": sorted(changed)}


def ask(python: str) -> dict[str, object] | None:
    """What `compare` says in the interpreter `python`; None where that interpreter does not answer."""
    try:
        answer = subprocess.run(
            [python, "-I", __file__], capture_output=True, text=True, timeout=120, check=True
        )
        result: dict[str, object] = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return result


def _digest(path: Path, algorithm: str) -> str:
    """The digest of a file as RECORD writes it, empty where the file is missing."""
    try:
        digest = hashlib.new(algorithm, path.read_bytes()).digest()
    except OSError:
        return ""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


if __name__ == "__main__":
    json.dump(compare(), sys.stdout)
