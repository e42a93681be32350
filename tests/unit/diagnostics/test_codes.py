"""The catalogue of codes."""

import re
from pathlib import Path

import pytest

from vlac.diagnostics.codes import CODES, explain

SPEC = Path(__file__).parents[3] / "vlac" / "spec"


def test_every_code_of_the_spec_is_explained():
    used = set()
    for path in SPEC.glob("*.py"):
        used |= set(re.findall(r'"((?:spec|yaml|argument)-[a-z0-9-]+)"', path.read_text(encoding="utf-8")))
    assert len(used) > 40
    assert used - set(CODES) == set()


def test_explanations_are_paragraphs():
    for code, text in CODES.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert text == text.strip()
        assert text.endswith(".")
        assert not re.search(r"^ ", text, re.MULTILINE)


def test_a_code_has_one_explanation():
    with pytest.raises(AssertionError):
        explain({"yaml-tab": "Again."})
