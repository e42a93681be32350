"""The table of fields agrees with itself, the model, the schema and the documents."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vlac.commands.schema import schema_text
from vlac.errors import SpecError
from vlac.spec.document import spec_document
from vlac.spec.fields import BY_PATH, FIELDS, GROUPS, RESERVED, SECTIONS
from vlac.spec.foreign_words import FIELD_OF, NOT_OFFERED, NOT_OFFERED_IN, SAID_OF
from vlac.spec.json_schema import json_schema
from vlac.spec.model import READ_ELSEWHERE, RunSpec
from vlac.spec.types import WORDS

ROOT = Path(__file__).parents[3]
GOOD = """\
vlac: 1
name: a
rlinf: {version: 0.3}
model: {family: demo}
hardware: {backend: cpu, cards: 1}
train: {steps: 3}
"""


def test_paths_are_there_once_and_in_known_sections():
    assert len(BY_PATH) == len(FIELDS)
    assert {row.section for row in FIELDS} <= {"", *SECTIONS}
    assert not set(BY_PATH) & set(SECTIONS)


def test_types_are_known():
    assert {row.type for row in FIELDS} <= set(WORDS)


def test_the_documentation_has_a_place_for_every_top_level_key():
    listed = [name for _, names in GROUPS for name in names]
    top = {row.path.split(".")[0] for row in FIELDS}
    assert sorted(listed) == sorted(top)
    assert not set(RESERVED) & top


def leaves(model, prefix=""):
    for name, field in model.model_fields.items():
        if hasattr(field.annotation, "model_fields"):
            yield from leaves(field.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name


def test_the_model_has_the_fields_of_the_table():
    expected = {row.path for row in FIELDS if not row.later} - READ_ELSEWHERE
    assert set(leaves(RunSpec)) == expected


def schema_leaves(schema, prefix=""):
    for name, inner in schema["properties"].items():
        if "properties" in inner:
            yield from schema_leaves(inner, f"{prefix}{name}.")
        else:
            yield prefix + name


def test_the_schema_has_the_fields_of_the_table():
    assert set(schema_leaves(json_schema())) == {row.path for row in FIELDS if not row.later}


@pytest.mark.parametrize(
    "row", [row for row in FIELDS if not row.later and row.path != "extends"], ids=lambda row: row.path
)
def test_the_example_of_a_field_is_accepted(read, row):
    beside_base = ["base=examples/a.yaml", "rlinf.path=/workspace/RLinf"]
    needs = {"model.lora.rank": ["model.tune=lora"], "hardware.placement": beside_base, "base": beside_base}
    loaded = read(
        GOOD,
        sets=[*needs.get(row.path, []), f"{row.path}={row.example}"] if row.path != "model.family" else [],
    )
    if row.path != "patches":
        assert loaded.written[row.path]


@pytest.mark.parametrize(
    "row", [row for row in FIELDS if row.default not in (None, ())], ids=lambda row: row.path
)
def test_the_default_of_a_field_is_accepted(read, row):
    text = json.dumps(row.default)
    assert read(GOOD, sets=[f"{row.path}={text}"]).last(row.path).value == row.default


@pytest.mark.parametrize("row", [row for row in FIELDS if row.later], ids=lambda row: row.path)
def test_a_field_for_later_is_one_clear_error(codes, row):
    ((_, code),) = codes(GOOD, sets=[f"{row.path}={row.example}"])
    assert code == "spec-later"


def test_hints_name_fields_and_no_field_is_foreign():
    assert set(FIELD_OF.values()) <= set(BY_PATH)
    assert not {*FIELD_OF, *SAID_OF, *NOT_OFFERED} & {*BY_PATH, *SECTIONS}
    assert not set(NOT_OFFERED_IN) & set(BY_PATH)
    assert len(FIELD_OF) >= 25


@pytest.mark.parametrize("word", [*FIELD_OF, *SAID_OF, *NOT_OFFERED])
def test_a_foreign_word_is_one_message_with_a_hint(read, word):
    with pytest.raises(SpecError) as caught:
        read(GOOD + f"{word}: 1\n")
    (problem,) = caught.value.diagnostics
    assert problem.code in ("spec-foreign-word", "spec-not-offered")
    assert problem.hint


@pytest.mark.parametrize("row", [row for row in FIELDS for key in row.keys], ids=lambda row: row.path)
def test_a_key_of_rlinf_is_answered_with_its_field(read, row):
    for key in row.keys:
        with pytest.raises(SpecError) as caught:
            read(GOOD + f"{key}: 1\n")
        (problem,) = caught.value.diagnostics
        assert f"`{row.key}`" in problem.hint


def test_the_committed_schema_and_document_are_those_of_the_table():
    assert (ROOT / "specs/spec-v1.schema.json").read_text(encoding="utf-8") == schema_text()
    assert (ROOT / "docs/spec.md").read_text(encoding="utf-8") == spec_document()


def test_the_generator_finds_everything_up_to_date():
    command = [sys.executable, str(ROOT / "scripts/generate_docs.py"), "--check"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_the_document_names_every_field():
    text = spec_document()
    assert [row.path for row in FIELDS if f"`{row.path}`" not in text] == []


def validator():
    return pytest.importorskip("jsonschema").Draft202012Validator(json_schema())


def as_json(text):
    from vlac.spec.parse import parse
    from vlac.spec.source import Source, plain_value

    root, problems = parse(Source("a", text, "spec"))
    assert problems == []
    return json.loads(json.dumps(plain_value(root)))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD + "x-notes: [1]\nenv: {A: 1, B: null, C: true}\noverrides: {a.b: [1]}\nsecrets: [S]\n",
        GOOD + "checkpoints: {every: never}\nfsdp: {version: 2}\nlogging: {backends: [wandb]}\noutput: ./x\n",
        "extends: base.yaml\ntrain: {lr: 1}\n",
    ],
)
def test_the_schema_accepts(text):
    assert [error.message for error in validator().iter_errors(as_json(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        "name: a\n",
        GOOD + "lr: 1\n",
        GOOD.replace("cards: 1", "cards: 0"),
        GOOD.replace("cards: 1", 'cards: "1"'),
        GOOD.replace("demo", "gpt"),
        GOOD.replace("steps: 3", "steps: 3, lr: 0"),
        GOOD.replace("steps: 3", "steps: 3, betas: [1, 0]"),
        GOOD.replace("vlac: 1", "vlac: 2"),
        GOOD + "secrets: {A: b}\n",
        GOOD + "env: {1A: b}\n",
        GOOD + "output: results\n",
        GOOD + "base: x\n",
    ],
)
def test_the_schema_refuses(text):
    assert list(validator().iter_errors(as_json(text)))
