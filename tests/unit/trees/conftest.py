"""Small trees: three versions of six files, in the place of the real tables."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from vlac.rlinf.trees import recognise
from vlac.rlinf.trees.files import SHORT, read_files

OLD = {
    "rlinf/config.py": "a = 1\n",
    "rlinf/__init__.py": "",
    "rlinf/workers/w.py": "old\n",
    "examples/sft/train.py": "import rlinf\n",
    "examples/sft/config/a.yaml": "a: 1\n",
    "examples/sft/config/b.yaml": "b: 1\n",
}
NEW = {**OLD, "rlinf/workers/w.py": "new\n", "examples/sft/config/b.yaml": "b: 2\n"}
MAIN = {
    **OLD,
    "rlinf/config.py": "a = 2\n",
    "rlinf/workers/w.py": "main\n",
    "examples/sft/config/b.yaml": "b: 3\n",
}


def write_tree(folder: Path, files) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


@pytest.fixture
def known(tmp_path, monkeypatch):
    """`recognise` with three small versions for the known ones; `old`, `new`, `main` are their files."""
    tables = {}
    for name, files in (("0.3", OLD), ("main", MAIN), ("a4b6abe20", NEW)):
        hashes = read_files(write_tree(tmp_path / name, files)).hashes
        tables[name] = {file: digest[:SHORT] for file, digest in hashes.items()}
    monkeypatch.setattr(import_module("vlac.rlinf.trees.recognise"), "known_files", lambda: tables)
    tree = tmp_path / "tree"
    return SimpleNamespace(
        old=OLD,
        new=NEW,
        main=MAIN,
        folder=tree,
        write=lambda files: write_tree(tree, files),
        recognise=lambda files: recognise(write_tree(tree, files)),
    )
