"""A tree is told by its content, then by what it calls itself, then by git."""

import json

import pytest

from vlac.errors import RefusedError
from vlac.rlinf import versions
from vlac.rlinf.trees import known_files, recognise
from vlac.rlinf.trees.files import part_of, read_files


def test_equal_content_is_the_version(known):
    found = known.recognise(known.new)
    assert found.is_known and not found.alike
    assert found.version is versions.A4B6ABE20
    assert found.described == "RLinf a4b6abe20"


@pytest.mark.parametrize("part", ["rlinf/", "examples/"])
def test_a_part_is_enough_where_it_differs(known, part):
    found = known.recognise({name: text for name, text in known.new.items() if name.startswith(part)})
    assert found.version is versions.A4B6ABE20
    assert found.has_code == (part == "rlinf/")


def test_what_cannot_be_told_apart_is_said(known):
    found = known.recognise({"examples/sft/train.py": known.old["examples/sft/train.py"]})
    assert found.version is versions.V0_3
    assert found.alike == (versions.MAIN, versions.A4B6ABE20)
    assert found.described == "RLinf 0.3 or main or a4b6abe20"


def test_the_name_of_the_package_decides_between_equals(known):
    project = '[build-system]\nversion = "9"\n\n[project]\nname = "rlinf"\nversion = "0.4.0"\n'
    found = known.recognise({"examples/sft/train.py": "import rlinf\n", "pyproject.toml": project})
    assert found.version is versions.MAIN and not found.alike
    assert found.package_version == "0.4.0"


def test_git_decides_between_equals(known):
    commit = versions.A4B6ABE20.commit
    found = known.recognise({"examples/sft/train.py": "import rlinf\n", ".git/HEAD": f"{commit}\n"})
    assert found.version is versions.A4B6ABE20 and not found.alike


def test_a_few_edits_are_the_version_with_files_changed(known):
    found = known.recognise({**known.old, "rlinf/config.py": "a = 3\n"})
    assert not found.is_known and found.is_edited and not found.code_is_known
    assert found.version is versions.V0_3
    assert found.nearest.changed == ("rlinf/config.py",)
    assert found.described == "RLinf 0.3 with 1 file changed"


def test_an_edited_config_leaves_the_code_known(known):
    assert known.recognise({**known.old, "examples/sft/config/a.yaml": "a: 9\n"}).code_is_known


def test_many_edits_are_a_tree_of_its_own_unless_git_says_otherwise(known):
    files = {**known.old, "rlinf/config.py": "a = 3\n", "examples/sft/train.py": "pass\n"}
    found = known.recognise(files)
    assert found.version is None and found.nearest.version is versions.V0_3
    assert "nearest is 0.3 with 4 equal files, 2 changed, 0 missing and 0 more" in found.described
    edited = known.recognise({**files, ".git/HEAD": versions.V0_3.commit})
    assert edited.described == "RLinf 0.3 with 2 files changed"


def test_a_file_that_is_gone_is_a_change(known):
    files = {name: text for name, text in known.old.items() if name != "rlinf/__init__.py"}
    assert known.recognise(files).nearest.missing == ("rlinf/__init__.py",)


def test_files_of_the_users_own_change_nothing(known):
    found = known.recognise(
        {**known.old, "examples/sft/config/mine.yaml": "a: 1\n", "examples/sft/out/x.yaml": ""}
    )
    assert found.is_known
    assert found.nearest.added == ("examples/sft/config/mine.yaml",)


def test_line_endings_caches_and_hidden_folders_do_not_count(known):
    plain = known.recognise(known.old).digest
    crlf = {name: text.replace("\n", "\r\n") for name, text in known.old.items()}
    noise = {
        "rlinf/__pycache__/config.py": "x",
        "examples/sft/.ipynb_checkpoints/train.py": "y",
        "README.md": "z",
    }
    found = known.recognise({**crlf, **noise})
    assert found.is_known and found.digest == plain


def test_the_digest_is_that_of_the_content(known, tmp_path):
    first = known.recognise(known.old).digest
    assert read_files(tmp_path / "0.3").digest == first
    assert known.recognise({**known.old, "rlinf/config.py": "a = 3\n"}).digest != first


@pytest.mark.parametrize("make", [True, False])
def test_no_tree(tmp_path, make):
    if make:
        (tmp_path / "there").mkdir()
    with pytest.raises(RefusedError, match="neither rlinf/ nor examples/" if make else "no such folder"):
        recognise(tmp_path / "there")


def test_an_installed_package_says_its_version(known):
    metadata = "Metadata-Version: 2.4\nName: rlinf\nVersion: 0.3.0\n"
    assert (
        known.recognise({**known.old, "rlinf-0.3.0.dist-info/METADATA": metadata}).package_version == "0.3.0"
    )


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("rlinf/data/a.py", "rlinf"),
        ("examples/sft/config/model/pi0.yaml", "examples/sft yaml"),
        ("examples/sft/train.py", "examples/sft py"),
    ],
)
def test_parts(file, part):
    assert part_of(file) == part


def test_the_committed_table_knows_every_version():
    known = known_files.known_files()
    assert list(known) == list(versions.VERSIONS)
    assert all("rlinf/config.py" in files and len(files) > 900 for files in known.values())
    assert known["0.3"]["rlinf/config.py"] != known["a4b6abe20"]["rlinf/config.py"]


@pytest.mark.usefixtures("known")
def test_the_table_is_read_as_it_was_written(tmp_path, monkeypatch):
    trees = {name: read_files(tmp_path / name) for name in ("0.3", "main")}
    file = tmp_path / "known_files.json"
    file.write_text(known_files.document_of(trees), encoding="utf-8")
    monkeypatch.setattr(known_files, "_DATA", file)
    read = known_files.known_files.__wrapped__()
    assert read == {
        name: {path: digest[:12] for path, digest in files.hashes.items()} for name, files in trees.items()
    }
    assert json.loads(file.read_text())["files"]["rlinf/__init__.py"].count(" ") == 0
