"""The software of the interpreter that trains, asked in a process of its own; nothing of it is imported.

The file is also the script that this interpreter executes, so it imports the standard library only.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = (
    "lerobot",
    "datasets",
    "transformers",
    "tokenizers",
    "torch",
    "torch_npu",
    "numpy",
    "openpi",
    "rlinf-openpi",
    "rlinf",
    "jax",
    "ray",
)
# LeRobot 0.1.0 and 0.4 keep the format's version in different modules.
_LEROBOT = (
    "common/datasets/lerobot_dataset.py",
    "datasets/lerobot_dataset.py",
    "datasets/dataset_metadata.py",
    "datasets/utils.py",
)
_FORMAT = re.compile(r"^CODEBASE_VERSION\s*=\s*[\"']([^\"']+)", re.MULTILINE)
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Interpreter:
    """What an interpreter has: versions by package, `python` among them.

    `lerobot_format` is the version of the data format that its LeRobot writes, as `v2.1`. `replaced` tells whether
    openpi's own files lie over those of transformers; both are None where it does not say.
    """

    versions: dict[str, str] = field(default_factory=dict)
    lerobot_format: str | None = None
    replaced: bool | None = None


def ask(python: str) -> Interpreter | None:
    """Ask the interpreter `python`; None where it does not answer."""
    try:
        answer = subprocess.run(
            [python, "-I", __file__], capture_output=True, text=True, timeout=_TIMEOUT_S, check=True
        )
        return Interpreter(**json.loads(answer.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
        return None


def look() -> dict[str, object]:
    """The answer, in the interpreter that is asked."""
    from importlib import metadata

    versions = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return {"versions": versions, "lerobot_format": _lerobot_format(), "replaced": _is_replaced()}


def _lerobot_format() -> str | None:
    folder = _folder("lerobot")
    for name in _LEROBOT:
        found = _FORMAT.search(_text(folder / name)) if folder else None
        if found:
            return found.group(1)
    return None


def _is_replaced() -> bool | None:
    """openpi's norms take a condition, those of transformers do not; its check is a file that only openpi has.

    Source: openpi 15a9616, models_pytorch/transformers_replace/models/{gemma/modeling_gemma,siglip/check}.py.
    """
    folder = _folder("transformers")
    if folder is None:
        return None
    norms = _text(folder / "models/gemma/modeling_gemma.py")
    return "cond_dim" in norms and (folder / "models/siglip/check.py").is_file()


def _folder(package: str) -> Path | None:
    """The folder of a package, found without importing it."""
    from importlib.util import find_spec

    found = find_spec(package)
    return Path(found.origin).parent if found and found.origin else None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


if __name__ == "__main__":
    json.dump(look(), sys.stdout)
