"""Configs changed key by key: the value is new, every other character stays."""

import pytest
from omegaconf import OmegaConf

from vlac.diff.config_text import CannotEditError, with_value, without

TEXT = """\
# a config
runner:
  steps: 10  # how long
  loggers: ["a", "b"]
  paths:
    - /one
    - /two

  # about the rest
  rest:
    deep: {x: 1, y: 2}
    empty:
model:
  path: "/path/to"
  note: >
    two
    lines
"""


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (("runner", "steps"), 20),
        (("runner", "steps"), None),
        (("runner", "loggers"), ("c",)),
        (("runner", "paths"), ("/three", "a, b")),
        (("runner", "paths"), {"a": {"b, c": True}}),
        (("runner", "rest", "deep", "x"), 2.5e-05),
        (("runner", "rest", "empty"), "0-7"),
        (("runner", "new"), "yes"),
        (("runner", "rest", "a", "b"), 1),
        (("model", "path"), "/data/权重"),
        (("critic", "use"), False),
        (("cluster", "actor,env"), "0-7"),
    ],
)
def test_one_key_is_set_and_nothing_else(key, value):
    changed = with_value(TEXT, key, value)
    wanted = OmegaConf.to_container(OmegaConf.create(TEXT))
    section = wanted
    for part in key[:-1]:
        section = section.setdefault(part, {})
    section[key[-1]] = list(value) if isinstance(value, tuple) else value
    assert OmegaConf.to_container(OmegaConf.create(changed)) == wanted
    assert "# a config" in changed
    assert "# about the rest" in changed


def test_a_comment_beside_a_value_stays():
    assert "  steps: 20  # how long\n" in with_value(TEXT, ("runner", "steps"), 20)


@pytest.mark.parametrize("key", ["runner.steps", "runner.paths", "runner.rest.deep", "model.note"])
def test_one_key_is_taken_away(key):
    *above, last = key.split(".")
    wanted = OmegaConf.to_container(OmegaConf.create(TEXT))
    section = wanted
    for part in above:
        section = section[part]
    del section[last]
    changed = without(TEXT, tuple(key.split(".")))
    assert OmegaConf.to_container(OmegaConf.create(changed)) == wanted
    assert "# about the rest" in changed


@pytest.mark.parametrize(
    "edit",
    [
        lambda: without(TEXT, ("runner", "rest", "deep", "x")),  # one of several on a line
        lambda: without(TEXT, ("nothing",)),
        lambda: with_value(TEXT, ("runner", "rest", "deep", "z"), 1),
        lambda: with_value(TEXT, ("runner", "steps", "below"), 1),
        lambda: with_value("- a\n", ("a",), 1),
        lambda: with_value("a: [", ("a",), 1),
    ],
)
def test_what_is_written_otherwise_is_left_alone(edit):
    with pytest.raises(CannotEditError):
        edit()
