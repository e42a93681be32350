"""Turns the texts of two files into a patch, the way git does."""

import difflib
from textwrap import dedent

import pytest

from vlac.patches.meaning import changes
from vlac.patches.parse import parse
from vlac.rlinf.stock_configs import GROUP_FILES, known_layout


def heading_before(lines, index):
    """What git shows after the ranges: the last line above that starts with a letter."""
    return next((line for line in reversed(lines[:index]) if line[:1].isalpha()), "")


def make_patch(path, before, after, context=3):
    old, new = dedent(before).splitlines(), dedent(after).splitlines()
    text = []
    for line in difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=context, lineterm=""):
        if line.startswith("@@"):
            start = int(line.split()[1][1:].split(",")[0])
            line = f"{line} {heading_before(old, start - 1)}".rstrip()
        text.append(line)
    return "\n".join([f"diff --git a/{path} b/{path}", *text, ""]).encode()


@pytest.fixture
def changed():
    """The changes of one file between two texts."""

    def run(path, before, after, context=3):
        patch = parse(make_patch(path, before, after, context), "p.patch")
        return changes(patch, GROUP_FILES, known_layout())

    return run
