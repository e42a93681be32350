"""The words that a tree accepts."""

from vlac.rlinf.reads import enumerations

CONFIG = """
class SupportedModel:
    pass
SupportedModel.OPENPI = SupportedModel.register("openpi", force=True)
SupportedModel.AGAIN = SupportedModel.register("openpi", force=True)
SUPPORTED_TASK_TYPE = ["sft", "embodied"]
"""
FSDP = """
def get_lr_scheduler(lr_scheduler, other):
    if lr_scheduler == "constant":
        return 1
    elif lr_scheduler in ("cosine", "torch_cosine"):
        return other == "no schedule"
def get_sharding_strategy(strategy_str):
    known = {"full_shard": 1, "no_shard": 2}
    return known[strategy_str]
"""


def test_registered_words(write, tmp_path):
    others = {
        "hybrid_engines/fsdp/utils": FSDP,
        "utils/metric_logger": "class MetricLogger:\n    supported_logger = ['wandb', 'tensorboard']",
        "models/embodiment/openpi/dataconfig/__init__": "ALL = [TrainConfig(name='pi0_libero', model=1)]",
    }
    assert enumerations(write(tmp_path, CONFIG, **others)) == {
        "task_types": ("sft", "embodied"),
        "model_types": ("openpi",),
        "logger_backends": ("wandb", "tensorboard"),
        "schedulers": ("constant", "cosine", "torch_cosine"),
        "sharding_strategies": ("full_shard", "no_shard"),
        "openpi_configs": ("pi0_libero",),
    }


def test_an_enumeration_class(write, tmp_path):
    code = 'import enum\nclass SupportedModel(enum.Enum):\n    OPENPI = "openpi"\n'
    assert enumerations(write(tmp_path, code)) == {"model_types": ("openpi",)}


def test_what_is_not_found_is_left_out(write, tmp_path):
    assert enumerations(write(tmp_path, "")) == {}


def test_members_that_are_tuples_as_in_rlinf_0_2(write, kinds, tmp_path):
    code = """
from enum import Enum
class SupportedModel(Enum):
    OPENPI = ("openpi", "embodied")
    OTHER = ("other", "embodied")
    def __new__(cls, value, category):
        obj = object.__new__(cls)
        obj._value_ = value
        return obj
def main_of(cfg):
    if SupportedModel(cfg.actor.model.model_type) == SupportedModel.OPENPI:
        cfg.a
    else:
        cfg.b
"""
    assert enumerations(write(tmp_path, code)) == {"model_types": ("openpi", "other")}
    found = kinds(code)
    assert found["a"] == {"strict"} and "b" not in found
