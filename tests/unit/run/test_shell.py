"""What the shell brings into a run is told before anything starts."""

from pathlib import Path

import pytest

from vlac.errors import MachineError
from vlac.run.launch import Launch, describe
from vlac.run.preflight import preflight
from vlac.run.shell import shell_warnings


def launch(compiled, **shell):
    return Launch(compiled(), Path("/"), shell, "/no/python")


def test_what_breaks_the_run_is_missing_from_the_machine_with_what_to_unset(compiled):
    with pytest.raises(
        MachineError, match=r"names of network cards.*: unset GLOO_SOCKET_IFNAME in this shell"
    ):
        preflight(launch(compiled, GLOO_SOCKET_IFNAME="=eth0"))


def test_what_does_nothing_is_a_warning(compiled):
    (warning,) = shell_warnings(launch(compiled, PYTORCH_CUDA_ALLOC_CONF="x:1", RANK_TABLE_FILE="/x"))
    assert (warning.code, warning.severity) == ("env-shell", "warning")
    assert warning.hint == "unset PYTORCH_CUDA_ALLOC_CONF in this shell"


def test_the_dry_run_shows_what_the_driver_is_not_given(compiled):
    shown = describe(launch(compiled))
    assert "\nunset ASCEND_RT_VISIBLE_DEVICES GLOO_SOCKET_IFNAME HCCL_IF_IP" in shown
    assert (
        shown.index("ray.scripts.scripts start") < shown.index("\nunset ") < shown.index("train_vla_sft.py")
    )
