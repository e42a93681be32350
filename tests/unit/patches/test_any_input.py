"""Whatever stands in a patch: it is read, or refused with places; nothing else happens."""

import warnings
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlac.patches.meaning import changes
from vlac.patches.parse import PatchError, parse
from vlac.rlinf.stock_configs import GROUP_FILES, known_layout

SHIPPED = files("vlac.patches").joinpath("rlinf-openpi-sft-pi05-8card.patch").read_bytes()
LINES = SHIPPED.splitlines(keepends=True)


def read(data):
    try:
        return changes(parse(data, "p"), GROUP_FILES, known_layout())
    except PatchError as problem:
        assert problem.diagnostics
        assert all(found.position.line >= 1 for found in problem.diagnostics)
        return None


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_bytes(data):
    read(data)


@settings(max_examples=150, deadline=None)
@given(st.permutations(LINES), st.integers(0, len(LINES)))
def test_shuffled_lines(lines, kept):
    read(b"".join(lines[:kept]))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=30), max_size=6),
    st.sampled_from(["py", "sh", "yaml"]),
)
def test_any_lines_in_a_sound_hunk(lines, kind):
    name = f"config/x.{kind}"
    text = [
        f"--- a/{name}",
        f"+++ b/{name}",
        f"@@ -0,0 +1,{len(lines)} @@",
        *(f"+{line}" for line in lines),
        "",
    ]
    read("\n".join(text).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "text", ["[" * 3000, "a: " + "{b: " * 3000, "x: *nobody", "x: 0x_", "x: " + "9" * 5000, "\t: x", "? [a]"]
)
def test_nasty_yaml(text):
    read(f"--- a/config/x.yaml\n+++ b/config/x.yaml\n@@ -0,0 +1 @@\n+{text}\n".encode())


@pytest.mark.parametrize("text", ["(" * 3000, "x = '\\d'", "x = 1 \x00"])
def test_nasty_python(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(f"--- a/x.py\n+++ b/x.py\n@@ -0,0 +1 @@\n+{text}\n".encode())
