"""Headers of safetensors files: 8 bytes of length, little-endian, then JSON; no tensor is read.

Format: https://huggingface.co/docs/safetensors/index#format
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_LENGTH = 8
_MOST = 100_000_000  # the limit of the format
_METADATA = "__metadata__"


class WeightsError(Exception):
    """A file of weights cannot be read; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of a header: its dtype in safetensors' words (`BF16`), and its shape."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def parameters(self) -> int:
        """The number of its entries."""
        return prod(self.shape)


def read_header(file: Path) -> dict[str, Tensor]:
    """The tensors of one file by name. Raises WeightsError."""
    try:
        size = file.stat().st_size
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(_LENGTH), "little")
            if size == 0:
                raise WeightsError(f"{file.name} is empty")
            if size < _LENGTH or length > min(_MOST, size - _LENGTH):
                raise WeightsError(f"{file.name} {_what_else(file)}")
            header = json.loads(opened.read(length))
    except OSError as problem:
        raise WeightsError(f"{file.name}: {problem.strerror}") from problem
    except ValueError as problem:
        raise WeightsError(f"{file.name} is no safetensors file: its header is no JSON") from problem
    return _tensors(file, header, size - _LENGTH - length)


def _what_else(file: Path) -> str:
    with file.open("rb") as opened:
        is_pointer = opened.read(32).startswith(b"version https://git-lfs")
    return "is a Git LFS pointer, not the file" if is_pointer else "is no safetensors file, or is cut off"


def _tensors(file: Path, header: object, room: int) -> dict[str, Tensor]:
    if not isinstance(header, dict):
        raise WeightsError(f"{file.name} is no safetensors file: its header is no mapping")
    try:
        ends = [int(one["data_offsets"][1]) for name, one in header.items() if name != _METADATA]
        tensors = {
            name: Tensor(str(one["dtype"]), tuple(int(length) for length in one["shape"]))
            for name, one in header.items()
            if name != _METADATA
        }
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise WeightsError(
            f"{file.name} is no safetensors file: a tensor of its header is not described"
        ) from problem
    if max(ends, default=0) > room:
        raise WeightsError(f"{file.name} is cut off: {max(ends) - room:,} bytes of tensors are missing")
    return tensors


def read_headers(files: list[Path]) -> dict[str, Tensor]:
    """The tensors of several files. Raises WeightsError."""
    found: dict[str, Tensor] = {}
    for file in files:
        found |= read_header(file)
    return found


def missing_shards(index: Path) -> list[str]:
    """Files that an index (`model.safetensors.index.json`) names and that are not there. Raises WeightsError."""
    try:
        named = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise WeightsError(f"{index.name} is no index of safetensors files") from problem
    return sorted(str(name) for name in named if not (index.parent / str(name)).is_file())
