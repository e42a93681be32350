"""Tests that the run decides are followed one way only."""

import pytest

STRICT = {"strict"}


@pytest.fixture
def keys(kinds):
    def read_by(body, before=""):
        code = f"{before}\ndef main_of(cfg):\n{body}"
        asked = ("actor", "actor.training_backend", "actor.model", "actor.model.model_type")
        return {key for key in kinds(code) if key not in asked}

    return read_by


@pytest.mark.parametrize(
    "test",
    [
        "cfg.runner.task_type == 'sft'",
        "cfg.runner.task_type in ('sft', 'offline')",
        "cfg.runner.task_type != 'embodied'",
        "cfg.actor.training_backend == 'megatron' or cfg.runner.task_type == 'sft'",
        "not (cfg.actor.training_backend == 'megatron')",
        "str(cfg.actor.model.model_type).lower() == 'openpi'",
    ],
)
def test_decided_tests(keys, test):
    assert keys(f"    if {test}:\n        cfg.a\n    else:\n        cfg.b") == {"a"}


def test_a_decided_read_is_strict(kinds):
    code = "def main_of(cfg):\n    if cfg.runner.task_type == 'sft':\n        cfg.a"
    assert kinds(code)["a"] == STRICT


ENUM = """
import enum
class Model(enum.Enum):
    OPENPI = "openpi"
    QWEN = "qwen"
"""
REGISTERED = """
class Model:
    models = {}
    @classmethod
    def register(cls, value, force=False):
        return cls.models[value]
Model.OPENPI = Model.register("openpi", force=True)
Model.QWEN = Model.register("qwen", force=True)
"""


@pytest.mark.parametrize("models", [ENUM, REGISTERED])
def test_enumerations(keys, models):
    body = """
    if Model(cfg.actor.model.model_type) == Model.QWEN:
        cfg.a
    elif Model(cfg.actor.model.model_type) in [Model.OPENPI]:
        cfg.b
"""
    assert keys(body, models) == {"b"}


def test_a_registry_gives_the_one_function(keys):
    before = """
_REGISTRY = {}
def register(name, function):
    _REGISTRY[name] = function
def _register_all():
    def openpi(cfg):
        cfg.a
    def qwen(cfg):
        cfg.b
    register("openpi", openpi)
    register("qwen", qwen)
_register_all()
"""
    body = """
    builder = _REGISTRY.get(cfg.actor.model.model_type)
    if builder is None:
        return
    builder(cfg)
    cfg.c
"""
    assert keys(body, before) == {"a", "c"}


def test_an_empty_registry_decides_nothing(keys):
    before = """
_REGISTRY = {}
def register(name):
    def decorator(function):
        _REGISTRY[name] = function
        return function
    return decorator
@register("openpi")
def openpi(cfg):
    pass
"""
    body = """
    if cfg.actor.model.model_type not in _REGISTRY:
        raise ValueError
    _REGISTRY[cfg.actor.model.model_type](cfg)
    cfg.a
"""
    assert keys(body, before) == {"a"}


def test_parts_of_a_text(keys):
    body = "    if 'pen' in cfg.actor.model.model_type:\n        cfg.a\n    else:\n        cfg.b"
    assert keys(body) == {"a"}


def test_match(keys):
    body = """
    match cfg.runner.task_type:
        case "embodied":
            cfg.a
        case "sft" | "offline":
            cfg.b
        case _:
            cfg.c
"""
    assert keys(body) == {"b"}


def test_open_tests_are_followed_both_ways(keys):
    assert keys("    if cfg.x == 1:\n        cfg.a\n    else:\n        cfg.b") == {"x", "a", "b"}


def test_what_was_written_decides(keys):
    body = "    cfg.only_eval = True\n    if cfg.only_eval:\n        cfg.a\n    else:\n        cfg.b"
    assert keys(body) == {"only_eval", "a"}


def test_an_attribute_that_another_method_sets_decides_nothing(keys):
    before = """
class Worker:
    def __init__(self, cfg):
        self.cfg = cfg
        self.loaded = False
    def run(self):
        if self.loaded:
            self.cfg.a
"""
    assert keys("    Worker(cfg).run()", before) == {"a"}


def test_a_grown_list_decides_nothing(keys):
    body = "    names = []\n    names.append(cfg.x)\n    if 'a' in names:\n        cfg.a"
    assert keys(body) == {"x", "a"}


def test_a_whole_configuration_decides_everything(kinds):
    code = """
def main_of(cfg):
    if cfg.get("x", None) is not None:
        cfg.a
    if "y" in cfg:
        cfg.b
    if cfg.n > 2:
        cfg.c
    cfg.get("part", {}).get("z")
    if cfg.link.name == "found":
        cfg.d
"""
    config = {
        "runner": {"task_type": "sft"},
        "actor": {"model": {"model_type": "openpi"}},
        "x": 1,
        "n": 3,
        "link": "${target}",
        "target": {"name": "found"},
    }
    found = kinds(code, config)
    assert {key for key in found if "strict" in found[key]} == {"a", "n", "c", "link", "link.name", "d"}
    assert "b" not in found
