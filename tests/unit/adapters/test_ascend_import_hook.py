"""The sitecustomize of the Ascend backend, in real processes with small stand-ins for torch and torch_npu."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import vlac_ascend

WORKER = Path(vlac_ascend.__file__).parent / "worker"

TORCH = """
import os
from torch import cuda
if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") == "1":
    import torch_npu
whole = True
"""
TORCH_CUDA = "def device_count():\n    return 0\n"
TORCH_NPU = """
import os
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
import torch
from torch_npu import npu
whole = True
"""
KNOWS_THE_VARIABLE = """
if os.environ.get("TORCH_TRANSFER_TO_NPU") == "1":
    from torch_npu.contrib import transfer_to_npu
"""
NPU = "def device_count():\n    return 8\n"
SWITCH = """
import os, torch, torch_npu
assert torch_npu.whole
assert torch.whole or "TORCH_TRANSFER_TO_NPU" in os.environ
print("switched")
torch.cuda.device_count = torch_npu.npu.device_count
"""
SHOW = "print(torch.cuda.device_count())"


@pytest.fixture
def packages(tmp_path):
    """A folder with a torch that loads torch_npu at its end, and a torch_npu that ignores the variable."""
    folder = tmp_path / "site"
    write(folder, "torch/__init__.py", TORCH)
    write(folder, "torch/cuda.py", TORCH_CUDA)
    write(folder, "torch_npu/__init__.py", TORCH_NPU)
    write(folder, "torch_npu/npu.py", NPU)
    write(folder, "torch_npu/contrib/__init__.py", "")
    write(folder, "torch_npu/contrib/transfer_to_npu.py", SWITCH)
    return folder


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(code, *path, **variables):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TORCH", "PYTHON"))}
    environment = {**kept, **variables, "PYTHONPATH": os.pathsep.join(map(str, path))}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_without_the_hook_nothing_is_switched(packages):
    assert run(f"import torch; {SHOW}", packages).stdout == "0\n"


@pytest.mark.parametrize("autoload", ["0", "1"])
@pytest.mark.parametrize("first", ["torch", "torch_npu", "torch_npu.contrib", "torch.cuda"])
def test_whichever_comes_first_the_switch_runs_once(packages, first, autoload):
    ran = run(f"import {first}, torch; {SHOW}", WORKER, packages, TORCH_DEVICE_BACKEND_AUTOLOAD=autoload)
    assert (ran.stdout, ran.stderr) == ("switched\n8\n", "")


@pytest.mark.parametrize("first", ["torch", "torch_npu"])
def test_a_torch_npu_that_knows_the_variable_switches_once_too(packages, first):
    write(packages, "torch/__init__.py", TORCH.replace("if os", "whole = False\nif os"))
    write(packages, "torch_npu/__init__.py", TORCH_NPU + KNOWS_THE_VARIABLE)
    ran = run(f"import {first}, torch; {SHOW}", WORKER, packages, TORCH_TRANSFER_TO_NPU="1")
    assert (ran.stdout, ran.stderr) == ("switched\n8\n", "")


def test_names_taken_from_torch_right_after_its_import_are_the_npus(packages):
    ran = run("from torch.cuda import device_count; print(device_count())", WORKER, packages)
    assert ran.stdout == "switched\n8\n"


def test_asking_whether_torch_exists_does_not_switch(packages):
    code = "import importlib.util as u; print(u.find_spec('torch') is not None)"
    assert run(code, WORKER, packages).stdout == "True\n"


def test_the_source_of_torch_stays_readable(packages):
    code = (
        "import torch, inspect; print(type(torch.__loader__).__name__, 'whole' in inspect.getsource(torch))"
    )
    assert run(code, WORKER, packages).stdout == "switched\nSourceFileLoader True\n"


def test_a_process_without_torch_loads_no_module_for_it(packages):
    code = "import sys; print(*sorted(sys.modules), sep='\\n')"
    plain = set(run(code, packages).stdout.split())
    hooked = run(code, WORKER, packages)
    assert hooked.stderr == ""
    extra = {name.split(".")[0] for name in set(hooked.stdout.split()) - plain}
    assert extra <= {"sitecustomize", "importlib", "_abc", "warnings", "_warnings", "__future__"}


def test_torch_without_torch_npu_is_said_once_and_not_fatal(packages):
    (packages / "torch_npu").rename(packages / "gone")
    ran = run(f"import torch; import torch.cuda; {SHOW}", WORKER, packages, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert (ran.returncode, ran.stdout) == (0, "0\n")
    assert ran.stderr.count("no torch_npu") == 1


@pytest.mark.parametrize("broken", ["torch_npu/__init__.py", "torch_npu/contrib/transfer_to_npu.py"])
def test_a_broken_torch_npu_is_not_taken_for_a_missing_torch(packages, broken):
    write(packages, broken, "raise ImportError('libhccl.so: cannot open shared object file')")
    code = "try:\n    import torch\nexcept ImportError:\n    print('went on')"
    ran = run(code, WORKER, packages, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert ran.returncode == 1
    assert "went on" not in ran.stdout
    assert "RuntimeError" in ran.stderr and "libhccl.so" in ran.stderr and "set_env.sh" in ran.stderr


def test_a_torch_npu_that_misses_a_module_is_broken_not_absent(packages):
    write(packages, "torch_npu/__init__.py", "import no_such_dependency")
    ran = run("import torch", WORKER, packages, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert ran.returncode == 1
    assert "no_such_dependency" in ran.stderr


def test_the_environments_own_sitecustomize_still_runs(packages, tmp_path):
    write(tmp_path / "own", "sitecustomize.py", "print('own', __file__.endswith('sitecustomize.py'))")
    ran = run(f"import torch; {SHOW}", WORKER, packages, tmp_path / "own")
    assert ran.stdout == "own True\nswitched\n8\n"


def test_an_own_sitecustomize_that_fails_does_not_stop_the_switch(packages, tmp_path):
    write(tmp_path / "own", "sitecustomize.py", "raise ValueError('mine')")
    ran = run(f"import torch; {SHOW}", WORKER, packages, tmp_path / "own")
    assert ran.stdout == "switched\n8\n"
    assert "mine" in ran.stderr


def test_two_bundles_on_the_path_and_a_chain_back_end_well(packages, tmp_path):
    text = (WORKER / "sitecustomize.py").read_text()
    write(tmp_path / "other bundle", "sitecustomize.py", text)
    back = f"import runpy; runpy.run_path({str(WORKER / 'sitecustomize.py')!r}); print('own')"
    write(tmp_path / "own", "sitecustomize.py", back)
    ran = run(f"import torch; {SHOW}", WORKER, tmp_path / "other bundle", tmp_path / "own", packages)
    assert (ran.stdout, ran.stderr) == ("switched\n8\n", "")


def test_a_spawned_process_is_switched_as_well(packages, tmp_path):
    write(tmp_path, "spawn.py", f"import torch\ndef child():\n    {SHOW}\n")
    code = (
        "import multiprocessing as m, spawn\n"
        "if __name__ == '__main__':\n"
        "    p = m.get_context('spawn').Process(target=spawn.child); p.start(); p.join()"
    )
    assert run(code, WORKER, packages, tmp_path).stdout.endswith("switched\n8\n")
