"""The demo runs inside the training processes: its tests need what those have, and are skipped elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's data set, written once."""
    from vlac.demo.generate import generate

    return generate(tmp_path_factory.mktemp("demo") / "data")
