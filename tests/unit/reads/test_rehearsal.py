"""What the code of a tree makes of one configuration: which of its lines refuse it, and which keys are to blame."""

import pytest

from vlac.rlinf.reads import Tree
from vlac.rlinf.reads.rehearsal import Devices, rehearse

RUN = {
    "runner": {"task_type": "sft"},
    "actor": {"model": {"model_type": "openpi"}, "training_backend": "fsdp"},
}


@pytest.fixture
def refused(write, tmp_path):
    """The refusals of `main_of(cfg)` with a body, as (line of the body, keys with dots, certain)."""

    def refuse(body, before="", config=None, folder=None, **options):
        code = f"{before}\ndef main_of(cfg):\n{body}\n"
        tree = write(tmp_path, code, **options.pop("others", {}))
        found = rehearse(tree, {**RUN, **(config or {})}, folder=folder, **options)
        first = code[: code.index("def main_of")].count("\n") + 1
        return [
            (one.line - first, [".".join(key) for key in one.keys], one.certain) for one in found.refusals
        ]

    return refuse


def _first(tree, config):
    (refusal,) = rehearse(tree, {**RUN, **config}).refusals
    return refusal


def test_an_assertion(write, tmp_path):
    tree = write(tmp_path, "def main_of(cfg):\n    assert cfg.a.b % 3 == 0, f'{cfg.a.b} is not {1 + 2}'\n")
    refusal = _first(tree, {"a": {"b": 4}})
    assert (refusal.file, refusal.line, refusal.kind) == ("rlinf/config.py", 2, "assert")
    assert (refusal.error, refusal.condition) == ("AssertionError", "cfg.a.b % 3 == 0")
    assert (refusal.message, refusal.keys, refusal.certain) == ("4 is not 3", (("a", "b"),), True)


@pytest.mark.parametrize(
    "test",
    [
        "cfg.n % (cfg.m * 2) == 0",
        "cfg.n // 3 > cfg.m",
        "cfg.n in [1, 2, 3]",
        "cfg.get('x', 1) == 2",
        "cfg.x is not None",
        "hasattr(cfg, 'x')",
        "isinstance(cfg.text, int)",
        "cfg.text.startswith('b')",
        "cfg.text.lower() == 'ABC'",
        "len(cfg.many) == 3",
        "any(item > 8 for item in cfg.many)",
        "all(item < 7 for item in cfg.many)",
        "'seven' in cfg.table",
        "0 < cfg.n < 5",
        "not cfg.n",
        "cfg.n == 1 or cfg.m == 1",
        "cfg.n == 8 and cfg.m == 1",
        "sum(cfg.many) == 1",
        "max(cfg.many) < 7",
        "sorted(cfg.many) == [1]",
        "cfg.other == 9",
        "cfg.table['six'] == 7",
        "OmegaConf.select(cfg, 'table.six') is None",
        "cfg.path == 'x/y'",
        "set(cfg.many) - {1} == set()",
    ],
)
def test_tests_that_fail(refused, test):
    config = {
        "n": 8,
        "m": 3,
        "text": "abc",
        "many": [1, 8],
        "table": {"six": 6},
        "other": "${table.six}",
        "path": "a/${text}",
    }
    found = refused(f"    assert {test}", before="from omegaconf import OmegaConf", config=config)
    if test == "cfg.x is not None":
        assert found == [(1, ["x"], True)]  # the read itself fails
    elif test.startswith("set("):
        assert found == []  # sets are compared with nothing
    else:
        assert [(line, certain) for line, _, certain in found] == [(1, True)]


def test_the_operand_that_settles_it_is_to_blame(refused):
    assert refused("    assert cfg.n and cfg.m", config={"n": 1, "m": 0}) == [(1, ["m"], True)]
    assert refused("    assert cfg.n or cfg.m", config={"n": 0, "m": 0}) == [(1, ["m", "n"], True)]


@pytest.mark.parametrize("value", ["${oc.env:NAME}", "${multiply:2,3}", "a${oc.env:NAME}", "\\${n}"])
def test_what_only_the_run_knows_refuses_nothing(refused, value):
    assert refused("    assert cfg.a == 1", config={"a": value}) == []


def test_an_interpolation_that_leads_nowhere(refused):
    assert refused("    cfg.a.b", config={"a": {"b": "${nowhere}"}}) == [(1, ["a.b"], True)]


def test_relative_interpolations(refused):
    config = {"a": {"b": "${.c}", "c": 1, "d": {"e": "${..c}"}}}
    assert refused("    assert cfg.a.b + cfg.a.d.e == 3", config=config) == [
        (1, ["a.b", "a.c", "a.d.e"], True)
    ]


def test_missing_keys_and_failing_operations(refused):
    body = "    cfg.gone\n    cfg['also']\n    cfg.none > 0\n    cfg.none.x\n    int(cfg.text)"
    found = refused(body, config={"none": None, "text": "seven"})
    assert found == [(1, ["gone"], True), (2, ["also"], True), (3, ["none"], True), (5, ["text"], True)]


def test_a_key_is_blamed_once(refused):
    assert refused(
        "    assert cfg.n > 2\n    assert cfg.n > 3\n    assert cfg.n > cfg.m", config={"n": 1, "m": 2}
    ) == [
        (1, ["n"], True),
        (3, ["m", "n"], True),
    ]


def test_raise_under_a_test(refused):
    body = """
    if cfg.n == 1:
        return
    elif cfg.n == 2:
        pass
    else:
        raise ValueError(f"no {cfg.n}")
"""
    assert refused(body, config={"n": 3}) == [(7, ["n"], True)]
    assert refused(body, config={"n": 2}) == []


def test_raise_behind_tests(refused):
    assert refused("    if cfg.n == 1:\n        return\n    raise ValueError", config={"n": 3}) == [
        (3, ["n"], True)
    ]


def test_match(refused):
    body = "    match cfg.n:\n        case 1 | 2:\n            pass\n        case _:\n            raise ValueError"
    assert refused(body, config={"n": 2}) == []
    assert refused(body, config={"n": 3}) == [(5, ["n"], True)]


def test_writes_count(refused):
    body = "    cfg.a = cfg.get('a', 3)\n    cfg.b.c = cfg.a + 1\n    assert cfg.b.c == 4\n    assert cfg.b.c == 5"
    assert refused(body, config={"b": {}}) == [(4, ["a"], True)]


def test_a_way_that_is_not_known(refused):
    body = """
    if unheard_of():
        assert cfg.n == 1
        cfg.m = 5
    assert cfg.m == 6
    assert cfg.k == 6
"""
    found = refused(body, before="from elsewhere import unheard_of", config={"n": 2, "m": 4, "k": 7})
    assert found == [(3, ["n"], False), (6, ["k"], True)]


def test_a_return_on_a_way_that_is_not_known(refused):
    before = """
from elsewhere import unheard_of
def ask(cfg):
    if unheard_of():
        cfg.m = 1
        return 1
    cfg.k = 2
    return 2
"""
    body = "    x = ask(cfg)\n    assert x == 3\n    assert cfg.m == 3\n    assert cfg.k == 3\n    assert cfg.n == 3"
    assert refused(body, before=before, config={"m": 0, "k": 0, "n": 0}) == [(5, ["n"], True)]


def test_a_raise_for_reasons_that_are_not_known_refuses_nothing(refused):
    body = "    if unheard_of():\n        raise ValueError\n    assert cfg.n == 3"
    assert refused(body, before="from elsewhere import unheard_of", config={"n": 0}) == [(3, ["n"], True)]


def test_what_the_tree_catches_itself(refused):
    before = """
def check(cfg):
    try:
        int(cfg.n)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{cfg.n} is no number") from error
"""
    caught = (
        "    try:\n        check(cfg)\n    except AssertionError:\n        cfg.n = 0\n    assert cfg.n == 0"
    )
    assert refused("    check(cfg)", before=before, config={"n": "x"})[0][1:] == (["n"], True)
    assert refused(caught, before=before, config={"n": "x"}) == []


def test_optional_imports_are_not_known(refused):
    before = "try:\n    import rare\n    HAVE = True\nexcept ImportError:\n    HAVE = False"
    assert refused("    assert HAVE or cfg.n == 1", before=before, config={"n": 2}) == []


def test_loops(refused):
    body = """
    total = 0
    for index, item in enumerate(cfg.many):
        if item == 0:
            continue
        if item > 5:
            break
        total += item
    else:
        total = 100
    assert total == 3
    while total < 10:
        total += 4
    assert total == 12
"""
    assert refused(body, config={"many": [1, 0, 2, 7, 4]}) == [(14, ["many.0", "many.2"], True)]


def test_a_loop_over_what_is_not_known(refused):
    body = "    n = 1\n    for item in unheard_of():\n        n = 2\n    assert n == 3\n    assert cfg.n == 3"
    assert refused(body, before="from elsewhere import unheard_of", config={"n": 1}) == [(5, ["n"], True)]


ENUM = """
from enum import Enum
class Kind(Enum):
    A = "a"
    B = "b"
"""
REGISTRY = """
class Kind:
    known = {}
    @classmethod
    def register(cls, name):
        cls.known[name] = object.__new__(cls)
        object.__setattr__(cls.known[name], "value", name)
        return cls.known[name]
    def __new__(cls, name):
        if name not in cls.known:
            raise NotImplementedError(f"{name} is none of {sorted(cls.known)}")
        return cls.known[name]
Kind.A = Kind.register("a")
Kind.B = Kind.register("b")
"""


@pytest.mark.parametrize(("before", "error"), [(ENUM, "ValueError"), (REGISTRY, "NotImplementedError")])
def test_enumerations_and_registries(write, tmp_path, before, error):
    tree = write(tmp_path, f"{before}\ndef main_of(cfg):\n    assert Kind(cfg.kind) in {{Kind.A}}\n")
    assert _first(tree, {"kind": "c"}).error == error
    assert _first(tree, {"kind": "b"}).error == "AssertionError"
    assert rehearse(tree, {**RUN, "kind": "a"}).refusals == ()


def test_a_registry_that_decorators_fill_elsewhere(refused):
    before = """
KNOWN = {}
def register(name):
    def decorate(function):
        KNOWN[name] = function
        return function
    return decorate
"""
    others = {"losses": "from rlinf.config import register\n@register('ppo')\ndef ppo():\n    pass"}
    body = "    if cfg.loss not in KNOWN:\n        raise ValueError(f'{cfg.loss} is not there')"
    assert refused(body, before=before, config={"loss": "ppo"}, others=others) == []
    assert refused(body, before=before, config={"loss": "sac"}, others=others) == [(2, ["loss"], True)]
    assert refused(body, before=before, config={"loss": "sac"}, others=others, registered=["sac"]) == []


def test_data_classes(refused):
    before = """
from dataclasses import dataclass
@dataclass
class Node:
    rank: int
    label: str = "none"
    def __post_init__(self):
        assert self.rank >= 0, f"rank {self.rank}"
"""
    assert (
        refused("    assert Node(**cfg.node).label == 'none'", before=before, config={"node": {"rank": 1}})
        == []
    )
    assert refused("    Node(**cfg.node)", before=before, config={"node": {"rank": -1}})[0][1] == [
        "node.rank"
    ]
    assert refused("    Node(**cfg.node)", before=before, config={"node": {"rank": 1, "x": 2}})[0][1] == [
        "node.x"
    ]


def test_classes_and_inheritance(refused):
    before = """
class Base:
    def __init__(self, cfg):
        self.cfg = cfg
        self.check()
    @property
    def size(self):
        return self.cfg.size
class Worker(Base):
    def check(self):
        assert self.size % 2 == 0
"""
    assert refused("    Worker(cfg)", before=before, config={"size": 3})[0][1:] == (["size"], True)


def test_workers_have_a_copy(refused):
    before = """
class Worker:
    def __init__(self, cfg):
        cfg.n = cfg.m
        self.cfg = cfg
    def work(self):
        assert self.cfg.n == 3
    @classmethod
    def create_group(cls, cfg):
        ...
"""
    body = "    group = Worker.create_group(cfg).launch(name='a')\n    assert cfg.n == 1\n    group.work()"
    (found,) = refused(body, before=before, config={"n": 1, "m": 2})
    assert found[0] < 0
    assert found[1:] == (["m"], True)


def test_placements_count_the_devices(refused):
    cluster = """
class Cluster:
    def get_node_group(self, label="cluster"):
        return ask_ray(label)
    @property
    def num_accelerators(self):
        return ask_ray()
"""
    others = {
        "scheduler/cluster/cluster": cluster,
        "scheduler/cluster/node": "class NodeGroupInfo:\n    pass",
    }
    body = """
    group = Cluster().get_node_group(cfg.group)
    assert group is not None
    assert cfg.batch % group.hardware_resource_count == 0
    assert Cluster().num_accelerators > cfg.least
"""
    before = "from rlinf.scheduler.cluster.cluster import Cluster"
    config = {
        "group": None,
        "batch": 12,
        "least": 8,
        "cluster": {"num_nodes": 1, "node_groups": [{"label": "robot"}]},
    }

    def lines(devices, **changes):
        found = refused(body, before, {**config, **changes}, devices=devices, others=others)
        return [line for line, _, _ in found]

    assert lines(Devices()) == []
    assert lines(Devices(8)) == [4, 5]
    assert lines(Devices(0)) == [5]
    assert lines(Devices(8), group="node", batch=13) == [5]
    assert lines(Devices(8), group="robot") == [5]
    assert lines(Devices(8), group="a800")[0] == 3


def test_code_that_goes_on_for_ever(write, tmp_path):
    code = """
def again(cfg, n):
    for one in cfg.many:
        for other in cfg.many:
            again(cfg, n + 1)
def main_of(cfg):
    assert cfg.n == 1
    again(cfg, 0)
"""
    found = rehearse(write(tmp_path, code), {**RUN, "n": 2, "many": list(range(99))})
    assert [refusal.keys for refusal in found.refusals] == [(("n",),)]


def test_results_are_kept(write, tmp_path):
    tree, folder = write(tmp_path / "tree", "def main_of(cfg):\n    assert cfg.n == 1\n"), tmp_path / "cache"
    config = {**RUN, "n": 2}
    fresh = rehearse(tree, config, folder=folder)
    (kept,) = folder.iterdir()
    assert rehearse(Tree(tree.root), config, folder=folder).refusals == fresh.refusals != ()
    kept.write_text('{"refusals": 1}', encoding="utf-8")
    assert rehearse(tree, config, folder=folder).refusals == fresh.refusals
    assert rehearse(tree, {**RUN, "n": 1}, folder=folder).refusals == ()
