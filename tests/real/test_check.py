"""`vlac check` beside RLinf's own code: each kind of finding is told, and is what RLinf does; shipped configs."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from confirm import composed, confirm
from finding_cases import CASES, UNCOMPOSED

from vlac.check import check_file

pytestmark = pytest.mark.corpus  # minutes: `make corpus`
CORPUS = Path(__file__).parents[3] / "shared" / "rlinf"
CHECKOUTS = {"v0.3": "rlinf-v0.3", "main": "rlinf-a3816b596"}


def checkout(version):
    folder = Path(os.environ.get("VLAC_TEST_RLINF", "/nowhere")) / CHECKOUTS[version]
    if not folder.is_dir():
        pytest.skip(
            f"no checkout of RLinf {version}: set VLAC_TEST_RLINF to a folder that holds {folder.name}"
        )
    return folder


def shipped(version, config, kind):
    file = CORPUS / version / kind / f"{config}.{'json' if kind == 'composed' else 'yaml'}"
    if not file.is_file():
        pytest.skip(f"RLinf's configs and their compositions are not at {CORPUS}")
    return file


def changed(case, tmp_path):
    """The changed composition, where a checkout would have it; JSON is YAML."""
    shipped(case.version, case.config, "configs")
    config = composed(CORPUS / case.version / "configs", case)
    path = tmp_path / f"{case.config}.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_it_is_found(case, tmp_path):
    path, tree = changed(case, tmp_path), checkout(case.version)
    found = {one.code for one in check_file(path, tree=tree).diagnostics}
    assert case.code in found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_it_is_what_rlinf_does(case, tmp_path, training_python):
    path, tree = changed(case, tmp_path), checkout(case.version)
    assert confirm(training_python, case.confirm, path, tree).startswith(case.outcome)


def test_the_config_that_does_not_compose():
    version, config = UNCOMPOSED
    (found,) = check_file(shipped(version, config, "configs")).diagnostics
    assert found.code == "check-not-composed"
    assert found.position.line == 5
    assert "training_backend/fsdp" in found.message
    assert "hybrid_engines/fsdp" in found.hint


@pytest.mark.parametrize(("version", "count"), [("v0.3", 2), ("main", 3)])
def test_sft_configs_run_and_some_of_their_keys_are_dead(version, count):
    tree, folder = checkout(version), CORPUS / version / "composed/examples/sft/config"
    if not folder.is_dir():
        pytest.skip(f"RLinf's configs and their compositions are not at {CORPUS}")
    dead = 0
    for file in sorted(folder.glob("*.json")):
        config = shipped(version, f"examples/sft/config/{file.stem}", "configs")
        checked = check_file(config, tree=tree)
        assert not checked.has_errors, checked.diagnostics
        told = [one for one in checked.diagnostics if "warmup_style" in one.message]
        assert all((one.code, one.position.file) == ("check-key-dead", str(config)) for one in told)
        dead += len(told)
    assert dead == count


def test_a_tree_of_examples_alone_is_checked_against_the_tables():
    config = shipped("v0.3", "examples/sft/config/libero_sft_openpi", "configs")
    checked = check_file(config)
    assert checked.target.described == "vlac's tables of RLinf 0.3"
    assert {one.code for one in checked.diagnostics} == {
        "check-key-dead",
        "check-placeholder",
        "check-undecided",
    }


def test_the_installed_package_is_found(training_python, tmp_path):
    """Without a checkout, what is installed beside the interpreter is read: it has no scripts, and one is made up."""
    config = json.loads(
        shipped("v0.3", "examples/sft/config/libero_sft_openpi", "composed").read_text(encoding="utf-8")
    )
    del config["actor"]["model"]["is_lora"]
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")
    where = "import importlib.util as u; print(u.find_spec('rlinf').submodule_search_locations[0])"
    said = subprocess.run([training_python, "-c", where], capture_output=True, text=True, check=True)
    errors = [
        one for one in check_file(path, tree=Path(said.stdout.strip()).parent).diagnostics if one.is_error
    ]
    assert [one.code for one in errors] == ["check-key-missing"]
    assert "rlinf/models/__init__.py" in errors[0].message
    assert "rlinf/hybrid_engines/fsdp/strategy/fsdp.py" in errors[0].message
