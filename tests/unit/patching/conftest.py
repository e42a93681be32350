"""A small RLinf tree and a small openpi, with patches made for them."""

from __future__ import annotations

import os
from difflib import unified_diff
from types import SimpleNamespace

import pytest

from vlac.adapters import PatchedFile, PatchVariant, SourcePatch
from vlac.patching.places import find_root
from vlac.patching.work import Job
from vlac.rlinf.trees.files import hash_of

MODELS, STRATEGY, WORKER = "rlinf/models.py", "rlinf/fsdp/strategy.py", "rlinf/worker.py"
PI0 = "openpi/models_pytorch/pi0.py"
LINES = "".join(f"line {number}\n" for number in range(1, 21))


def changed(text):
    return text.replace("line 5\n", "five\nand a half\n").replace("line 15\n", "fifteen\n")


BEFORE = {
    MODELS: LINES,
    STRATEGY: "# strategy\n" + LINES,
    WORKER: "# worker\n" + LINES,
    PI0: "# pi0\n" + LINES,
}
AFTER = {path: changed(text) for path, text in BEFORE.items()}


def diff(paths, before=BEFORE):
    def one(path):
        old, new = before[path].splitlines(True), changed(before[path]).splitlines(True)
        return "".join(unified_diff(old, new, f"a/{path}", f"b/{path}"))

    return "".join(map(one, paths))


def variant(folder, project, tree, paths, before=BEFORE):
    path = folder / f"{project}-{tree}-{len(paths)}.patch"
    path.write_text(diff(paths, before))
    files = tuple(
        PatchedFile(path, hash_of(before[path].encode()), hash_of(changed(before[path]).encode()))
        for path in paths
    )
    return PatchVariant(project, tree, path, files)


def source_patch(id, *variants):
    return SourcePatch(id, "purpose", "evidence", "unneeded", "none", variants)


@pytest.fixture(autouse=True)
def unflushed(monkeypatch):
    """Without waiting for the disk: a kill takes nothing from the system's memory."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def patches(tmp_path):
    """`one` changes two files of RLinf at two versions, `two` a third one and one of openpi."""
    folder = tmp_path / "diffs"
    folder.mkdir()
    newer = {path: text.replace("line 1\n", "newer\n") for path, text in BEFORE.items()}
    return SimpleNamespace(
        one=source_patch(
            "one",
            variant(folder, "rlinf", "0.3", (MODELS, STRATEGY)),
            variant(folder, "rlinf", "main", (MODELS, STRATEGY), newer),
        ),
        two=source_patch(
            "two", variant(folder, "rlinf", "0.3", (WORKER,)), variant(folder, "openpi", "1", (PI0,))
        ),
        newer=newer,
    )


def plant(folder, paths, texts=BEFORE):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(texts[path].encode())
    return folder


def content(folder):
    """Every file of a tree but vlac's own."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith(".vlac-patch") for part in path.relative_to(folder).parts)
    }


def everything(folder):
    """Every name below a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def as_bytes(texts, *paths):
    return {path: texts[path].encode() for path in paths}


@pytest.fixture
def tree(tmp_path):
    return plant(tmp_path / "tree", (MODELS, STRATEGY, WORKER))


@pytest.fixture
def openpi(tmp_path):
    return plant(tmp_path / "openpi", (PI0,))


@pytest.fixture
def job(patches, tree):
    """`one` on the tree."""
    return Job((patches.one,), (find_root("rlinf", tree),), ("0.3",))


@pytest.fixture
def both(patches, tree, openpi):
    """Both patches on both trees."""
    roots = (find_root("rlinf", tree), find_root("openpi", openpi))
    return Job((patches.one, patches.two), roots, ("0.3",))
