"""Diagnostics as text, JSON and annotations."""

import json

import pytest

from vlac.diagnostics import Diagnostic, Position
from vlac.diagnostics.render import render_github, render_text, to_json


def problem(line="abc", column=1, **given):
    return Diagnostic(
        "some-code",
        given.pop("message", "wrong"),
        position=Position("a.yaml", 3, column),
        excerpt=line,
        **given,
    )


def text(*problems, prefix="", color=False):
    return render_text(problems, prefix=prefix, color=color)


def test_message_line_caret_and_hint():
    assert text(problem("train: {lr: x}", 13, hint="write a number")) == (
        "a.yaml:3:13: error[some-code]: wrong\n"
        "    train: {lr: x}\n"
        "                ^\n"
        "    hint: write a number\n"
    )


def test_without_position_line_or_hint():
    assert text(Diagnostic("c", "m", "warning")) == "warning[c]: m\n"
    assert text(problem(None)) == "a.yaml:3:1: error[some-code]: wrong\n"


@pytest.mark.parametrize(
    ("prefix", "place"),
    [("", "a.yaml"), ("x/y", "x/y/a.yaml"), ("x/", "x/a.yaml"), ("/", "/a.yaml"), ("..", "../a.yaml")],
)
def test_the_folder_goes_before_the_file(prefix, place):
    assert text(problem(), prefix=prefix).startswith(f"{place}:3:1: ")
    assert to_json([problem()], prefix)[0]["file"] == place


def test_an_argument_has_no_folder():
    written = Diagnostic("c", "m", position=Position("--set[2]", 1, 4), excerpt="a=b")
    assert text(written, prefix="x").startswith("--set[2]:1:4: ")
    assert render_github([written], prefix="x") == "::error title=c::m\n"


@pytest.mark.parametrize(
    ("line", "column", "cells"),
    [
        ("\ta: b", 5, 4),  # a tab is shown as one blank
        ("中文: b", 5, 6),  # wide characters take two cells
        ("ｱｱ: b", 5, 4),  # half-width ones take one
        ("e\u0301: b", 5, 3),  # a combining accent takes none
        ("\u200da: b", 5, 3),  # neither does a joiner
        ("ab", 3, 2),  # just behind the end
    ],
)
def test_the_caret_stands_below_its_character(line, column, cells):
    caret = text(problem(line, column)).splitlines()[2]
    assert caret == "    " + " " * cells + "^"


def test_a_long_line_is_cut_around_the_caret():
    shown, caret = text(problem("x" * 5000 + "Y" + "z" * 5000, 5001)).splitlines()[1:3]
    assert len(shown) < 150
    assert shown[caret.index("^")] == "Y"


def test_a_long_wide_line_is_cut_too():
    shown, caret = text(problem("中" * 5000 + "Y" + "z" * 5000, 5001)).splitlines()[1:3]
    assert shown.startswith("    ...")
    assert len(caret) < 140


def test_control_characters_never_reach_the_terminal():
    shown = text(problem("a\x1b[31m\u202eb", 1, message="bad \x1b]0;x\x07", hint="\x9b1m\nx"))
    assert not any(character in shown for character in "\x1b\x07\x9b\u202e")
    assert shown.count("\n") == 4


def test_color_is_all_that_color_adds():
    import re

    problems = (
        problem("train: x", 8, hint="h"),
        problem("a", 1, severity="warning"),
        Diagnostic("c", "m", "note"),
    )
    assert re.sub(r"\x1b\[[0-9;]*m", "", text(*problems, color=True)) == text(*problems)
    assert "\x1b" not in text(*problems)


def test_json_has_the_same_keys_always():
    full, bare = json.loads(json.dumps(to_json([problem(hint="h"), Diagnostic("c", "m", "note")], "")))
    assert list(full) == ["code", "severity", "file", "line", "column", "message", "hint"]
    assert (full["line"], full["column"], full["hint"]) == (3, 1, "h")
    assert list(bare) == list(full)
    assert (bare["file"], bare["line"], bare["column"], bare["hint"]) == (None, None, None, None)


def test_annotations_are_escaped():
    written = Diagnostic("c", "50 % of\r\nall", position=Position("a,b:c%.yaml", 1, 2), hint="h")
    assert render_github([written], prefix="") == (
        "::error file=a%2Cb%3Ac%25.yaml,line=1,col=2,title=c::50 %25 of%0D%0Aall%0Ah\n"
    )
    assert render_github([Diagnostic("c", "m", "note")], prefix="") == "::notice title=c::m\n"
    assert render_github([Diagnostic("c", "m", "warning")], prefix="") == "::warning title=c::m\n"
