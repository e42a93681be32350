"""The real RLinf builds the demo model by its registered name and shards it block by block."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real
for module in ("torch", "rlinf"):
    pytest.importorskip(module, reason=f"needs the real {module}")

ROOT = Path(__file__).parents[3]
# In a process of its own: a process group and RLinf's registry are global.
SCRIPT = """
import json, sys
import torch
# What a CUDA build of torch says of itself on a machine without a GPU: it would choose NCCL.
torch._C._get_accelerator = torch.accelerator.current_accelerator = lambda *_: torch.device("cuda")
from omegaconf import OmegaConf
import vlac_cpu_worker
vlac_cpu_worker.register()
vlac_cpu_worker.register()
from vlac.demo import MODEL_TYPE, register
register()
register()
from rlinf.config import SupportedModel
from rlinf.hybrid_engines.fsdp import FSDPModule, MixedPrecisionPolicy, OffloadPolicy
from rlinf.hybrid_engines.fsdp.utils import apply_fsdp2_to_model, create_device_mesh
from rlinf.models import get_model
from rlinf.models.embodiment.base_policy import ForwardType
from torch.utils.data import default_collate
from vlac.demo.dataset import LeRobotDataset
block = {"model_type": MODEL_TYPE, "precision": "fp32", "is_lora": False, "action_dim": 7, "num_action_chunks": 4}
model = get_model(OmegaConf.create(block))
mesh = create_device_mesh(1)
model = apply_fsdp2_to_model(model, OmegaConf.create({}), mesh, MixedPrecisionPolicy(), OffloadPolicy(), True)
loss = model(forward_type=ForwardType.SFT, data=default_collate([LeRobotDataset(sys.argv[1], 4)[0]]))
loss.backward()
print(json.dumps({
    "registered": SupportedModel(MODEL_TYPE).value,
    "sharded": [name for name, module in model.named_modules() if isinstance(module, FSDPModule)],
    "backend": torch.distributed.get_backend(),
    "device": mesh.device_type,
    "loss": loss.item(),
}))
"""


def test_rlinf_builds_and_shards_the_model(folder: Path) -> None:
    paths = [str(ROOT), str(ROOT / "adapters/vlac_cpu/worker"), os.environ.get("PYTHONPATH", "")]
    group = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1"}
    environment = {**os.environ, **group, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert 0 < found.pop("loss") < 10
    assert found == {
        "registered": "vlac_demo",
        "sharded": ["", "blocks.0", "blocks.1"],
        "backend": "gloo",
        "device": "cpu",
    }
