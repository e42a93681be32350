"""How backends are found: vlac's own without a scan, those of others through their entry points."""

import subprocess
import sys
from pathlib import Path

import pytest

from vlac import adapter_registry
from vlac.errors import VlacError

ROOT = Path(__file__).parents[3]
THEIRS = "from vlac.adapters import Adapter\nadapter = Adapter('theirs', 'of theirs', 'devices', 'xccl')\n"


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """Install a distribution with one module and one entry point, as pip leaves it on disk."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(source, name="theirs", target="their_module:adapter"):
        info = tmp_path / "their_package-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[vlac.adapters]\n{name} = {target}\n")
        (tmp_path / "their_module.py").write_text(source)
        monkeypatch.delitem(sys.modules, "their_module", raising=False)

    return install


def test_the_built_in_table_is_what_pyproject_declares():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert dict(adapter_registry.BUILT_IN) == project["entry-points"]["vlac.adapters"]


@pytest.mark.parametrize("name", ["ascend", "cuda", "cpu"])
def test_a_built_in_backend_is_found_without_a_scan_of_the_installation(name):
    code = (
        "import sys; from vlac import adapter_registry\n"
        f"assert adapter_registry.find({name!r}).name == {name!r}\n"
        "heavy = {'importlib.metadata', 'importlib.resources', 'subprocess', 'csv', 'torch', 'email'}\n"
        f"heavy |= {{'vlac_{name}.probe'}}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


def test_a_third_party_backend_is_listed_after_vlacs_own_and_found(distribution):
    distribution(THEIRS)
    assert adapter_registry.names() == ("ascend", "cuda", "cpu", "theirs")
    assert adapter_registry.find("theirs").collective == "xccl"


def test_an_unknown_name_raises_key_error_with_the_names_that_are_there(distribution):
    distribution(THEIRS)
    with pytest.raises(KeyError, match=r"'rocm'.*ascend, cuda, cpu, theirs"):
        adapter_registry.find("rocm")


def test_vlacs_own_names_cannot_be_taken(distribution):
    distribution(THEIRS.replace("'theirs'", "'cuda'"), name="cuda")
    assert adapter_registry.names() == ("ascend", "cuda", "cpu")
    assert adapter_registry.find("cuda").collective == "nccl"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise OSError('no driver')", "OSError: no driver"),
        ("import no_such_package", "no_such_package"),
        ("x = (", "SyntaxError"),
        ("", "no attribute 'adapter'"),
        ("adapter = 3", "int"),
        (THEIRS.replace("'theirs'", "'other'"), "named 'other'"),
        ("import sys; sys.exit(4)", "SystemExit: 4"),
    ],
)
def test_a_broken_third_party_backend_is_one_clear_error(distribution, source, said):
    distribution(source)
    with pytest.raises(VlacError, match="'theirs'") as raised:
        adapter_registry.find("theirs")
    assert said in raised.value.message
    assert "\n" not in raised.value.message
    assert raised.value.hint
