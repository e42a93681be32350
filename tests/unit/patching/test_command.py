"""`vlac patch` from the command line, and what a run says where a patch is not there."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.unit.conftest import text
from tests.unit.patching.conftest import AFTER, BEFORE, MODELS, PI0, STRATEGY
from vlac.cli import main
from vlac.patching.work import apply
from vlac.plan import passes
from vlac.rlinf.versions import VERSIONS
from vlac.run import patched


@pytest.fixture
def spec(tmp_path, patches, monkeypatch):
    """A spec that lists both patches, which are offered instead of the real ones."""
    monkeypatch.setitem(passes.patches.__globals__, "offered", lambda _: (patches.one, patches.two))
    path = tmp_path / "s.yaml"
    path.write_text(text(rlinf='{version: "0.3", path: ./tree}', patches="[one, two]"))
    return str(path)


def test_status_apply_status_revert(spec, tree, capsys):
    assert main(["patch", spec, "status"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"RLinf at {tree}\n  one  not applied     {MODELS}\n")
    assert "openpi: not looked at, RLinf's own files alone; --openpi PATH adds it for two\n" in out
    assert main(["patch", spec, "apply"]) == 0
    assert f"  one  applied now     {MODELS}\n" in capsys.readouterr().out
    assert main(["patch", spec, "status"]) == 0
    assert main(["patch", spec, "revert"]) == 0
    assert "  two  taken back now  rlinf/worker.py\n" in capsys.readouterr().out
    assert (tree / MODELS).read_text() == BEFORE[MODELS]


def test_openpi_and_another_tree_are_named(spec, tree, openpi, capsys):
    assert main(["patch", spec, "apply", "--rlinf", str(tree), "--openpi", str(openpi), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["applied"]
    assert found["action"] == "apply"
    assert [file["path"] for file in found["files"]][-1] == PI0
    assert (openpi / PI0).read_text() == AFTER[PI0]


def test_an_edited_file_is_shown_and_nothing_is_changed(spec, tree, capsys):
    (tree / STRATEGY).write_text("mine\n")
    assert main(["patch", spec, "apply"]) == 1
    out = capsys.readouterr().out
    assert f"  one  unknown         {STRATEGY}: edited by you or changed upstream" in out
    assert out.endswith("refused: nothing was changed\n")
    assert (tree / MODELS).read_text() == BEFORE[MODELS]


def test_a_patch_that_is_no_longer_listed_is_told(spec, tree, capsys):
    main(["patch", spec, "apply"])
    capsys.readouterr()
    assert main(["patch", spec, "status", "--set", "patches=[one]"]) == 0
    told = capsys.readouterr().out
    assert (
        f"{tree} is patched with two too, which the spec does not list: --set 'patches=[two]' reaches it\n"
        in told
    )
    assert main(["patch", spec, "revert", "--set", "patches=[two]"]) == 0
    assert (tree / MODELS).read_text() == AFTER[MODELS]


def test_nothing_listed_is_nothing_to_do(spec, capsys):
    assert main(["patch", spec, "apply", "--set", "patches=[]"]) == 0
    assert capsys.readouterr().out.startswith("the spec lists no patches; `vlac plan SPEC` shows")


@pytest.mark.usefixtures("spec")
def test_no_tree_is_wrong_usage(tmp_path, capsys):
    path = tmp_path / "other.yaml"
    path.write_text(text(patches="[one]"))
    assert main(["patch", str(path), "apply"]) == 2
    assert "the spec has no rlinf.path" in capsys.readouterr().err
    assert main(["patch", str(path), "apply", "--rlinf", str(tmp_path)]) == 1
    assert "is no tree of rlinf" in capsys.readouterr().err


class Launched:
    """What `unpatched` asks of a launch."""

    def __init__(self, patches, tree):
        self.plan = SimpleNamespace(patches=patches, version=VERSIONS["0.3"])
        self.checkout, self.python = tree, "python"


@pytest.fixture
def launched(patches, tree, openpi, monkeypatch):
    monkeypatch.setattr(patched, "_packages", lambda *_: {"openpi": openpi})
    return Launched((patches.one, patches.two), tree)


def test_a_run_names_each_patch_that_is_not_there(launched, both, tree, openpi):
    told = list(patched.unpatched(launched))
    assert len(told) == 2
    assert told[0].startswith(
        f"the patch one is not there: {MODELS} (not applied), {STRATEGY} (not applied): "
    )
    assert told[0].endswith(f"`vlac patch SPEC apply --rlinf {tree} --openpi {openpi}`")
    apply(both)
    assert list(patched.unpatched(launched)) == []
    (tree / MODELS).write_text("mine\n")
    (told,) = patched.unpatched(launched)
    assert "edited since vlac patched it" in told


def test_a_run_without_patches_looks_at_nothing(launched, monkeypatch):
    monkeypatch.setattr(patched, "_packages", None)
    launched.plan.patches = ()
    assert list(patched.unpatched(launched)) == []


def test_a_run_that_cannot_look_says_so(launched, monkeypatch):
    monkeypatch.setattr(patched, "_packages", lambda *_: {})
    assert list(patched.unpatched(launched)) == [
        "the patches one, two cannot be looked for: python finds no package openpi"
    ]


def test_an_interrupted_change_stops_a_run(launched, both, tree):
    apply(both)
    (tree / ".vlac-patch/journal.json").write_text(
        '{"schema": 1, "id": "x", "phase": "exchanging", "files": [], "old": {}, "new": {}}'
    )
    (told,) = patched.unpatched(launched)
    assert told.startswith(f"a change of {tree} was interrupted")


def test_files_of_listed_patches_may_differ_from_the_published_ones(patches):
    plan = Launched((patches.one,), None).plan
    assert patched.patched_files(plan) == {MODELS, STRATEGY}
    assert patched.patched_files(replace_patches(plan)) == frozenset()


def replace_patches(plan):
    plan.patches = tuple(replace(patch, variants=()) for patch in plan.patches)
    return plan
