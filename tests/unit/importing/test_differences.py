"""The overrides between two configurations turn one into the other."""

from hypothesis import given, settings
from hypothesis import strategies as st

from vlac.diagnostics import Position
from vlac.importing.differences import overrides_between
from vlac.importing.leaves import canonical, differing
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.compose.composition import flatten
from vlac.rlinf.overrides import _Overriding
from vlac.spec.loaded import Written

BASE = Origin(Layer.RLINF, "base")
PLACE = Position("spec.yaml", 1, 1)


def applied(overrides, present):
    work = _Overriding({key: Setting(value, BASE) for key, value in present.items()})
    for text, value in overrides.items():
        work.apply(text, Written(value, PLACE, "spec"))
    assert not work.found, (overrides, work.found)
    return {key: setting.value for key, setting in work.leaves.items()}


def leaves(nested):
    return dict(flatten(nested))


def between(present, wanted, apart=()):
    return overrides_between(leaves(present), leaves(wanted), apart)


VALUES = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from((1.0, 2.5, "a", "${a}", [1], [], {}))
NAMES = st.sampled_from(("a", "b", "c", "a b", "x.y"))
TREES = st.recursive(
    st.dictionaries(NAMES, VALUES, max_size=3),
    lambda inner: st.dictionaries(NAMES, VALUES | inner, max_size=3),
    max_leaves=8,
)


@given(TREES, TREES)
@settings(max_examples=40)
def test_any_configuration_becomes_any_other(present, wanted):
    present, wanted = leaves({"top": present, "k": 1}), leaves({"top": wanted, "k": 1})
    found = applied(overrides_between(present, wanted), present)
    assert not differing(found, wanted)


def test_a_changed_value_is_written_alone():
    assert between({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}) == {"a.c": 3}


def test_another_type_is_deleted_and_added():
    assert between({"a": {"b": 1, "c": 2}}, {"a": {"b": "x", "c": 2}}) == {"~a.b": None, "+a.b": "x"}
    assert between({"a": {"b": 1.5, "c": 2}}, {"a": {"b": 1, "c": 2}}) == {"~a.b": None, "+a.b": 1}


def test_null_and_interpolations_take_any_place():
    assert between({"a": 1, "b": None}, {"a": None, "b": "${a}"}) == {"a": None, "b": "${a}"}


def test_sections_that_are_gone_or_new_are_one_entry():
    assert between({"a": {"b": 1, "c": 2}, "k": 1}, {"k": 1}) == {"~a": None}
    assert between({"k": 1}, {"a": {"b": 1, "c": {"d": 2}}, "k": 1}) == {"+a": {"b": 1, "c": {"d": 2}}}


def test_a_new_section_with_a_comment_is_written_key_by_key():
    assert between({"k": 1}, {"a": {"b": 1, "c": 2}, "k": 1}, {("a", "c")}) == {"+a.b": 1, "+a.c": 2}


def test_a_section_in_the_place_of_a_value_and_back():
    assert between({"a": {"b": 1}, "k": 1}, {"a": 5, "k": 1}) == {"~a": None, "+a": 5}
    assert between({"a": 5, "k": 1}, {"a": {"b": 1}, "k": 1}) == {"~a": None, "+a.b": 1}


def test_values_are_equal_with_their_types():
    assert canonical((1, 2)) == canonical([1, 2])
    assert canonical(1) != canonical(1.0)
    assert canonical(True) != canonical(1)
