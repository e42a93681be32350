"""Whatever is read: a spec or a SpecError, in short time, and never a secret."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from vlac.diagnostics.codes import CODES
from vlac.diagnostics.render import render_github, render_text, to_json
from vlac.errors import SpecError
from vlac.spec.fields import FIELDS, SECTIONS
from vlac.spec.load import load, load_text
from vlac.spec.loaded import LoadedSpec

MANY = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))

KEYS = [row.path.rpartition(".")[2] for row in FIELDS] + [path.rpartition(".")[2] for path in SECTIONS]
words = st.sampled_from(
    [*KEYS, "learning_rate", "actor", "x-a", "x", "<<", "名", "lr ", "1", "null", "HF_TOKEN", "a.b", ""]
)
scalars = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.none(), st.text(max_size=8),
    st.sampled_from(["pi05", "0.3", "./a", "~/a", "/a", "sft", "never", "lora", "S", "cpu", "cosine"]),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


def flow(value):
    """The value as YAML in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'" if not value.isalnum() else value
    return "null" if value is None else str(value).lower()


def fine(problems):
    for problem in problems:
        assert problem.code in CODES, problem.code
        assert problem.position is not None
        assert problem.position.line >= 1
        assert problem.position.column >= 1
    text = render_text(problems, prefix="some/folder", color=True)
    assert text.count("\n") <= 4 * len(problems)
    render_github(problems, prefix="")
    to_json(problems, "")


def read(text, **given):
    try:
        loaded = load_text(text, folder=Path("/nonexistent"), **given)
    except SpecError as error:
        assert any(problem.is_error for problem in error.diagnostics)
        fine(error.diagnostics)
    else:
        assert isinstance(loaded, LoadedSpec)
        assert not any(problem.is_error for problem in loaded.diagnostics)


@MANY
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    with pytest.raises(SpecError) as caught:
        load(path)
    fine(caught.value.diagnostics)


@MANY
@given(st.text(max_size=200))
@example("\r")
@example("%YAML 9999999999999999999999.1\n---\n")
@example("a: !<\x85>")
@example('"\\U00110000"')
@example("!!str")
@example("&a *a : *a")
@example("- - - ? : -")
def test_any_text(text):
    read(text)


@MANY
@given(st.text(alphabet="ab:-?[]{}#&*!|>'\"%@`,~ \n\t\r<0\\\u2028名", max_size=60))
def test_any_text_of_the_signs_that_yaml_uses(text):
    read(text)


@MANY
@given(st.dictionaries(words, values, max_size=12))
def test_any_values_under_any_keys(document):
    read(flow(document))
    read("\n".join(f"{flow(key)}: {flow(value)}" for key, value in document.items()))


GOOD = """\
vlac: 1
name: a
rlinf: {version: 0.3}
model: {family: demo}
hardware: {backend: cpu, cards: 1}
train: {steps: 3}
"""


@MANY
@given(st.sampled_from([row.path for row in FIELDS]), values)
def test_any_value_for_any_field(path, value):
    read(GOOD, sets=[f"{path}={flow(value)}"])


@MANY
@given(st.lists(st.text(max_size=30), max_size=3), st.none() | st.text(max_size=10))
def test_any_command_line(sets, backend):
    read(GOOD, sets=sets, backend=backend)


@MANY
@given(st.integers(0, len(GOOD)), st.integers(0, 12), st.text(max_size=3))
def test_any_edit_of_a_good_spec(place, length, text):
    read(GOOD[:place] + text + GOOD[place + length :])


SECRET = "hunter2correcthorse"
TEMPLATES = [
    "secrets: {{{name}: {value}}}\n",
    "secrets:\n  {name}: {value}\n",
    "secrets:\n  - {name}: {value}\n",
    "secrets: {value}\n",
    "secrets: [OTHER, {value}-x]\n",
    "env: {{HF_TOKEN: {value}, {name}: [1]}}\n",
    "env:\n  MY_API_KEY: |\n    {value}\n  {name}: [1]\n",
    "env:\n  HF_TOKEN: {value}: b\n",
    "env:\n  HF_TOKEN: '{value}\n",
    "env:\n  HF_TOKEN: [{value}]\n",
    "env:\n  WANDB: {value}\n  WANDB: {value}\nsecrets: [WANDB]\n",
    "env: {{WANDB: {value}, A: [1]}}\nsecrets:\n  - WANDB\n",
    "env: {{WANDB: [{value}]}}\nsecrets: [WANDB]\n",
    "secrets: {{\n  {name}: {value}\n",
    "secret: {value}\n",
    "api_key: {value}\n",
]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", ["A", "WANDB_API_KEY", "名"])
def test_no_secret_is_repeated(template, name):
    text = GOOD + template.format(name=name, value=SECRET)
    with pytest.raises(SpecError) as caught:
        load_text(text, folder=Path("/nonexistent"))
    problems = caught.value.diagnostics
    told = (
        render_text(problems, prefix="", color=False) + render_github(problems, prefix="") + str(caught.value)
    )
    assert "hunter2" not in told
    assert "hunter2" not in str(to_json(problems, "")) + repr(problems)


@pytest.mark.parametrize(
    "argument",
    ["secrets={A: %s}", "secrets=%s", "env.HF_TOKEN=[%s]", "env={HF_TOKEN: %s, A: [1]}", "secrets=[%s-]"],
)
def test_no_secret_of_the_command_line_is_repeated(argument):
    with pytest.raises(SpecError) as caught:
        load_text(GOOD, folder=Path("/nonexistent"), sets=[argument % SECRET])
    assert "hunter2" not in repr(caught.value.diagnostics)
