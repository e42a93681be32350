"""docs/ports.md says of every config that RLinf ships what becomes of it; the rows behind it are complete."""

import importlib.util
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from vlac.compiler import compile_spec_text
from vlac.errors import SpecError
from vlac_ascend import adapter

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "generate_ports.py"
PAGE = (ROOT / "docs" / "ports.md").read_text(encoding="utf-8")
CORPUS = ROOT.parent / "shared" / "rlinf"
FILES = re.compile(r"(?<![\w./-])((?:rlinf|requirements|docs|docker|\.github)/[\w./*-]+\w)(.*?)(?=;|$)")
CODES = {"works": None, "warning": "port-warning", "refused": "port-refused", "unknown": "port-unknown"}
SPEC = """\
vlac: 1
name: shipped
rlinf: {version: "%s"}
base: examples/%s.yaml
hardware: {backend: ascend, device: 910B3, cards: 8}
"""
TREES = {"0.3": "rlinf-v0.3", "main": "rlinf-a3816b596"}


@pytest.fixture(scope="module")
def page_script():
    spec = importlib.util.spec_from_file_location("generate_ports", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def shipped(page_script):
    if not CORPUS.is_dir():
        pytest.skip(f"no composed configs at {CORPUS}")
    return list(page_script.shipped(adapter, CORPUS))


@pytest.mark.usefixtures("shipped")
def test_the_page_is_up_to_date(page_script):
    assert page_script.document(CORPUS) == PAGE, "run python scripts/generate_ports.py"


def test_every_composed_config_is_on_it(shipped):
    assert Counter(config.version for config in shipped) == {"0.3": 184, "main": 207}
    assert all(f"| `{config.name}` |" in PAGE for config in shipped)


def test_what_must_not_be_said_to_run_is_not(shipped):
    """Checked by the names of the configs, not by the keys that the verdict is made from."""
    for config in shipped:
        name = Path(config.name).name
        if re.match(
            r"maniskill_(ppo|grpo|async|sac)|isaaclab|behavior_ppo|robotwin_.*(ppo|grpo)|polaris", name
        ):
            assert config.ported.verdict == "refused", name
        if "megatron" in name:
            assert config.ported.verdict == "refused", name
        if config.ported.verdict in ("works", "warning"):
            assert re.search(r"openpi|openvlaoft|gr00t", name), name


def test_links_lead_to_headings(page_script):
    headings = {page_script._anchor(line.lstrip("# ")) for line in PAGE.splitlines() if line.startswith("#")}
    assert set(re.findall(r"\(#([^)]+)\)", PAGE)) <= headings


def test_without_the_configs_the_page_is_left_as_it_is(tmp_path):
    folder = tmp_path / "repository"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / SCRIPT.name).write_bytes(SCRIPT.read_bytes())
    command = [sys.executable, str(folder / "scripts" / SCRIPT.name), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert "ports.md is left as it is" in ran.stderr


@pytest.mark.parametrize("row", adapter.support, ids=lambda row: row.title)
def test_every_row_is_complete(row):
    assert row.why and row.source
    assert not row.why.endswith(".")
    assert (row.instead is not None) == (row.verdict == "refused")
    if row.verdict in ("works", "warning"):
        assert row.about.models and row.about.task and row.about.training


@pytest.mark.real
@pytest.mark.parametrize("version", TREES)
def test_files_that_rows_name_are_in_the_tree(version):
    folder = Path(os.environ.get("VLAC_TEST_RLINF", "")) / TREES[version]
    if "VLAC_TEST_RLINF" not in os.environ or not folder.is_dir():
        pytest.skip(
            f"no checkout of RLinf {version}: set VLAC_TEST_RLINF to a folder that holds {folder.name}"
        )
    absent, seen = [], 0
    for fact in (*adapter.support, *adapter.replacements):
        versions = getattr(fact, "versions", ()) or TREES
        for file, rest in FILES.findall(fact.source):
            of_this = version in versions and (version == "main" or "(main" not in rest)
            seen += of_this
            if of_this and not list(folder.glob(file)):
                absent.append(f"{file}: {fact.source}")
    assert absent == []
    assert seen > 20  # the pattern still finds files in the sources


@pytest.mark.real
def test_the_compiler_says_what_the_page_says(page_script, shipped):
    """One config of each version and set of rows, composed by Hydra itself and compiled."""
    chosen = {(one.version, page_script._why(one.ported)): one for one in shipped}
    for one in chosen.values():
        tree = CORPUS / page_script.FOLDERS[one.version] / "configs"
        spec = SPEC % (one.version, one.name)
        try:
            told = compile_spec_text(spec, Path("/"), tree=tree).diagnostics
        except SpecError as refusal:
            told = refusal.diagnostics
        codes = {diagnostic.code for diagnostic in told if diagnostic.code.startswith("port-")}
        assert codes == {CODES[one.ported.verdict]} - {None}, one.name
