"""A small tree laid out as RLinf's, with two runs of supervised fine-tuning and a group of their own."""

import functools
from hashlib import sha256

import pytest

from vlac.rlinf.compose import compose

SFT = """\
# The header of the file.
defaults:
  - model/pi0@actor.model

hydra:
  searchpath:
    - file://${oc.env:EMBODIED_PATH}/config/

cluster:
  num_nodes: 1
  component_placement:
    actor,env,rollout: 0-0
runner:
  task_type: sft
  logger:
    log_path: "../results"
    experiment_name: first
    logger_backends: ["tensorboard"]  # wandb, swanlab
  max_epochs: -1
  max_steps: 1000
  save_interval: 100
data:
  train_data_paths: "/path/to/data"
actor:
  training_backend: fsdp
  micro_batch_size: 4
  global_batch_size: 32
  seed: 0
  model: {model_path: "/path/to/model"}
  optim:
    lr: 1.0e-5
    # nothing reads it
    warmup_style: cosine
"""
MODEL = "model_type: openpi\nprecision: null\nopenpi: {config_name: pi0_libero, train_expert_only: False}\n"


@pytest.fixture(scope="session")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("RLinf")
    config = folder / "examples/sft/config"
    (config / "model").mkdir(parents=True)
    (config / "model/pi0.yaml").write_text(MODEL)
    (config / "first.yaml").write_text(SFT)
    (config / "second.yaml").write_text(SFT.replace("seed: 0", "seed: 1").replace("4\n", "8\n"))
    return folder


@pytest.fixture(autouse=True, scope="session")
def composed_once():
    """Hydra composes a content once: a tenth of a second each time."""

    @functools.cache
    def by_content(config, tree, _digest):
        return compose(config, tree)

    def cached(config, tree=None):
        return by_content(config, tree, sha256(config.read_bytes()).hexdigest() if config.is_file() else "")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vlac.rlinf.compose.compose", cached)
        yield


@pytest.fixture
def edited(tmp_path):
    """A copy of a config outside of the tree with some texts in it replaced."""

    def copy(*replacements, name="mine.yaml"):
        text = SFT
        for before, after in replacements:
            assert before in text
            text = text.replace(before, after)
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return file

    return copy
