"""A small tree laid out as RLinf's, with a run of several components and one of supervised fine-tuning."""

from __future__ import annotations

import functools
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from vlac.compiler import compile_spec_text
from vlac.rlinf.compose import compose

if TYPE_CHECKING:
    from pathlib import Path

PPO = """\
defaults:
  - model/pi0_5@actor.model
  - training_backend/fsdp@actor.fsdp_config
  - override hydra/job_logging: stdout

hydra:
  searchpath:
    - file://${oc.env:EMBODIED_PATH}/config/

cluster:
  num_nodes: 1
  component_placement:
    actor,env,rollout: all
runner:
  task_type: embodied
  logger:
    log_path: "../results"
    experiment_name: ppo
    logger_backends: ["tensorboard"]
  max_epochs: 1000
  max_steps: -1
  val_check_interval: -1
  save_interval: 40
env:
  train: {total_num_envs: 64, options: {}}
rollout:
  model: {model_path: /path/to/model, precision: "${actor.model.precision}"}
actor:
  training_backend: fsdp
  micro_batch_size: 32
  global_batch_size: 2048
  seed: 1234
  model: {model_path: /path/to/model, precision: null}
  optim: {lr: 5.0e-6, adam_beta1: 0.9, adam_beta2: 0.95, clip_grad: 1.0}
"""
MODEL = """\
model_type: openpi
num_action_chunks: 10
is_lora: False
lora_rank: 32
openpi: {config_name: pi05_libero, train_expert_only: True, noise: "${actor.model.num_action_chunks}"}
"""
FSDP = "strategy: fsdp\nsharding_strategy: no_shard\ncpu_offload: False\nreshard_after_forward: True\n"
SPEC = """\
vlac: 1
name: mine
rlinf: {version: "0.3", path: ./RLinf}
base: examples/embodiment/config/ppo.yaml
"""


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a spec, with the tree in `RLinf/`."""
    folder = tmp_path_factory.mktemp("base")
    config = folder / "RLinf/examples/embodiment/config"
    for group, option, text in (("model", "pi0_5", MODEL), ("training_backend", "fsdp", FSDP)):
        (config / group).mkdir(parents=True)
        (config / group / f"{option}.yaml").write_text(text)
    (config / "ppo.yaml").write_text(PPO)
    sft = folder / "RLinf/examples/sft/config"
    sft.mkdir(parents=True)
    for group in ("model", "training_backend"):
        (sft / group).symlink_to(config / group)
    (sft / "tune.yaml").write_text(PPO.replace("embodied", "sft"))
    return folder


@pytest.fixture(autouse=True, scope="session")
def composed_once():
    """Hydra takes a fifth of a second: each config of the session is composed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vlac.rlinf.compose.compose", functools.cache(compose))
        yield


@pytest.fixture
def compiled(tree: Path):
    """Compile the spec with more lines; `changes` are pairs of texts to replace in the base first."""

    def run(more: str = "", *changes: tuple[str, str], spec: str = SPEC, **options):
        name = _variant(tree, changes)
        return compile_spec_text(spec.replace("/ppo.yaml", f"/{name}.yaml") + more, tree, **options)

    return run


def _variant(tree: Path, changes: tuple[tuple[str, str], ...]) -> str:
    """The name of the base with texts replaced in it."""
    text = PPO
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    name = f"ppo_{sha256(text.encode()).hexdigest()[:8]}" if changes else "ppo"
    (tree / f"RLinf/examples/embodiment/config/{name}.yaml").write_text(text)
    return name
