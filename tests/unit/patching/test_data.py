"""The patches that vlac offers, as data: what can be known of them without a tree."""

from pathlib import Path

import pytest

from vlac import adapter_registry
from vlac.patches.parse import parse
from vlac.rlinf.guards import GUARDS
from vlac.rlinf.source_patches import offered
from vlac.rlinf.trees.files import SHORT
from vlac.rlinf.trees.known_files import known_files
from vlac.rlinf.versions import VERSIONS

PATCHES = {
    patch.id: patch for name in adapter_registry.names() for patch in offered(adapter_registry.find(name))
}
VARIANTS = [(patch, variant) for patch in PATCHES.values() for variant in patch.variants]


def name(value):
    return getattr(value, "id", None) or f"{value.project}-{value.tree}"


def test_what_is_offered():
    assert list(PATCHES) == ["guards", "npu-numerics"]
    assert offered(adapter_registry.find("cuda")) == (GUARDS,)


@pytest.mark.parametrize("variant", [variant for _, variant in VARIANTS], ids=name)
def test_a_diff_changes_the_files_that_the_table_lists(variant):
    files = parse(variant.diff.read_bytes(), variant.diff.name).files
    assert {file.path for file in files} == {file.path for file in variant.files}
    assert all(file.change == "edit" for file in files)
    assert b"\r" not in variant.diff.read_bytes()


@pytest.mark.parametrize("patch", PATCHES.values(), ids=name)
def test_there_is_a_variant_for_each_known_version(patch):
    trees = [variant.tree for variant in patch.variants if variant.project == "rlinf"]
    assert sorted(trees) == sorted(VERSIONS)


@pytest.mark.parametrize("variant", [v for _, v in VARIANTS if v.project == "rlinf"], ids=name)
def test_the_files_before_are_those_of_the_version(variant):
    known = known_files()[variant.tree]
    for file in variant.files:
        assert file.before[:SHORT] == known[file.path]
        assert file.after != file.before


def test_a_file_belongs_to_one_patch():
    owners = {(file.path, patch.id) for patch, variant in VARIANTS for file in variant.files}
    assert len({path for path, _ in owners}) == len(owners)


def test_every_change_keeps_the_size_from_being_the_same():
    """Python takes a cached file for fresh whose source has the same second and the same size."""
    for _, variant in VARIANTS:
        for file in parse(variant.diff.read_bytes(), variant.diff.name).files:
            lines = [line for hunk in file.hunks for line in hunk.lines]
            grown = sum((line.mark == "+") * (len(line.text) + 1) for line in lines)
            assert grown != sum((line.mark == "-") * (len(line.text) + 1) for line in lines)


@pytest.mark.parametrize("patch", PATCHES.values(), ids=name)
def test_the_page_tells_of_each(patch):
    page = (Path(__file__).parents[3] / "docs/patches.md").read_text(encoding="utf-8")
    assert f"| `{patch.id}` |" in page
    for variant in patch.variants:
        assert variant.tree.removeprefix("rlinf-openpi-").removeprefix("openpi-") in page
        assert all(file.path.rpartition("/")[2] in page for file in variant.files)
