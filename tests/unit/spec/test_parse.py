"""From text to nodes: positions, limits, and nothing that hangs."""

import time

import pytest

from vlac.spec.parse import parse
from vlac.spec.source import Source, plain_value


def read(text):
    return parse(Source("spec.yaml", text, "spec"))


def value(text):
    root, problems = read(text)
    assert problems == []
    return plain_value(root)


def code(text):
    _, problems = read(text)
    return [problem.code for problem in problems]


def test_values_of_every_kind():
    text = "a: {b: [1, 2.5, null, yes], 'c': \"x\\ty\"}\nd: |\n  one\n  two\ne: >-\n  three\n  four\n"
    assert value(text) == {
        "a": {"b": (1, 2.5, None, "yes"), "c": "x\ty"},
        "d": "one\ntwo\n",
        "e": "three four",
    }


def test_keys_are_texts_as_written():
    assert value("1: a\ntrue: b\n0x1: c\nnull: d") == {"1": "a", "true": "b", "0x1": "c", "null": "d"}


def test_all_line_breaks_keep_positions():
    root, problems = read("a: 1\r\nb: 2\rc: 3\n\nd: 5\r")
    assert problems == []
    assert [key.line for key, _ in root.entries.values()] == [0, 1, 2, 4]
    assert [key.excerpt for key, _ in root.entries.values()] == ["a: 1", "b: 2", "c: 3", "d: 5"]


def test_positions_count_characters():
    root, _ = read("x-注释: {备注: 中文, b: 1}\n")
    inner = root.entries["x-注释"][1]
    assert str(inner.entries["b"][0].position) == "spec.yaml:1:16"


def test_an_alias_is_at_its_own_place():
    root, _ = read("x-lr: &lr 5\nlr: *lr\n")
    assert str(root.entries["lr"][1].position) == "spec.yaml:2:5"
    assert root.entries["lr"][1].value == 5


def test_one_place_for_each_duplicate():
    _, problems = read("a: {b: 1, b: 2, b: 3}\na: 4\n")
    assert [str(problem.position) for problem in problems] == [
        "spec.yaml:1:11",
        "spec.yaml:1:17",
        "spec.yaml:2:1",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * 65, ["yaml-depth"]),
        ("&a " + "[" * 63 + "]" * 63, []),
        ("a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40, ["yaml-depth"]),
        ("[" + "x, " * 10_001 + "]", ["yaml-too-many-nodes"]),
        ("a: &a [b]\nc: *d\n", ["yaml-alias"]),
        ("a: &a [*a]\n", ["yaml-alias"]),
        ("%YAML 1.2\n---\na: 1\n...\n", []),
        ("a: &b !!int 3\n", ["yaml-tag"]),
        ('"\\UFFFFFFFF"', ["yaml-syntax"]),
        ("a: x\ufeffy", ["yaml-character"]),
        ("a: \x1b[31m", ["yaml-character"]),
    ],
)
def test_what_is_refused(text, expected):
    assert code(text) == expected


def test_an_alias_bomb_is_cheap():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in range(1, 30):
        bomb += f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n"
    start = time.process_time()
    assert code(bomb) == ["yaml-too-many-nodes"]
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "text",
    [
        "# x\n" * 32500,
        "a: " + "x" * 125000,
        "a: '" + "x''" * 37500,
        "a: |\n" + "  x\n" * 31250,
        "- " * 62500,
        "? " * 62500,
        "{" * 125000,
        "a: \n" * 31250,
        "a" * 62500 + ": 1",
        '"' + "\\x41" * 31250 + '"',
        "&a " * 41250,
        "!t " * 41250,
        "a: " + "x \n " * 31250,
        "\n" * 125000,
        "%A b\n" * 25000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_an_eighth_of_a_mebibyte_of_anything_ends(text):
    start = time.process_time()
    read(text)
    assert time.process_time() - start < 4
