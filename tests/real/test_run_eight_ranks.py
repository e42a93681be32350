"""The shipped CPU spec as it is: eight ranks, full shard, accumulation, checkpoint; every check must be ok."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SPEC = Path(__file__).parents[2] / "specs/tiny_cpu.yaml"
pytestmark = pytest.mark.real


def test_eight_ranks_train(training_python, tmp_path):
    command = [sys.executable, "-m", "vlac", "run", str(SPEC), "-o", str(tmp_path)]
    command += ["--set", f"rlinf.python={training_python}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = re.findall(r"^  (\w[\w ]*?) {2,}", done.stdout.partition("checks\n")[2], re.MULTILINE)
    assert verdicts == ["ok"] * 6, done.stdout
    shards = tmp_path / "tiny-cpu/1/tiny-cpu/checkpoints/global_step_36/actor/dcp_checkpoint"
    assert {path.name for path in shards.glob("*.distcp")} == {f"__{rank}_0.distcp" for rank in range(8)}
    assert (shards.parent / "model_state_dict/full_weights.pt").is_file()
