"""How the configuration is followed: one construct, one test."""

import pytest

STRICT, DEFAULTED, GUARDED, WRITTEN = {"strict"}, {"defaulted"}, {"guarded"}, {"written"}


@pytest.fixture
def check(kinds):
    def is_read(code, expected, **others):
        assert kinds(code, **others) == expected

    return is_read


def test_attributes_and_items_are_strict(check):
    check("def main_of(cfg):\n    cfg.a.b\n    cfg['c']", {"a": STRICT, "a.b": STRICT, "c": STRICT})


@pytest.mark.parametrize(
    "read", ["cfg.get('a')", "cfg.get('a', 1)", "getattr(cfg, 'a', None)", "OmegaConf.select(cfg, 'a')"]
)
def test_reads_with_a_default(check, read):
    check(f"from omegaconf import OmegaConf\ndef main_of(cfg):\n    {read}", {"a": DEFAULTED})


def test_select_reads_dotted_names(check):
    code = "from omegaconf import OmegaConf\ndef main_of(cfg):\n    OmegaConf.select(cfg, 'a.b', default=1)"
    check(code, {"a.b": DEFAULTED})


def test_getattr_without_default_and_pop_are_strict(check):
    check("def main_of(cfg):\n    getattr(cfg, 'a')\n    cfg.pop('b')", {"a": STRICT, "b": STRICT})


@pytest.mark.parametrize(
    "test",
    ["hasattr(cfg, 'a')", "'a' in cfg", "cfg.get('a') is not None", "cfg.get('a')", "getattr(cfg, 'a', 0)"],
)
def test_a_test_for_the_key_guards_it(kinds, test):
    found = kinds(f"def main_of(cfg):\n    if {test}:\n        cfg.a")
    assert "guarded" in found["a"]
    assert "strict" not in found["a"]


@pytest.mark.parametrize("test", ["not hasattr(cfg, 'a')", "'a' not in cfg", "cfg.get('a') is None"])
def test_an_early_return_guards_what_follows(kinds, test):
    found = kinds(f"def main_of(cfg):\n    if {test}:\n        return\n    cfg.a")
    assert "strict" not in found["a"]


def test_operands_guard_each_other(check):
    code = "def main_of(cfg):\n    'a' in cfg and cfg.a\n    'b' not in cfg or cfg.b"
    check(code, {"a": GUARDED, "b": GUARDED})


def test_a_variable_keeps_what_a_test_proved(check):
    check("def main_of(cfg):\n    there = 'a' in cfg\n    if there:\n        cfg.a", {"a": GUARDED})


def test_an_assertion_requires_and_does_not_guard(kinds):
    found = kinds("def main_of(cfg):\n    assert hasattr(cfg, 'a')\n    cfg.a.b")
    assert found["a.b"] == STRICT


def test_a_raise_requires_and_does_not_guard(kinds):
    found = kinds("def main_of(cfg):\n    if 'a' not in cfg:\n        raise ValueError\n    cfg.a")
    assert "strict" in found["a"]


def test_a_conditional_expression_guards(kinds):
    found = kinds("def main_of(cfg):\n    cfg.a if hasattr(cfg, 'a') else 1")
    assert "strict" not in found["a"]


def test_a_caught_read_is_guarded(check):
    code = "def main_of(cfg):\n    try:\n        cfg.a\n    except AttributeError:\n        pass\n    cfg.b"
    check(code, {"a": GUARDED, "b": STRICT})


def test_other_exceptions_do_not_catch_a_missing_key(check):
    code = "def main_of(cfg):\n    try:\n        cfg.a\n    except ImportError:\n        pass"
    check(code, {"a": STRICT})


def test_keys_that_are_set_first_are_written(kinds):
    code = """
from omegaconf import OmegaConf, open_dict
def main_of(cfg):
    with open_dict(cfg):
        cfg.a = cfg.get("a", 1)
        cfg["b"] = 2
        OmegaConf.update(cfg, "c.d", 3)
        setattr(cfg, "e", 4)
    cfg.a, cfg.b, cfg.c.d, cfg.e
"""
    found = kinds(code)
    assert found["a"] == {"defaulted", "written"}
    assert found["b"] == found["c.d"] == found["e"] == WRITTEN


def test_what_only_one_branch_sets_is_no_strict_read(kinds):
    code = "def main_of(cfg):\n    if cfg.get('x'):\n        cfg.a = 1\n    cfg.a"
    assert kinds(code)["a"] == GUARDED


def test_a_section_that_is_set_is_set_with_its_keys(check):
    code = "def main_of(cfg):\n    cfg.a = {'b': 1}\n    cfg.a.b"
    check(code, {"a": WRITTEN, "a.b": WRITTEN})


def test_a_section_given_back_is_not_written(check):
    code = "def checked(cfg):\n    return cfg\ndef main_of(cfg):\n    cfg.a = checked(cfg.a)\n    cfg.a.b"
    check(code, {"a": STRICT, "a.b": STRICT})


def test_writes_to_a_copy_do_not_reach_the_original(kinds):
    code = "import copy\ndef main_of(cfg):\n    other = copy.deepcopy(cfg.a)\n    other.b = 1\n    other.b\n    cfg.a.b"
    assert kinds(code)["a.b"] == {"strict", "written"}


def test_only_what_every_way_reads_is_strict(check):
    code = """
def main_of(cfg):
    if cfg.get("x"):
        cfg.a, cfg.b
    else:
        cfg.a, cfg.c
"""
    check(code, {"x": DEFAULTED, "a": STRICT, "b": GUARDED, "c": GUARDED})


def test_a_loop_is_taken_to_run(check):
    check("def main_of(cfg):\n    for _ in range(3):\n        cfg.a", {"a": STRICT})


def test_a_written_out_loop_names_keys(check):
    code = "def main_of(cfg):\n    for name in ['a', 'b']:\n        cfg[name]"
    check(code, {"a": STRICT, "b": STRICT})


def test_calls_arguments_and_returned_sections(check):
    code = """
def inner(section, *, other):
    section.b
    return other
def main_of(cfg):
    inner(cfg.a, other=cfg.c).d
"""
    check(code, {"a": STRICT, "a.b": STRICT, "c": STRICT, "c.d": STRICT})


def test_arguments_that_are_passed_through(check):
    code = """
def inner(section, name):
    section[name]
def outer(*args, **kwargs):
    inner(*args, **kwargs)
def main_of(cfg):
    outer(cfg, name="a")
"""
    check(code, {"a": STRICT})


def test_attributes_of_objects_bases_and_super(check):
    code = """
class Base:
    def __init__(self, cfg):
        self._cfg = cfg
    def run(self):
        self._cfg.b
        self.step()
class Worker(Base):
    def __init__(self, cfg):
        super().__init__(cfg.a)
        self.cfg = cfg
    def step(self):
        self.cfg.c
def main_of(cfg):
    Worker(cfg).run()
"""
    check(code, {"a": STRICT, "a.b": STRICT, "c": STRICT})


def test_a_base_is_initialized_by_name(check):
    code = """
class Base:
    def __init__(self, cfg):
        self.part = cfg.a
class Worker(Base):
    def __init__(self, cfg):
        Base.__init__(self, cfg)
        self.part.b
def main_of(cfg):
    Worker(cfg)
"""
    check(code, {"a": STRICT, "a.b": STRICT})


def test_properties_static_and_class_methods(check):
    code = """
class Worker:
    def __init__(self, cfg):
        self.cfg = cfg
    @property
    def part(self):
        return self.cfg.a
    @staticmethod
    def check(cfg):
        cfg.c
    @classmethod
    def create(cls, cfg):
        return cls(cfg.d)
def main_of(cfg):
    Worker(cfg).part.b
    Worker.check(cfg)
    Worker.create(cfg).part
"""
    expected = dict.fromkeys(["a", "a.b", "c", "d", "d.a"], STRICT)
    check(code, expected)


def test_fields_of_data_classes(check):
    code = """
from dataclasses import dataclass
@dataclass
class Plan:
    part: object
    size: int = 1
def main_of(cfg):
    Plan(cfg.a).part.b
"""
    check(code, {"a": STRICT, "a.b": STRICT})


def test_two_objects_of_a_class_are_told_apart(kinds):
    code = """
class Env:
    def __init__(self, cfg):
        self.cfg = cfg
    def run(self):
        self.cfg.size
def main_of(cfg):
    Env(cfg.train).run()
    Env(cfg.eval).run()
"""
    assert kinds(code)["train.size"] == STRICT
    assert kinds(code)["eval.size"] == STRICT


def test_closures_lambdas_and_partials(check):
    code = """
from functools import partial
def read(cfg, name):
    cfg[name]
def main_of(cfg):
    def inner():
        cfg.a
    inner()
    (lambda: cfg.b)()
    partial(read, cfg)("c")
"""
    check(code, dict.fromkeys("abc", STRICT))


def test_a_callback_may_be_called(check):
    code = "import elsewhere\ndef main_of(cfg):\n    elsewhere.register(lambda: cfg.a)"
    check(code, {"a": GUARDED})


def test_names_of_other_modules(check):
    code = "from . import other\nfrom rlinf.part import read as r\ndef main_of(cfg):\n    r(cfg)\n    other.read(cfg)"
    others = {
        "part/__init__": "from .inner import *",
        "part/inner": "def read(cfg):\n    cfg.a",
        "other": "def read(cfg):\n    cfg.b",
    }
    check(code, {"a": STRICT, "b": STRICT}, **others)


def test_modules_that_import_each_other(check):
    code = "from rlinf.other import read\ndef main_of(cfg):\n    read(cfg)"
    others = {"other": "from rlinf.third import read", "third": "from rlinf.other import read"}
    check(code, {}, **others)


def test_a_function_that_calls_itself(check):
    check("def main_of(cfg):\n    cfg.a\n    main_of(cfg)", {"a": STRICT})


def test_methods_of_leaves_are_no_keys(check):
    check("def main_of(cfg):\n    cfg.a.lower().split(',')\n    cfg.b.append(1)", {"a": STRICT, "b": STRICT})


def test_an_augmented_assignment_reads_first(check):
    check("def main_of(cfg):\n    cfg.a += 1\n    cfg.a", {"a": {"strict", "written"}})


def test_unknown_objects_are_not_followed(check):
    check("import elsewhere\ndef main_of(cfg):\n    elsewhere.make(cfg.a).b", {"a": STRICT})


def test_either_of_two_sections_is_not_strict(check):
    code = "def main_of(cfg):\n    part = cfg.a if cfg.x else cfg.b\n    part.c"
    check(code, {"x": STRICT, "a": GUARDED, "b": GUARDED, "a.c": GUARDED, "b.c": GUARDED})


def test_workers_in_their_own_processes(kinds):
    code = """
class Worker:
    @classmethod
    def create_group(cls, *args):
        ...
    def __init__(self, cfg):
        self.cfg = cfg
        cfg.set_in_worker = 1
    def step(self):
        self.cfg.set_in_worker
        self.cfg.a
def main_of(cfg):
    group = Worker.create_group(cfg).launch(None, name="actor")
    group.step().wait()
    cfg.set_in_worker
"""
    found = kinds(code)
    assert found["a"] == STRICT
    assert found["set_in_worker"] == {"strict", "written"}  # the driver does not see what a worker wrote
