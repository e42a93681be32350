"""A run whose data, statistics, weights and software are as they should be, for tests that damage one of them."""

import shutil

import pytest

from tests.unit.doctor import makers
from vlac.doctor.interpreter import Interpreter
from vlac.models.openpi_weights import expected_keys

STATISTICS = "weights/physical-intelligence/libero/norm_stats.json"
SOFTWARE = {
    "python": "3.11.9",
    "rlinf": "0.3.0",
    "torch": "2.7.1",
    "torch_npu": "2.7.1",
    "ray": "2.47.0",
    "openpi": "0.1.0",
    "transformers": "4.53.2",
    "lerobot": "0.1.0",
    "datasets": "3.6.0",
}


@pytest.fixture
def software(monkeypatch):
    """Sets what the interpreter answers; nothing is asked."""

    def set_software(lerobot_format="v2.1", replaced=True, **versions):
        kept = {name: version for name, version in (SOFTWARE | versions).items() if version}
        answer = Interpreter(kept, lerobot_format, replaced)
        monkeypatch.setattr("vlac.doctor.subject.ask", lambda _python: answer)

    set_software()
    return set_software


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """A v2.1 data set, weights of pi0.5 and statistics, made once."""
    folder = tmp_path_factory.mktemp("whole")
    makers.dataset_2(folder / "data")
    makers.safetensors(folder / "weights/model.safetensors", expected_keys("pi05"))
    makers.statistics(folder / STATISTICS)
    return folder


@pytest.fixture
def run_folder(whole, tmp_path, software):  # noqa: ARG001 - asked for what it sets
    """A copy of them with a tokenizer, for a test to damage."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    tokenizer = tmp_path / ".cache/openpi/big_vision/paligemma_tokenizer.model"
    tokenizer.parent.mkdir(parents=True)
    with tokenizer.open("wb") as opened:
        opened.truncate(4 << 20)
    return tmp_path


@pytest.fixture
def needs_pyarrow():
    """Skips, saying so, where pyarrow is not installed."""
    if makers.pyarrow is None:
        pytest.skip("pyarrow is not installed: pip install 'vla-compiler[data]'")
