"""The version that a tree calls itself: `pyproject.toml` of a checkout, or `dist-info` of an installed package."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PROJECT = re.compile(r"^\[project\]\s*$(?P<body>.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
_VERSION = re.compile(r"""^version\s*=\s*["']([^"']+)["']""", re.MULTILINE)
_METADATA = re.compile(r"^Version:\s*(\S+)", re.MULTILINE)


def package_version(tree: Path) -> str | None:
    """What the package rlinf calls its version, None where nothing says it."""
    project = _PROJECT.search(_read(tree / "pyproject.toml"))
    found = _VERSION.search(project["body"]) if project else None
    if found:
        return found[1]
    for folder in sorted(tree.glob("rlinf-*.dist-info")):
        installed = _METADATA.search(_read(folder / "METADATA"))
        if installed:
            return installed[1]
    return None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
