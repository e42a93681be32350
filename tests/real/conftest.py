"""What real tests need that may not be at hand: an interpreter with RLinf, and RLinf checkouts.

VLAC_TEST_PYTHON   an interpreter that can import rlinf and torch; default: the one that runs the tests
VLAC_TEST_RLINF    a folder of RLinf checkouts, named rlinf-v0.3, rlinf-a4b6abe20, rlinf-a3816b596
VLAC_TEST_RLINF_REPOSITORY  a clone of RLinf with its history, for commits that vlac has no tables for
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(
    0, str(Path(__file__).parent)
)  # modules that lie beside the tests, and run in other interpreters

CHECKOUTS = {"0.3": "rlinf-v0.3", "a4b6abe20": "rlinf-a4b6abe20", "main": "rlinf-a3816b596"}


@pytest.fixture(scope="session")
def training_python():
    """The interpreter that trains; skips, saying so, where there is none with RLinf."""
    python = os.environ.get("VLAC_TEST_PYTHON", sys.executable)
    seen = subprocess.run([python, "-c", "import rlinf, torch"], capture_output=True, text=True, check=False)
    if seen.returncode:
        pytest.skip(f"{python} cannot import rlinf and torch: install the extra run, or set VLAC_TEST_PYTHON")
    return python


@pytest.fixture
def checkout(request):
    """The RLinf checkout of a version, by indirect parametrization; skips, saying so, where it is not at hand."""
    folder = Path(os.environ.get("VLAC_TEST_RLINF", "")) / CHECKOUTS[request.param]
    if "VLAC_TEST_RLINF" not in os.environ or not folder.is_dir():
        pytest.skip(
            f"no checkout of RLinf {request.param}: set VLAC_TEST_RLINF to a folder that holds {folder.name}"
        )
    return folder


@pytest.fixture
def commit(request, tmp_path):
    """The tree of an RLinf commit, by indirect parametrization; skips, saying so, where no history is at hand."""
    repository = os.environ.get("VLAC_TEST_RLINF_REPOSITORY", "")
    if not repository:
        pytest.skip("no history of RLinf: set VLAC_TEST_RLINF_REPOSITORY to a clone of it")
    archive = ["git", "-C", repository, "archive", request.param, "rlinf", "examples", "pyproject.toml"]
    packed = subprocess.run(archive, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip(f"{repository} has no commit {request.param}")
    folder = tmp_path / "rlinf-tree"
    folder.mkdir()
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder
