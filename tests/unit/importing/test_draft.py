"""The text of a spec that import writes: short, in order, and read back as it was."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlac.importing.comments import Comment
from vlac.importing.draft import Draft, text_of
from vlac.spec.load import load_text

FIELDS = {
    "train.lr": 2.5e-5,
    "rlinf.version": "0.3",
    "vlac": 1,
    "name": "t",
    "model.weights": "/w",
    "model.family": "pi05",
    "data.path": ("/a", "/b"),
    "data.config": "pi05_libero",
    "hardware.backend": "cpu",
    "hardware.cards": 2,
    "train.steps": 30000,
}


def read(draft):
    return load_text(text_of(draft), folder=Path("/"))


def test_a_section_is_a_line_in_the_order_of_the_documentation():
    assert text_of(Draft(FIELDS)) == (
        "vlac: 1\n"
        "name: t\n"
        'rlinf: {version: "0.3"}\n'
        "model: {family: pi05, weights: /w}\n"
        "data: {path: [/a, /b], config: pi05_libero}\n"
        "hardware: {backend: cpu, cards: 2}\n"
        "train: {steps: 30000, lr: 2.5e-5}\n"
    )


def test_comments_open_the_section_that_they_are_in():
    comments = {
        "train.lr": Comment(("# found by search", "# twice"), "# peak"),
        "a.b": Comment(beside="# mine"),
    }
    text = text_of(Draft(FIELDS, {"a.b": None}, comments))
    assert text.endswith(
        "train:\n  steps: 30000\n  # found by search\n  # twice\n  lr: 2.5e-5  # peak\n"
        "overrides:\n  a.b: null  # mine\n"
    )


def test_a_section_inside_an_open_one():
    fields = FIELDS | {"model.tune": "lora", "model.lora.rank": 8, "model.action_chunk": 5}
    draft = Draft(fields, comments={"model.lora.rank": Comment(beside="# small")})
    assert (
        "model:\n  family: pi05\n  weights: /w\n  tune: lora\n  lora:\n    rank: 8  # small\n  action_chunk: 5\n"
        in text_of(draft)
    )
    assert read(draft).last("model.action_chunk").value == 5


def test_long_lines_are_broken():
    overrides = {f"+actor.model.something_long_{number}": number for number in range(6)}
    text = text_of(Draft(FIELDS, overrides))
    assert text.count("\n  +actor") == 6


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1), inner, max_size=3),
    max_leaves=6,
)


def lists(value):
    if isinstance(value, dict):
        return {key: lists(item) for key, item in value.items()}
    return [lists(item) for item in value] if isinstance(value, (list, tuple)) else value


@given(VALUES)
@settings(max_examples=20)
def test_any_value_of_an_override_is_read_as_it_was(value):
    found = read(Draft(FIELDS, {"+x.y": value})).entries["overrides", "+x.y"].value
    assert repr(lists(found)) == repr(value)


@pytest.mark.parametrize(
    "text", ["no", "~", "1e-5", "012", "0-7", "a: b", "a #b", "${a.b}", "中文", "", "null", "a,b", "+1"]
)
def test_texts_that_look_like_something_else(text):
    found = read(Draft(FIELDS, {"+x": {"k": text, text or "e": 1}})).entries["overrides", "+x"].value
    assert found == {"k": text, text or "e": 1}
