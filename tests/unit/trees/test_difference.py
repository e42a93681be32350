"""Keys that are new, gone, moved, or read in another way."""

import json

import pytest

from vlac import cli
from vlac.rlinf import versions
from vlac.rlinf.reads import Run, Tree, read_tree
from vlac.rlinf.trees import key_reads, version_reads
from vlac.rlinf.trees.difference import LIKELY, POSSIBLE, SURE, difference
from vlac.rlinf.trees.key_reads import KeyReads, ReadPlace
from vlac.rlinf.trees.show import to_text

SCRIPT = """
import hydra
from rlinf.config import main_of

@hydra.main(version_base="1.1", config_path="config", config_name="a")
def main(cfg):
    cfg.runner.task_type
    main_of(cfg)
"""
CONFIG = "runner:\n  task_type: sft\nactor:\n  model:\n    model_type: openpi\n"
BEFORE = "def main_of(cfg):\n    cfg.a.b\n    cfg.a.c\n    cfg.d.get('e')\n"
METHOD = """class A:
    def m(self, cfg):
        def inner():
            pass
        cfg.a

def main_of(cfg):
    A().m(cfg)
"""
AFTER = "\n\ndef main_of(cfg):\n    cfg.a.get('b')\n    cfg.x.c\n    cfg.d.get('f')\n"


def reads(*rows):
    """Reads from `key kind file function`."""
    keys = {}
    for row in rows:
        key, kind, file, function = row.split()
        place = ReadPlace(file, len(keys) + 1, function)
        keys.setdefault(tuple(key.split(".")), {})[kind] = (place,)
    return KeyReads(keys, {})


def write(folder, code):
    files = {"rlinf/config.py": code, "examples/sft/train.py": SCRIPT, "examples/sft/config/a.yaml": CONFIG}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_equal_reads_whatever_their_lines():
    one, other = reads("a.b strict f.py g"), reads("x.y strict f.py g", "a.b strict f.py g")
    assert difference(one, KeyReads({("a", "b"): other.keys["a", "b"]}, {})).is_empty


def test_new_and_gone():
    found = difference(
        reads("a strict f.py g", "b strict f.py g"), reads("b strict f.py g", "c.d strict h.py k")
    )
    assert set(found.new) == {("c", "d")} and set(found.gone) == {("a",)}
    assert not found.moved and not found.is_empty


def test_read_in_another_way():
    found = difference(reads("a.b strict f.py g"), reads("a.b defaulted f.py g"))
    before, now = found.changed["a", "b"]
    assert set(before) == {"strict"} and set(now) == {"defaulted"}


@pytest.mark.parametrize(
    ("old", "new", "surety"),
    [
        ("a.b strict f.py g", "x.b strict f.py g", SURE),
        ("a.b strict f.py g", "x.b strict f.py h", LIKELY),
        ("a.b strict f.py g", "x.b strict other.py g", LIKELY),
        ("a.b strict f.py g", "x.b strict other.py h", POSSIBLE),
        ("a.b strict f.py g", "a.c strict f.py g", LIKELY),
        ("a.b strict f.py g", "a.c defaulted f.py g", POSSIBLE),
        ("a.b strict f.py g", "x.c strict f.py g", None),
        ("a.b strict f.py g", "a.c strict f.py h", None),
    ],
)
def test_moved(old, new, surety):
    moved = difference(reads(old), reads(new)).moved
    assert [move.surety for move in moved] == ([surety] if surety else [])


def test_the_nearest_of_several_is_the_one_that_moved():
    old = reads("a.m.b strict f.py g")
    new = reads("x.b strict f.py h", "x.m.b strict f.py h")
    found = difference(old, new)
    assert [move.new for move in found.moved] == [("x", "m", "b")]
    assert set(found.new) == {("x", "b")}


def test_words_are_compared_where_both_know_them():
    one = KeyReads({}, {"schedulers": ("a", "b"), "model_types": ("m",)})
    other = KeyReads({}, {"schedulers": ("b", "c"), "task_types": ("t",)})
    found = difference(one, other)
    assert {name: (words.new, words.gone) for name, words in found.words.items()} == {
        "schedulers": (("c",), ("a",))
    }
    assert to_text(found) == "schedulers: new c; gone a\n"


def test_places_have_their_functions(tmp_path):
    tree = Tree(write(tmp_path, METHOD))
    found = key_reads.key_reads(tree, read_tree(tree, Run("sft", "openpi", "fsdp")))
    assert found.keys["a",] == {"strict": (ReadPlace("rlinf/config.py", 5, "A.m"),)}
    assert found.keys["runner", "task_type"]["strict"][0].function == "main"
    assert key_reads.from_json(json.loads(json.dumps(key_reads.to_json(found)))) == found


@pytest.mark.parametrize("version", versions.VERSIONS.values(), ids=lambda version: version.name)
def test_the_committed_reads(version):
    for run in version_reads.RUNS:
        found = version_reads.version_reads(version, run)
        places = found.keys["actor", "model", "model_path"]["strict"]
        assert all(place.file.startswith("rlinf/") and place.function for place in places)
        assert "cosine" in found.words["schedulers"]


def test_the_command(tmp_path, capsys):
    before, after = write(tmp_path / "before", BEFORE), write(tmp_path / "after", AFTER)
    command = ["reads", "--no-cache", "--rlinf", str(after), "--against"]
    assert cli.main([*command, str(before)]) == 1
    out = capsys.readouterr().out
    assert "  a.c -> x.c  sure: both are read in main_of of rlinf/config.py\n" in out
    assert "  d.e -> d.f  likely: " in out
    assert "  a.b  strict -> defaulted  rlinf/config.py:4\n" in out
    assert cli.main([*command, str(before), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["equal"] is False and document["run"]["against"] == str(before)
    assert {"key": "x.c", "before": "a.c", "surety": "sure"}.items() <= document["moved"][0].items()
    assert cli.main([*command, str(after)]) == 0
    assert capsys.readouterr().out.startswith("the same keys are read in the same ways")


def test_the_command_against_a_version(tmp_path, capsys):
    command = ["reads", "--no-cache", "--rlinf", str(write(tmp_path, BEFORE)), "--against"]
    assert cli.main([*command, "0.3"]) == 1
    assert "  a.b " in capsys.readouterr().out
    assert cli.main([*command, "0.9"]) == 1
    assert "0.9 is no known version and no folder" in capsys.readouterr().err
    assert cli.main([*command, "0.3", "--backend", "megatron"]) == 1
    assert "--against PATH" in capsys.readouterr().err
