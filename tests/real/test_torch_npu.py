"""The real torch_npu in every process of a compiled run, on a machine that has neither NPU nor CANN.

torch_npu comes from PyPI, CANN's libraries are stand-ins that are generated here (`npu/standins.py`). Their operators
and collectives do nothing, so **no number that a run computes is checked here**, only where everything runs: that is
what the bundle decides. What is computed is checked by the trainings on the CPU.
"""

import json

import pytest

from tests.real.npu import standins, wheel
from tests.real.npu.machine import Bundle, Machine, ask, has_compiler, has_jax, run

pytestmark = pytest.mark.corpus  # minutes, and a wheel of its own: `make corpus`
READS_THE_VARIABLE, NEEDS_THE_HOOK = wheel.pinned(), "2.7.1"
NOTHING_IS_COMPUTED = (
    "stand-ins for CANN: operators and collectives do nothing; no number of this run is checked"
)
REFUSED = "vlac: torch.cuda is not the NPU in this worker"
RLINF_FAILS = "module 'torch._C' has no attribute '_cuda_setDevice'"


@pytest.fixture(scope="session")
def machine(training_python, tmp_path_factory):
    """Eight 910B3, as far as torch_npu, Ray and RLinf can tell; skips, saying so, where they cannot be made."""
    if not has_compiler():
        pytest.skip("no C compiler: cc and readelf make the stand-ins for CANN")
    try:
        folder = wheel.installed(training_python)
    except wheel.NotToBeHadError as error:
        pytest.skip(str(error))
    cann = standins.build(folder, tmp_path_factory.mktemp("cann") / "toolkit")
    return Machine(training_python, has_jax(training_python), folder, cann)


@pytest.fixture(autouse=True)
def said(capsys):
    with capsys.disabled():
        print(f"\n{NOTHING_IS_COMPUTED}")


def of_a_process(machine, visible, devices):
    """What every process has to say."""
    return {
        "visible": visible,
        "device_count from": "torch_npu.npu",
        "device_count": devices,
        "a tensor on cuda:0": ["npu:0", [0, 1, 2, 3]],
        "JAX_PLATFORMS": "cpu",
        "jax": 1 if machine.has_jax else "not installed",
    }


def of_a_rank(machine, rank, ranks, model):
    """What every worker has to say of its training, beside that."""
    return of_a_process(machine, str(rank), 1) | {
        "autocast": [True, "torch.bfloat16"],
        "a matrix product is": "torch.bfloat16",
        "process group": "hccl",
        "ranks": ranks,
        "model": model,
        "parameters on": ["npu:0"],
        "gradients on": ["npu:0"],
        "parameters without gradient": 0,
        "NPUs of Ray": 8,
        "NPUs of RLinf": [8, "NPU:Ascend910B3"],
    }


def assert_trained_on_npus(machine, bundle, ranks, model):
    outcome = run(machine, bundle)
    assert outcome.status == 0, outcome.output[-3000:]
    workers = {f"ActorGroup:{rank}": of_a_rank(machine, rank, ranks, model) for rank in range(ranks)}
    assert outcome.facts == {"driver": of_a_process(machine, None, 8), **workers}


@pytest.mark.parametrize(
    ("torch_npu", "injection"), [(READS_THE_VARIABLE, "variable"), (NEEDS_THE_HOOK, "import hook")]
)
def test_one_process_with_the_environment_of_a_bundle(machine, tmp_path, torch_npu, injection):
    bundle = Bundle(tmp_path, 8, torch_npu, fsdp=1)
    assert bundle.injection == injection
    done = ask(machine, bundle, "import json, npu_probe; print(json.dumps(npu_probe.at_start()))")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == of_a_process(machine, None, 8)


def test_eight_ranks_of_fsdp1_by_the_variable(machine, tmp_path):
    bundle = Bundle(tmp_path, 8, READS_THE_VARIABLE, fsdp=1)
    assert not (bundle.path / "bootstrap/sitecustomize.py").exists()
    assert_trained_on_npus(machine, bundle, 8, "FullyShardedDataParallel")


def test_two_ranks_of_fsdp2_by_the_import_hook(machine, tmp_path):
    bundle = Bundle(tmp_path, 2, NEEDS_THE_HOOK, fsdp=2)
    assert "TORCH_TRANSFER_TO_NPU" not in (bundle.path / "run.env").read_text()
    assert_trained_on_npus(machine, bundle, 2, "FSDPFlowMatchingPolicy")


def test_without_the_variable_the_assertion_ends_the_driver(machine, tmp_path):
    bundle = Bundle(tmp_path, 2, READS_THE_VARIABLE, fsdp=1)
    bundle.take_out_variable("TORCH_TRANSFER_TO_NPU")
    assert_refused(run(machine, bundle))


def test_without_the_import_hook_the_assertion_ends_the_driver(machine, tmp_path):
    bundle = Bundle(tmp_path, 2, NEEDS_THE_HOOK, fsdp=2)
    (bundle.path / "bootstrap/sitecustomize.py").unlink()
    assert_refused(run(machine, bundle))


def assert_refused(outcome):
    """The driver, which calls the hooks like a worker, ends before it starts any."""
    assert outcome.status == 1 and REFUSED in outcome.output, outcome.output[-3000:]
    assert outcome.facts == {}


LOST_IN_WORKERS = """\\1
  node_groups:
    - label: all
      node_ranks: "0"
      env_configs:
        - node_ranks: "0"
          env_vars:
            - TORCH_TRANSFER_TO_NPU: "0"
"""
PLACED_THERE = """\\1
      node_group: all
      placement: 0-1
"""


def test_a_variable_that_only_the_workers_lose_ends_them(machine, tmp_path):
    bundle = Bundle(tmp_path, 2, READS_THE_VARIABLE, fsdp=1)
    bundle.edit("config.yaml", r"^(  num_nodes: 1)$", LOST_IN_WORKERS.rstrip())
    bundle.edit("config.yaml", r"^(    actor,env,rollout:) .*$", PLACED_THERE.rstrip())
    outcome = run(machine, bundle, end_at=REFUSED)
    assert REFUSED in outcome.output, outcome.output[-3000:]
    assert list(outcome.facts) == ["driver"]


def test_without_the_assertion_nothing_tells_before_rlinf_fails(machine, tmp_path):
    """What the assertion is for: without it the workers go on with the torch.cuda of a machine without one."""
    bundle = Bundle(tmp_path, 2, READS_THE_VARIABLE, fsdp=1)
    bundle.take_out_variable("TORCH_TRANSFER_TO_NPU")
    bundle.edit("run.env", "vlac_ascend_worker,", "")
    outcome = run(machine, bundle, end_at=RLINF_FAILS)
    assert REFUSED not in outcome.output and RLINF_FAILS in outcome.output, outcome.output[-3000:]
    assert {facts["device_count from"] for facts in outcome.facts.values()} == {"torch.cuda"}
