"""Every wrong spec in errors/ has the text beside it that a person sees. VLAC_REFRESH=1 writes the texts anew."""

import os
from pathlib import Path

import pytest

from vlac.diagnostics.codes import CODES
from vlac.diagnostics.render import render_text
from vlac.errors import SpecError
from vlac.spec.load import load

ERRORS = Path(__file__).parent / "errors"
CASES = sorted(path.stem for path in ERRORS.glob("*.yaml"))


def problems(path):
    with pytest.raises(SpecError) as caught:
        load(path)
    return caught.value.diagnostics


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_spec_is_told_as_committed(case):
    found = problems(ERRORS / f"{case}.yaml")
    text = render_text(found, prefix="", color=False)
    expected = ERRORS / f"{case}.txt"
    if os.environ.get("VLAC_REFRESH"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_each_message_is_one_line_in_plain_words_with_a_known_code(case):
    found = problems(ERRORS / f"{case}.yaml")
    for problem in found:
        assert "\n" not in problem.message
        assert problem.code in CODES
        assert problem.position is not None
        told = f"{problem.message} {problem.hint}"
        for word in ("pydantic", "Traceback", "validation error", "Input should be", "ruamel", "hunter"):
            assert word not in told
        assert "hunter" not in (problem.excerpt or "")
    places = [(problem.position, problem.message) for problem in found]
    assert len(set(places)) == len(places)


def test_no_text_is_left_without_its_spec():
    assert sorted(path.stem for path in ERRORS.glob("*.txt")) == CASES
