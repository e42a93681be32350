"""An adapter of a third party has rules, values and a table of versions of its own."""

from vlac.adapters import Adapter, Component, Objection, Setup, Stack, Variable
from vlac.plan.objections import broken_rules, stack_objections, wrong_values
from vlac.variable_values import Choice, Form, Integer


def two_moons(setup):
    """Two moons need the long night."""
    if setup.variables.get("MOONS") == "2" and setup.nodes == 1:
        yield Objection(("MOONS",), "two moons over one node", "write 1")


MOON = Adapter(
    name="mooncard",
    summary="Mooncards",
    placement="devices",
    collective="mccl",
    variables=(
        Variable("MOONS", "1", "driver", "it works only then", "handbook", takes=Integer(1, 2)),
        Variable(
            "PHASE",
            None,
            "driver",
            "it works without",
            "handbook",
            takes=Choice(("new", "full")),
            default="new",
        ),
        Variable("TIDE", None, "node", "it works without", "handbook", takes=Form(r"[hl]+", "h and l")),
    ),
    rules=(two_moons,),
    stack=Stack(
        (Component("os", "moon OS", str.startswith), Component("driver", "driver", str.startswith)),
        ({"os": "1", "driver": "a"}, {"os": "2", "driver": "b"}),
        "handbook",
    ),
)


def test_values_are_held_against_the_table():
    wrong = {"MOONS": "3", "PHASE": "half", "TIDE": "x", "OTHER": "?"}
    found = list(wrong_values(MOON, wrong))
    assert [o.about[0] for o in found] == ["MOONS", "PHASE", "TIDE"]
    assert found[0].message == "MOONS takes a whole number 1 to 2, not '3'"
    hints = [o.instead for o in found]
    assert hints == [
        "leave it out: vlac sets 1",
        "leave it out: new holds then",
        "leave it out: it need not be set",
    ]
    assert list(wrong_values(MOON, {"MOONS": "2", "PHASE": "full", "TIDE": "hl"})) == []


def test_rules_see_the_whole_setup():
    assert len(list(broken_rules(MOON, Setup({"MOONS": "2"})))) == 1
    assert list(broken_rules(MOON, Setup({"MOONS": "2"}, nodes=2))) == []


def test_versions_are_held_against_the_rows():
    assert stack_objections(MOON.stack, {"os": "1.5", "driver": "a7"}) == ()
    (mixed,) = stack_objections(MOON.stack, {"os": "1.5", "driver": "b"})
    assert (mixed.severity, mixed.about) == ("warning", ("driver", "os"))
    assert mixed.instead == "os 1.5 goes with driver a; driver b goes with os 2"


def test_a_number_is_digits_alone():
    seconds = Integer(0, 10)
    assert [
        text for text in ("0", "10", "11", "-1", "1.0", "", " 1", "1e1", "\u0661") if seconds.holds(text)
    ] == ["0", "10"]
