"""A diff applied to bytes: what it does not change stays byte for byte, line endings and all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.patching.conftest import AFTER, BEFORE, LINES, MODELS, changed, diff
from vlac.patches.parse import parse
from vlac.patching import change


@pytest.fixture
def one(patches):
    return patches.one.variants[0], patches.one.variants[0].files[0]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_there_and_back_again(one, ending):
    before, after = (text[MODELS].replace("\n", ending).encode() for text in (BEFORE, AFTER))
    assert change.after(*one, before) == after
    assert change.before(*one, after) == before


def test_lines_keep_their_own_endings(one):
    mixed = BEFORE[MODELS].encode().replace(b"line 3\n", b"line 3\r\n").replace(b"line 15\n", b"line 15\r\n")
    result = change.after(*one, mixed)
    assert b"line 3\r\n" in result
    assert b"line 4\nfive\nand a half\nline 6\n" in result
    assert b"line 14\nfifteen\r\nline 16\n" in result


def test_a_file_that_is_another_is_never_changed_in_silence(one):
    with pytest.raises(AssertionError, match="does not make of"):
        change.after(*one, BEFORE[MODELS].replace("line 1\n", "other\n").encode())


def test_whether_the_lines_are_there(one):
    assert change.fits(*one, b"more\n" + LINES.encode() + b"and more\n")
    assert not change.fits(*one, LINES.replace("line 5\n", "line five\n").encode())
    assert not change.fits(*one, AFTER[MODELS].encode())
    assert not change.fits(*one, b"")


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["\n", "\r\n"]), min_size=20, max_size=20))
def test_any_mixture_of_endings_differs_in_the_changed_lines_alone(endings):
    file = parse(diff((MODELS,)).encode(), "x.patch").files[0]
    lines = [f"line {number}{ending}" for number, ending in enumerate(endings, 1)]
    result = change._changed(file, "".join(lines).encode(), "+").decode()
    assert result.replace("\r\n", "\n") == changed(LINES)
    for number, line in enumerate(lines, 1):
        assert number in (5, 15) or line in result
