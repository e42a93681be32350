"""Which files a run loads, and the verdicts on keys that the code reads in another way."""

import pytest

from vlac.diff.code_reads import TreeReads, referred
from vlac.diff.judge_reads import read_differences
from vlac.diff.target import target_of
from vlac.patches.changes import CodeChange
from vlac.rlinf.reads import Run
from vlac.rlinf.trees.difference import Difference, Moved
from vlac.rlinf.trees.key_reads import ReadPlace

FILES = {
    "rlinf/__init__.py": "",
    "rlinf/config.py": "import rlinf.later\n",
    "rlinf/later.py": "def f():\n    from rlinf.lazily import g\n",
    "rlinf/lazily.py": "NAME = 'rlinf.named:Class'\n",
    "rlinf/named.py": "",
    "rlinf/seen_by_types.py": "",
    "rlinf/apart.py": "import rlinf.config\n",
    "examples/sft/train_vla_sft.py": """\
import hydra
from typing import TYPE_CHECKING
from rlinf import config
if TYPE_CHECKING:
    from rlinf import seen_by_types

@hydra.main(config_path="config")
def main(cfg):
    print(cfg.runner.task_type, cfg.actor.model.is_lora, cfg.actor.get("x"))
""",
    "examples/sft/config/a.yaml": "runner:\n  task_type: sft\nactor:\n  model:\n    model_type: openpi\n",
}


@pytest.fixture
def reads(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return TreeReads(tmp_path, tmp_path, Run("sft", "openpi", "fsdp"), "main", referred(["${a.b}", 1]))


def test_what_the_script_may_load(reads):
    for name in ("config", "later", "lazily", "named"):
        assert reads.scanned(f"rlinf/{name}.py")
    for name in ("seen_by_types", "apart"):
        assert not reads.scanned(f"rlinf/{name}.py")


def test_keys_that_are_read(reads):
    assert reads.reads(("actor", "model", "is_lora"))
    assert reads.reads(("actor", "model"))
    assert reads.reads(("a", "b"))  # another key takes its value from it
    assert not reads.reads(("actor", "seed"))
    assert reads.strict_in("examples/sft/train_vla_sft.py", "is_lora") == ("examples/sft/train_vla_sft.py:9",)


LORA, UNKNOWN = ("actor", "model", "is_lora"), ("actor", "nobody")
PLACE = (ReadPlace("rlinf/x.py", 3, "f"),)


def difference(new=None, gone=None, changed=None, moved=()):
    return Difference(new or {}, gone or {}, moved, changed or {}, {})


STRICT, LENIENT = {"strict": PLACE}, {"defaulted": PLACE}


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (difference(changed={LORA: (LENIENT, STRICT)}), "same"),
        (difference(changed={UNKNOWN: (LENIENT, STRICT)}), "only in patch"),
        (difference(changed={LORA: (STRICT, LENIENT)}), "not needed"),
        (difference(changed={UNKNOWN: (STRICT, LENIENT)}), "only in patch"),
        (difference(new={LORA: STRICT}), "same"),
        (difference(new={UNKNOWN: STRICT}), "only in patch"),
        (difference(new={UNKNOWN: LENIENT}), "only in patch"),
        (difference(gone={UNKNOWN: LENIENT}), "not needed"),
        (difference(gone={LORA: STRICT}), "only in patch"),
        (difference(moved=(Moved(UNKNOWN, LORA, "sure", "why"),)), "same"),
        (difference(moved=(Moved(LORA, UNKNOWN, "sure", "why"),)), "only in patch"),
    ],
)
def test_verdicts_on_reads(bundle, found, verdict):
    (one,) = read_differences(found, (), target_of(bundle), {})
    assert one.verdict.value == verdict
    assert one.kind == "read"


def test_a_guard_that_says_it_already_is_not_told_twice(bundle):
    guard = CodeChange("rlinf/x.py", "guard", "is_lora", "", "", 1)
    found = difference(changed={LORA: (STRICT, LENIENT)})
    assert not [*read_differences(found, (guard,), target_of(bundle), {})]
