"""Names in a file of `torch.save`, without unpickling it: nothing of the file is executed.

The file is a zip with a pickle `<name>/data.pkl` that holds the keys of a state dict as plain texts
(torch 2.6, torch/serialization.py; pickle opcodes by Python's pickletools).
"""

from __future__ import annotations

import pickletools
import zipfile
from typing import TYPE_CHECKING

from vlac.doctor.safetensors import WeightsError

if TYPE_CHECKING:
    from pathlib import Path

_MOST = 256 << 20


def names(file: Path) -> frozenset[str]:
    """Every text of the pickle, the keys of a state dict among them. Raises WeightsError."""
    try:
        with zipfile.ZipFile(file) as archive:
            inside = next((one for one in archive.infolist() if one.filename.endswith("/data.pkl")), None)
            if inside is None or inside.file_size > _MOST:
                raise WeightsError(f"{file.name} is no file of torch.save")
            pickle = archive.read(inside)
    except (OSError, zipfile.BadZipFile) as problem:
        raise WeightsError(f"{file.name} is no file of torch.save, or is cut off") from problem
    try:
        return frozenset(text for _, text, _ in pickletools.genops(pickle) if isinstance(text, str))
    except ValueError as problem:
        raise WeightsError(f"{file.name}: its pickle cannot be read") from problem
