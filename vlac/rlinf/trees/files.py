"""The files of an RLinf tree that decide which configuration keys it has, and a hash of each.

These are the Python files of `rlinf/` and `examples/`, and the YAML files below a `config/` of an example: code reads
keys, configs set them. What lies in hidden folders or in `__pycache__` is none of the tree's. Line endings do not
count: a checkout with CRLF is the same tree.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PACKAGE, EXAMPLES, CONFIG = "rlinf", "examples", "config"
SHORT = 12  # hexadecimal digits of a hash that tell the versions of one file apart


@dataclass(frozen=True)
class TreeFiles:
    """The sha256 of each file that matters, by its path in the tree."""

    hashes: Mapping[str, str]

    @cached_property
    def digest(self) -> str:
        """One hash of all of them with their paths, in hexadecimal: the identity of the tree."""
        lines = (f"{file}\0{digest}\n" for file, digest in sorted(self.hashes.items()))
        return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    @cached_property
    def parts(self) -> frozenset[str]:
        """The parts of a tree that are at hand (`part_of`)."""
        return frozenset(map(part_of, self.hashes))


def part_of(file: str) -> str:
    """The part of a tree that may be there or not without being a change: the package, and for each example its code
    and its configs. PyPI's package has no examples, and a copy of the configs no code.
    """
    if not file.startswith(f"{EXAMPLES}/"):
        return PACKAGE
    example = "/".join(file.split("/", 2)[:2])
    return f"{example} {file.rpartition('.')[2]}"


def read_files(tree: Path) -> TreeFiles:
    """Hash the files that matter. A file that cannot be read counts as empty; nothing is imported or run."""
    return TreeFiles({file: _hash(path) for top in (PACKAGE, EXAMPLES) for file, path in _walk(tree, top)})


def _walk(tree: Path, top: str) -> Iterator[tuple[str, str]]:
    root = os.fspath(tree)
    for folder, folders, names in os.walk(os.path.join(root, top)):  # noqa: PTH118 - a thousand files: speed counts
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        suffixes = (".py", ".yaml") if _holds_configs(inside) else (".py",)
        yield from ((f"{inside}/{name}", f"{folder}/{name}") for name in names if name.endswith(suffixes))


def _holds_configs(folder: str) -> bool:
    return folder.startswith(f"{EXAMPLES}/") and CONFIG in folder.split("/")


def _hash(path: str) -> str:
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - a thousand files: speed counts
            return hash_of(stream.read())
    except OSError:
        return hash_of(b"")


def hash_of(content: bytes) -> str:
    """The sha256 of a file's content with LF line endings."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
