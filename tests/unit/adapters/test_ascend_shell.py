"""The bash that finds CANN, run by bash under the options that launch.sh uses."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vlac_ascend.shell import SHELL_SETUP

STRICT = "set -euo pipefail\n"
AFTER = 'echo "home=${ASCEND_HOME_PATH:-} from=${FROM:-} options=$-"\n'
INSTALLED = Path("/usr/local/Ascend").exists()


@pytest.fixture
def cann():
    """Write a set_env.sh that prints, and reads an unset variable, as CANN's does."""

    def write(folder, exports='ASCEND_HOME_PATH="$here"'):
        folder.mkdir(parents=True, exist_ok=True)
        text = f"here='{folder}'\nx=$NOT_SET_ANYWHERE\nfalse\necho noise\nexport FROM=\"$here\" {exports}\n"
        (folder / "set_env.sh").write_text(text)
        return folder

    return write


def run(home, script=STRICT + SHELL_SETUP + AFTER, **variables):
    environment = {"PATH": os.environ["PATH"], **variables}
    if home is not None:
        environment["HOME"] = str(home)
    return subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )


def test_the_home_of_the_user_is_searched(tmp_path, cann):
    folder = cann(tmp_path / "Ascend" / "cann")
    ran = run(tmp_path)
    assert ran.returncode == 0
    assert ran.stdout.startswith(f"home={folder} from={folder} ")
    assert "sourcing" in ran.stderr and "noise" in ran.stderr


def test_the_options_of_the_script_come_back(tmp_path, cann):
    cann(tmp_path / "Ascend" / "cann")
    strict = run(tmp_path).stdout.rsplit("options=")[1]
    assert "e" in strict and "u" in strict
    relaxed = run(tmp_path, SHELL_SETUP + AFTER).stdout.rsplit("options=")[1]
    assert "e" not in relaxed and "u" not in relaxed


def test_the_first_match_wins(tmp_path, cann):
    cann(tmp_path / "Ascend" / "ascend-toolkit")
    assert "from=" + str(tmp_path / "Ascend" / "ascend-toolkit") in run(tmp_path).stdout
    chosen = cann(tmp_path / "opt" / "with blank")
    assert f"from={chosen} " in run(tmp_path, ASCEND_TOOLKIT_HOME=str(chosen)).stdout


def test_the_toolkit_home_may_be_a_folder_below_the_script(tmp_path, cann):
    folder = cann(tmp_path / "toolkit")
    (folder / "latest").mkdir()
    assert f"from={folder} " in run(tmp_path, ASCEND_TOOLKIT_HOME=str(folder / "latest")).stdout


def test_an_active_cann_is_left_alone(tmp_path, cann):
    cann(tmp_path / "Ascend" / "cann")
    ran = run(tmp_path, ASCEND_HOME_PATH=str(tmp_path))
    assert ran.stdout.startswith(f"home={tmp_path} from= ")
    assert f"CANN is active: {tmp_path}" in ran.stderr


def test_a_home_path_that_is_gone_counts_for_nothing(tmp_path, cann):
    folder = cann(tmp_path / "Ascend" / "cann")
    assert f"from={folder} " in run(tmp_path, ASCEND_HOME_PATH=str(tmp_path / "gone")).stdout


def test_a_script_that_sets_nothing_is_an_error(tmp_path, cann):
    cann(tmp_path / "Ascend" / "cann", exports="")
    ran = run(tmp_path)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "did not set ASCEND_HOME_PATH" in ran.stderr


@pytest.mark.skipif(INSTALLED, reason="this machine has /usr/local/Ascend")
@pytest.mark.parametrize("home", [None, "nowhere"])
def test_without_cann_it_says_where_it_looked_and_exits_3(home):
    ran = run(home)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "/usr/local/Ascend" in ran.stderr and "ASCEND_TOOLKIT_HOME" in ran.stderr


def test_shellcheck_has_nothing_to_say(tmp_path):
    beside = Path(sys.executable).parent / "shellcheck"
    shellcheck = shutil.which("shellcheck") or (str(beside) if beside.exists() else None)
    if shellcheck is None:
        pytest.skip("shellcheck is not installed")
    script = tmp_path / "launch.sh"
    script.write_text("#!/usr/bin/env bash\n" + STRICT + SHELL_SETUP)
    ran = subprocess.run([shellcheck, str(script)], capture_output=True, text=True, check=False)
    assert ran.stdout == ""
