"""What the probes make of the programs and drivers of a node, with stand-ins for them."""

import os
import stat
import sys
import types

import pytest

import vlac_cuda.probe as cuda
from vlac_ascend import adapter as ascend_adapter
from vlac_ascend.probe import parse as parse_npu_smi
from vlac_cpu import adapter as cpu_adapter
from vlac_cpu.probe import available_gib
from vlac_cuda import adapter as cuda_adapter

A2 = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.rc1.b030            Version: 24.1.rc1.b030                                        |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 101.8       43                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3318 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Warning       | 92.0        39                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          41052/ 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 1       0                 | 1333928       |                          | 37709                   |
+===========================+===============+====================================================+
"""
A3 = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     Ascend910           | OK            | 211.3       43                0    / 0             |
| 0     0                   | 0000:9D:00.0  | 7           0    / 0          61609/ 65536         |
+------------------------------------------------------------------------------------------------+
| 0     Ascend910           | OK            | -           44                0    / 0             |
| 1     1                   | 0000:9F:00.0  | 7           0    / 0          61625/ 65536         |
+===========================+===============+====================================================+
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a program of that name, which prints a text, alone on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def write(name, text="", status=0):
        path = tmp_path / name
        (tmp_path / "said").write_text(text.rstrip() + "\n")
        path.write_text(
            f"#!/bin/sh\nwhile IFS= read -r l; do echo \"$l\"; done <'{tmp_path}/said'\nexit {status}\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    return write


def test_npu_smi_names_each_card_once_and_its_health():
    report = parse_npu_smi(A2)
    assert report.devices == ("910B3", "910B3")
    assert report.remarks == ("driver 24.1.rc1.b030", "card 1 reports health Warning")


def test_npu_smi_shows_a_910c_as_two_chips():
    assert parse_npu_smi(A3).devices == ("910C",)


def test_npu_smi_names_that_the_table_does_not_have_are_kept():
    assert parse_npu_smi(A2.replace("910B3 ", "910Z9 ")).devices == ("910Z9", "910Z9")
    assert parse_npu_smi(A2.replace("910B3 ", "910B2C")).devices == ("910B2", "910B2")


def test_the_ascend_probe_runs_npu_smi(program):
    program("npu-smi", A2)
    assert ascend_adapter.probe().devices == ("910B3", "910B3")


def test_the_ascend_probe_says_why_it_knows_nothing(program):
    assert "not on PATH" in ascend_adapter.probe().remarks[0]
    program("npu-smi", "dcmi module initialize failed. ret is -8005", status=255)
    assert "-8005" in ascend_adapter.probe().remarks[0]


CSV = "NVIDIA H100 80GB HBM3, 81559, 550.54.15\nNVIDIA A100-SXM4-80GB, 81920, 550.54.15\n"


@pytest.fixture
def no_bindings(monkeypatch):
    for name in ("cuda", "cuda.cuda", "cuda.bindings", "cuda.bindings.driver"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("no_bindings")
def test_nvidia_smi_is_asked_where_cuda_python_is_absent(program):
    program("nvidia-smi", CSV)
    report = cuda_adapter.probe()
    assert report.devices == ("H100", "A100-80GB")
    assert report.remarks == (
        "cuda-python is not installed",
        "NVIDIA H100 80GB HBM3: 81559 MiB, driver 550.54.15",
        "NVIDIA A100-SXM4-80GB: 81920 MiB, driver 550.54.15",
    )


@pytest.mark.usefixtures("no_bindings")
def test_nvidia_smi_that_fails_is_quoted(program):
    program("nvidia-smi", "No devices were found", status=6)
    report = cuda_adapter.probe()
    assert report.devices == ()
    assert report.remarks[1] == "nvidia-smi ended with 6 and said: No devices were found"


@pytest.mark.parametrize("row", ["NVIDIA H20, [N/A], 550", "oops", "a, b, c, d"])
def test_nvidia_smi_rows_of_another_form_are_refused(row):
    with pytest.raises(cuda.ProbeError, match="something unknown"):
        cuda.parse(row)


def test_a_card_that_the_table_does_not_have_keeps_its_name():
    assert cuda._device(cuda.Gpu("NVIDIA B200", 183359, "")) == "B200"


class Status(int):
    name = "CUDA_ERROR_NO_DEVICE"


def bindings(status=0, count=2):
    """cuda-python's way of answering: a status, then the value; names are bytes that end in zeros."""
    status = Status(status)
    return types.SimpleNamespace(
        cuInit=lambda _flags: (status,),
        cuDriverGetVersion=lambda: (status, 12080),
        cuDeviceGetCount=lambda: (status, count),
        cuDeviceGet=lambda index: (status, index),
        cuDeviceGetName=lambda size, _handle: (status, b"NVIDIA H200".ljust(size, b"\0")),
        cuDeviceTotalMem=lambda _handle: (status, 143771 << 20),
    )


@pytest.mark.usefixtures("no_bindings")
@pytest.mark.parametrize("module", ["cuda.bindings.driver", "cuda.cuda"])
def test_cuda_python_is_asked_first(monkeypatch, module):
    for name in ("cuda", "cuda.bindings"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module, bindings())
    report = cuda_adapter.probe()
    assert report.devices == ("H200", "H200")
    assert report.remarks == ("NVIDIA H200: 143771 MiB, CUDA 12.8",)


def test_a_driver_that_fails_leads_to_nvidia_smi(monkeypatch, program):
    monkeypatch.setattr(cuda, "_bindings", lambda: bindings(status=100))
    program("nvidia-smi", CSV)
    report = cuda_adapter.probe()
    assert report.devices == ("H100", "A100-80GB")
    assert "CUDA_ERROR_NO_DEVICE" in report.remarks[0]


@pytest.mark.usefixtures("program")
def test_a_machine_without_libcuda_is_told(monkeypatch):
    def missing(_flags):
        raise RuntimeError("Failed to dlopen libcuda.so.1")

    monkeypatch.setattr(cuda, "_bindings", lambda: types.SimpleNamespace(cuInit=missing))
    remarks = cuda_adapter.probe().remarks
    assert "libcuda.so.1" in remarks[0]
    assert "not on PATH" in remarks[1]


def test_the_cpu_probe_counts_cores():
    assert cpu_adapter.probe().devices == ()
    assert cpu_adapter.probe().remarks[0] == f"{len(os.sched_getaffinity(0))} cores"
    assert available_gib("MemTotal: 9 kB\nMemAvailable:   24117248 kB\n") == 23.0
