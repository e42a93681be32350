"""The real torch_npu in every process of a compiled run, on a machine that has neither NPU nor CANN.

torch_npu comes from PyPI, CANN's libraries are stand-ins that are generated here (`npu/standins.py`). Their operators
and collectives do nothing, so **no number that a run computes is checked here**, only where everything runs: that is
what the bundle decides. What is computed is checked by the trainings on the CPU.
"""

import json

import pytest

from tests.real.npu import standins, wheel
from tests.real.npu.machine import Bundle, Machine, ask, has_compiler, run

pytestmark = pytest.mark.real
READS_THE_VARIABLE, NEEDS_THE_HOOK = wheel.pinned(), "2.7.1"
NOTHING_IS_COMPUTED = (
    "\nstand-ins for CANN: operators and collectives do nothing; no number of this run is checked"
)
REFUSED = "vlac: torch.cuda is not the NPU in this worker"


@pytest.fixture(scope="session")
def machine(training_python, tmp_path_factory):
    """Eight 910B3, as far as torch_npu, Ray and RLinf can tell; skips, saying so, where they cannot be made."""
    if not has_compiler():
        pytest.skip("no C compiler: cc and readelf make the stand-ins for CANN")
    try:
        folder = wheel.installed(training_python)
    except wheel.NotToBeHad as error:
        pytest.skip(str(error))
    print(NOTHING_IS_COMPUTED)
    return Machine(
        training_python, folder, standins.build(folder, tmp_path_factory.mktemp("cann") / "toolkit")
    )


@pytest.mark.parametrize(
    ("torch_npu", "injection"), [(READS_THE_VARIABLE, "variable"), (NEEDS_THE_HOOK, "import hook")]
)
def test_one_process_with_the_environment_of_a_bundle(machine, tmp_path, torch_npu, injection):
    bundle = Bundle(tmp_path, 8, torch_npu, fsdp=1)
    assert bundle.injection == injection
    done = ask(machine, bundle, "import json, npu_probe; print(json.dumps(npu_probe.at_start()))")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout.splitlines()[-1])
    assert facts.pop("jax") in (1, "not installed")
    assert facts == {
        "visible": None,
        "device_count from": "torch_npu.npu",
        "device_count": 8,
        "cuda:0 is": "npu:0",
        "copy": [0, 1, 2, 3],
        "JAX_PLATFORMS": "cpu",
    }
