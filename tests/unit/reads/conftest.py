"""Tiny trees in the shape of RLinf, written for one test."""

from pathlib import Path

import pytest

from vlac.rlinf.reads import Run, Tree, read_for, read_tree

SCRIPT = """
import hydra
from rlinf.config import main_of

@hydra.main(version_base="1.1", config_path="config", config_name="a")
def main(cfg):
    cfg.runner.task_type
    main_of(cfg)
"""
CONFIG = """
runner:
  task_type: sft
actor:
  model:
    model_type: openpi
"""
RUN = Run("sft", "openpi", "fsdp")


def _write(folder: Path, code: str, **others: str) -> Tree:
    """A tree whose script calls `main_of(cfg)` of rlinf/config.py; others are files (`a/b` is rlinf/a/b.py)."""
    files = {
        "rlinf/config.py": code,
        "examples/sft/train.py": SCRIPT,
        "examples/sft/config/a.yaml": CONFIG,
        **{f"rlinf/{name}.py": text for name, text in others.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Tree(folder)


def _kinds(folder: Path, code: str, config: dict | None = None, **others: str) -> dict[str, set[str]]:
    """The kinds of each key that the code reads, the key that the script itself reads left out."""
    tree = _write(folder, code, **others)
    reads = read_tree(tree, RUN) if config is None else read_for(tree, config)
    found: dict[str, set[str]] = {}
    for read in reads.reads:
        if read.name not in ("runner", "runner.task_type"):
            found.setdefault(read.name, set()).add(read.kind)
    return found


@pytest.fixture
def write():
    return _write


@pytest.fixture
def kinds(tmp_path):
    """The kinds of each key that a piece of code reads."""
    return lambda code, config=None, **others: _kinds(tmp_path, code, config, **others)
