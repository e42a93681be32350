"""Keys of overrides."""

import pytest

from vlac.spec.override_keys import OverrideKeyError, override_key, parse_override_key


@pytest.mark.parametrize(
    ("text", "operation", "path"),
    [
        ("a", "set", ("a",)),
        ("a.b.c", "set", ("a", "b", "c")),
        ('a."b.c"', "set", ("a", "b.c")),
        ("a.'b c'.d", "set", ("a", "b c", "d")),
        ("a[0].b", "set", ("a", 0, "b")),
        ("a[0][12]", "set", ("a", 0, 12)),
        ("+a.b", "add", ("a", "b")),
        ("~a.b", "delete", ("a", "b")),
        ("c.placement.actor,env,rollout", "set", ("c", "placement", "actor,env,rollout")),
        ('c.placement."actor,env,rollout"', "set", ("c", "placement", "actor,env,rollout")),
        ("a.0", "set", ("a", "0")),
        ("a.b-c_d/e", "set", ("a", "b-c_d/e")),
        ('"+a"', "set", ("+a",)),
    ],
)  # fmt: skip
def test_keys(text, operation, path):
    key = parse_override_key(text)
    assert (key.operation, key.path) == (operation, path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "~",
        ".",
        "a.",
        ".a",
        "a..b",
        "a[",
        "a[]",
        "a[x]",
        "a[-1]",
        "[0]",
        'a."b',
        'a.""',
        "a b",
        "a.${b}",
        "a=b",
        "++a",
        "a[0]b",
        "a:b",
        "a[9999999]",
    ],
)
def test_no_keys(text):
    with pytest.raises(OverrideKeyError) as caught:
        parse_override_key(text)
    assert caught.value.hint


@pytest.mark.parametrize("operation", ["set", "add", "delete"])
@pytest.mark.parametrize(
    "path", [("a", "b.c"), ("a b", "actor,env"), ("+a",), ("0", "~"), ('say "x"', "[0]")]
)
def test_a_written_key_reads_as_it_was(operation, path):
    key = parse_override_key(override_key(operation, path))
    assert (key.operation, key.path) == (operation, path)


@pytest.mark.parametrize("part", ["", "\"'"])
def test_a_part_that_no_text_can_name(part):
    with pytest.raises(OverrideKeyError):
        override_key("set", ("a", part))
