"""The check that every worker of an Ascend run makes before it trains."""

import os
import subprocess
import sys
from pathlib import Path

import vlac_ascend

WORKER = Path(vlac_ascend.__file__).parent / "worker"
# As RLinf calls it: what is an Exception is logged and the worker goes on.
CALL = "try:\n    import vlac_ascend_worker as w; w.register()\nexcept Exception:\n    pass\nprint('trains')"


def run(tmp_path, *, home, code=CALL, torch_npu=False, **variables):
    torch = tmp_path / "torch.py"
    torch.write_text(
        "class cuda:\n    @staticmethod\n    def device_count(): return 0\n"
        f"cuda.device_count.__module__ = {home!r}\n"
    )
    if torch_npu:
        (tmp_path / "torch_npu").mkdir()
        (tmp_path / "torch_npu" / "__init__.py").write_text("")
    # -S and an explicit path: the hook itself is not what is tested here.
    prologue = f"import sys; sys.path[:0] = [{str(WORKER)!r}, {str(tmp_path)!r}]\n"
    environment = {**os.environ, **variables}
    command = [sys.executable, "-S", "-c", prologue + code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_switched_worker_trains(tmp_path):
    ran = run(tmp_path, home="torch_npu.npu.utils")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "trains\n", "")


def test_a_worker_on_plain_torch_ends_although_rlinf_catches_exceptions(tmp_path):
    ran = run(tmp_path, home="torch.cuda")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "torch.cuda is not the NPU in this worker" in ran.stderr
    assert "has no torch_npu" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_it_names_the_sitecustomize_that_ran_instead(tmp_path):
    ran = run(tmp_path, home="torch.cuda", torch_npu=True)
    assert "sitecustomize is None" in ran.stderr
    assert "PYTHONPATH" in ran.stderr


def test_a_bundle_without_the_import_hook_names_the_variables(tmp_path):
    (tmp_path / "vlac_ascend_worker.py").write_text((WORKER / "vlac_ascend_worker.py").read_text())
    code = "import sys; sys.path.remove(sys.path[0])\n" + CALL
    ran = run(tmp_path, home="torch.cuda", code=code, torch_npu=True, TORCH_TRANSFER_TO_NPU="1")
    assert ran.returncode == 1
    assert "TORCH_TRANSFER_TO_NPU=1, TORCH_DEVICE_BACKEND_AUTOLOAD=(not set)" in ran.stderr
    assert "hardware.stack" in ran.stderr


def test_a_name_that_only_begins_like_torch_npu_does_not_pass(tmp_path):
    assert run(tmp_path, home="torch_npu_simulator").returncode == 1


def test_a_worker_without_an_accelerator_is_left_alone(tmp_path):
    assert run(tmp_path, home="torch.cuda", ACCELERATOR_TYPE="NO_ACCEL").stdout == "trains\n"
    assert run(tmp_path, home="torch.cuda", ACCELERATOR_TYPE="NPU").returncode == 1
