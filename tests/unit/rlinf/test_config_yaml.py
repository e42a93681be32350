"""config.yaml comes back from OmegaConf as the plan had it, in value and in type."""

from __future__ import annotations

import io
import math
import string

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.config_yaml import UncarriableError, check, check_key, emit

ORIGIN = Origin(Layer.RLINF, "test")


def text_of(leaves):
    return emit({path: Setting(value, ORIGIN) for path, value in leaves.items()}, name="n")


def read(data: bytes):
    config = OmegaConf.to_container(OmegaConf.load(io.StringIO(data.decode())), resolve=False)
    assert config.pop("hydra")["run"] == {"dir": "."}
    return config


def shown(value):
    return ascii(value)[:40]


def typed(value):
    """A value that differs from another where a type or the sign of a zero does."""
    if isinstance(value, dict):
        return {("key", key): typed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [typed(item) for item in value]
    if isinstance(value, float):
        return (float, value, math.copysign(1, value))
    return (type(value), value)


def survives(value) -> bool:
    return typed(read(text_of({("section", "key"): value}))) == typed({"section": {"key": value}})


TRAPS = [
    "0-7", "1:30", "190:20:30", "no", "NO", "On", "y", "N", "yes", "012", "0o12", "1e-05", "2.5e-05",
    "1_000", "0x1F", "0b1", "+1", "-1", ".5", "1.", "1e5", "1E+5", "", " ", " a", "a ", "null", "Null",
    "~", "true", "FALSE", ".inf", "-.INF", ".nan", "inf", "nan", "2026-12-01", "2026-12-01 10:00:00", "=",
    "<<", "-", "- a", "?", "? a", ":", "a: b", "a:", "a #b", "#a", "&a", "*a", "!a",
    "!!python/object/apply:os.system [id]", "|", ">", "%a", "@a", "`a`", "{a: 1}", "[1]", "a, b", "'a'",
    '"a"', "it's", "back\\slash", "\\", "\\n", "---", "...", "a\nb", "a\r\nb", "\t", "\x00", "\x07",
    "\x1b[31m", "\x7f", "\x80", "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "a\ufeffb", "\ufffe",
    "\uffff", "\U0001ffff", "中文", "数据/集", "🤖", "é", "e\u0301", "\u202e", "a" * 5000, "a b " * 1000,
    "${oc.env:VLAC_SPEC_DIR}/data", "${actor.model.precision}", "a ${b.c} d ${e}", "$", "$HOME", "$(id)",
    "{", "}", "????", "??? ", "actor,env,rollout", "file:///x", "https://h:80/p?q=1#f", "C:\\data", "~/x",
    "./x", "../x",
]  # fmt: skip
NUMBERS = [
    0, 1, -1, 8, 10**18, -(10**30), 10**4000, True, False, None, 0.0, -0.0, 1.0, 0.5, 1e-05, 2.5e-05,
    1e-8, 1e16, 1e22, 1.5e300, -1e-300, 5e-324, 0.1 + 0.2, 1234567.0,
]  # fmt: skip


@pytest.mark.parametrize("value", [*TRAPS, *NUMBERS], ids=shown)
def test_a_value_comes_back_with_its_type(value):
    assert check(value) is None
    assert survives(value)
    assert survives([value, [value], {"k": value}])


@pytest.mark.parametrize(
    "key", [key for key in TRAPS if len(key) < 900] + ["a.b", "[0]", "1", "1.5", "${a", "???"], ids=shown
)
def test_a_key_comes_back_as_text(key):
    assert check_key(key) is None
    assert read(text_of({("s", key): 1, ("s2", "k"): {key: {key: 2}}})) == {
        "s": {key: 1},
        "s2": {"k": {key: {key: 2}}},
    }


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("???", "missing"),
        ("\ud800", "surrogate"),
        ("a\udfffb", "surrogate"),
        (math.inf, "finite"),
        (-math.inf, "finite"),
        (math.nan, "finite"),
        (b"bytes", "bytes"),
        ({1, 2}, "set"),
        ({1: 2}, "no text"),
        ({True: 2}, "no text"),
        ({None: 2}, "no text"),
        ({"\udc00": 2}, "surrogate"),
        ({"k" * 1001: 2}, "longer"),
        (["ok", {"deep": [math.nan]}], "finite"),
        ("${", "well-formed"),
        ("${}", "well-formed"),
        ("${a b}", "well-formed"),
        ("${a..b}", "well-formed"),
        ("${a${b}}", "well-formed"),
        ("${r:(x)}", "well-formed"),
        ("x ${a} ${b", "well-formed"),
        ("\\${a}", "backslash"),
    ],
)
def test_what_cannot_be_carried_is_said_and_never_written(value, reason):
    assert reason in (check(value) or "")
    with pytest.raises(UncarriableError, match=reason):
        text_of({("key",): value})


def test_an_integer_is_carried_as_far_as_python_converts_it():
    assert survives((1 << 14_000) - 1)
    assert survives(-((1 << 14_000) - 1))
    assert "digits" in (check(1 << 14_000) or "")


def test_a_literal_that_looks_like_an_interpolation_is_refused():
    assert "interpolation" in (check("/data/${x}", interpolations=False) or "")
    assert "interpolation" in (check(["a", {"b": "${"}], interpolations=False) or "")
    assert check("/data/$x", interpolations=False) is None


def test_nesting_is_carried_to_the_limit_and_refused_beyond():
    def nested(levels):
        value = "x"
        for _ in range(levels):
            value = {"k": [value]}
        return value

    assert survives(nested(15))
    assert "levels" in (check(nested(17)) or "")
    with pytest.raises(UncarriableError, match="levels"):
        text_of({tuple("abcdefghij"): nested(15)})


INTERPOLATIONS = [
    "${a}", "${ a.b }", "${.a}", "${...a_b}/x.safetensors", "${a[0].b}", "${[a].b}", "${a.${b}}",
    "${${a}}", "${not:${algorithm.recompute_logprobs}}", "${oc.decode:${oc.env:DATA_PATH}}/a",
    "${oc.env:A,/path/to/b}", "${int_div:${multiply:${a.b}, ${c.d}}, ${e}}", "${oc.select:a.b,c.d}",
    "${a}${b}", "$${a}", "${r:}", "${cluster.component_placement.actor,env,rollout}",
    "${oc.env:A,'a } b'}", '${oc.env:A, "x y" }', "中${a}文", "${oc.env:A,null}",
    "${oc.env:URL,http://h:80/x}", "line\nbreak ${a}",
]  # fmt: skip


@pytest.mark.parametrize("text", INTERPOLATIONS)
def test_interpolations_stay_interpolations(text):
    assert check(text) is None
    assert survives(text)
    assert OmegaConf.is_interpolation(OmegaConf.load(io.StringIO(text_of({("k",): text}).decode())), "k")


@given(st.text(alphabet=list("${}${}ab.:,[]0 '\"\\-/=(中\n"), max_size=14).map(lambda text: "${" + text))
def test_whatever_is_accepted_as_an_interpolation_loads(text):
    if check(text) is None:
        assert survives(text)


PIECES = [
    "${",
    "}",
    "a",
    ".",
    "oc.env",
    ":",
    ",",
    "[",
    "]",
    " ",
    "'",
    '"',
    "b",
    "0",
    "-",
    "${a}",
    "${r:",
    "中",
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join).map(lambda text: "${" + text + "}"))
def test_whatever_is_accepted_as_a_nested_interpolation_loads(text):
    if check(text) is None:
        assert survives(text)


characters = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from(
        "\x00\x07\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe\uffff🤖中 \n\r\t:#,-?'\"\\{}[]&*!|>%@`~=<"
    ),
)
texts = st.one_of(
    st.text(characters, max_size=12),
    st.text(string.digits + "+-._:eExXobnN ~TZ", max_size=8),
    st.sampled_from(TRAPS),
)
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(texts.filter(lambda k: len(k) < 99), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_any_value_comes_back_or_is_refused(value):
    if check(value) is None:
        assert survives(value)
    else:
        with pytest.raises(UncarriableError):
            text_of({("k",): value})


@given(texts)
def test_a_text_is_refused_for_a_known_reason_only(text):
    refused = check(text) is not None
    assert refused == (text == "???" or ("${" in text and text not in TRAPS))


@given(
    st.dictionaries(
        texts.filter(lambda k: len(k) < 99 and k not in ("hydra", "defaults")),
        scalars,
        min_size=1,
        max_size=4,
    )
)
def test_any_key_comes_back_as_text(mapping):
    carried = {key: value for key, value in mapping.items() if check(value) is None}
    assert typed(read(text_of({(key,): value for key, value in carried.items()}))) == typed(carried)


def test_sections_keep_the_order_of_their_first_appearance():
    leaves = {
        ("b", "z"): 1,
        ("a",): [],
        ("b", "x"): {},
        ("c", "d", "e"): ["tensorboard", {"p": 1, "q": [1, [2]]}],
    }
    lines = text_of(leaves).decode().splitlines()
    assert lines[0].startswith("# Compiled by vlac from the spec")
    assert lines[lines.index("b:") :] == [
        "b:", "  z: 1", "  x: {}", "a: []", "c:", "  d:", "    e:", "      - tensorboard", "      - p: 1",
        "        q:", "          - 1", "          - - 2",
    ]  # fmt: skip


def test_the_hydra_node_comes_first_and_its_name_is_reserved():
    lines = [line for line in text_of({("a",): 1}).decode().splitlines() if not line.startswith("#")]
    assert lines[0] == "hydra:"
    for key in ("hydra", "defaults"):
        with pytest.raises(UncarriableError, match="Hydra"):
            text_of({(key, "run"): 1})


def test_a_leaf_below_a_leaf_is_refused():
    with pytest.raises(UncarriableError, match="below a leaf"):
        text_of({("a", "b"): 1, ("a",): {"c": 2}})


def test_a_subclass_is_written_as_its_plain_value():
    class Text(str):
        def __str__(self):
            return "other"

    class Number(float):
        def __repr__(self):
            return "other"

    assert read(text_of({("a",): Text("plain"), ("b",): Number(1.5)})) == {"a": "plain", "b": 1.5}


@pytest.mark.parametrize("value", [1e-05, 2.5e-05, -1e-8, 1e16, 1.5e300, 5e-324, 1.0, -0.0])
def test_a_float_is_one_for_readers_of_yaml_1_1_too(value):
    assert typed(yaml.safe_load(text_of({("k",): value}))["k"]) == typed(value)
