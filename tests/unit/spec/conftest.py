"""What the tests of the spec share."""

from pathlib import Path

import pytest

from vlac.errors import SpecError
from vlac.spec.load import load_text

EIGHT_LINES = """\
vlac: 1
name: pi05-libero10-sft
rlinf: {path: /workspace/RLinf, version: "0.3"}
model: {family: pi05, weights: /data/pi05_base}
data:  {path: /data/libero10, config: pi05_libero}
hardware: {backend: ascend, device: 910B3, cards: 8}
train: {steps: 30000, micro_batch: 4, global_batch: 128, lr: 2.5e-5, warmup_steps: 1000}
"""


@pytest.fixture
def eight_lines():
    return EIGHT_LINES


@pytest.fixture
def read(tmp_path):
    """Read a text as a spec that lies in tmp_path."""
    return lambda text, **given: load_text(text, folder=tmp_path, **given)


@pytest.fixture
def codes(read):
    """The places and codes of what is wrong with a text."""

    def told(text, **given):
        with pytest.raises(SpecError) as caught:
            read(text, **given)
        return [(str(problem.position), problem.code) for problem in caught.value.diagnostics]

    return told


@pytest.fixture
def write(tmp_path):
    """Write files below tmp_path; returns the path of the last."""

    def files(**texts: str) -> Path:
        path = tmp_path
        for name, text in texts.items():
            path = tmp_path / (name.replace("__", "/") + ".yaml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return path

    return files
