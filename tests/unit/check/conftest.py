"""A tree in the shape of RLinf, small enough to be read in no time, and configs that meet it."""

from pathlib import Path

import pytest

from vlac.check import check_file

SCRIPT = """
import hydra
from rlinf.config import validate_cfg
from rlinf.models import get_model
from rlinf.utils.metric_logger import MetricLogger

@hydra.main(version_base="1.1", config_path="config", config_name="run")
def main(cfg):
    cfg = validate_cfg(cfg)
    MetricLogger(cfg)
    get_model(cfg.actor.model)
    cfg.actor.optim.lr
    cfg.actor.optim.get("min_lr", 0.0)
    cfg.data.train_data_paths
"""
CONFIG_MODULE = """
from omegaconf import OmegaConf

SUPPORTED_TASK_TYPE = ["sft", "embodied"]

class SupportedModel:
    OPENPI = "openpi"
    RECAP = "recap_value_model"

def validate_cfg(cfg):
    OmegaConf.set_struct(cfg, True)
    assert cfg.runner.task_type in SUPPORTED_TASK_TYPE, "task_type"
    assert cfg.actor.micro_batch_size > 0, f"micro_batch_size is {cfg.actor.micro_batch_size}"
    return cfg
"""
MODELS = """
def get_model(cfg):
    cfg.model_type
    if cfg.is_lora:
        cfg.lora_rank
    options = getattr(cfg, "openpi_data", None)
    open_model(**options)
"""
LOGGER = """
class MetricLogger:
    supported_logger = ["wandb", "swanlab", "tensorboard"]

    def __init__(self, cfg):
        cfg.runner.logger.logger_backends
"""
RESOLVERS = """
def _register_resolver(name, resolver): ...
_register_resolver("multiply", lambda x, y: x * y)
"""
GOOD = """\
runner:
  task_type: sft
  logger: {logger_backends: [tensorboard]}
cluster:
  num_nodes: 1
  component_placement: {actor: 0-1}
data:
  train_data_paths: /data/libero
actor:
  micro_batch_size: 4
  model:
    model_type: openpi
    is_lora: false
  optim:
    lr: 1.0e-5
"""


def write_tree(root: Path) -> Path:
    files = {
        "rlinf/config.py": CONFIG_MODULE,
        "rlinf/models/__init__.py": MODELS,
        "rlinf/utils/metric_logger.py": LOGGER,
        "rlinf/utils/omega_resolver.py": RESOLVERS,
        "examples/sft/train_vla_sft.py": SCRIPT,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def tree(tmp_path):
    return write_tree(tmp_path / "tree")


@pytest.fixture
def write(tree):
    """Write a config of the tree; `old` parts of the good one are replaced by `new` ones."""

    def write_config(*changes, text=GOOD, name="run"):
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tree / "examples" / "sft" / "config" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_config


@pytest.fixture
def check(write):
    """What is found in a changed config, each as (code, severity, line, column, message)."""

    def check_config(*changes, text=GOOD):
        checked = check_file(write(*changes, text=text))
        return [
            (
                one.code,
                one.severity,
                *((one.position.line, one.position.column) if one.position else ()),
                one.message,
            )
            for one in checked.diagnostics
        ]

    return check_config
