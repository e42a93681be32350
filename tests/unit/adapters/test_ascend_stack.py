"""Which versions go together, and what they decide: the way in which transfer_to_npu gets into every process."""

import pytest

from vlac.plan.objections import stack_objections
from vlac_ascend.stack import STACK, numbers, older_than, release

HARDWARE = "{{backend: ascend, device: 910B3, cards: 8, stack: {}}}"


def judged(**versions):
    return [(o.severity, o.about[0]) for o in stack_objections(STACK, versions)]


def test_versions_are_in_the_order_of_their_makers():
    ordered = ["8.2.RC1", "8.3.RC1", "8.3.RC2", "8.3.0", "8.5.0", "9.0.0"]
    assert sorted(set(ordered), key=numbers) == ordered
    packages = ["2.6.0", "2.6.0.post3", "2.7.1", "2.7.1.post2", "2.7.1.post10", "2.10.0"]
    assert sorted(set(packages), key=numbers) == packages
    assert numbers("2.7.1+cpu") == numbers("2.7.1")


@pytest.mark.parametrize("row", STACK.rows, ids=lambda row: f"{row['cann']}-{row['torch_npu']}")
def test_every_row_fits_itself(row):
    versions = {**row, "python": "3.10"}
    assert [o for o in judged(**versions) if o[0] == "error"] == []
    assert ("warning", "python") not in judged(**versions)


@pytest.mark.parametrize(
    "versions",
    [
        {"cann": "8.3", "torch_npu": "2.7.1"},
        {"cann": "8.3.RC2", "torch_npu": "2.7.1", "torch": "2.7.1+cpu", "python": "3.11.9"},
        {"cann": "9.1", "torch_npu": "2.7.1.post8"},
        {"torch": "2.7.1"},
        {"python": "3.11"},
    ],
)
def test_what_was_tested_together_passes(versions):
    assert judged(**versions) == []


@pytest.mark.parametrize(
    ("versions", "blamed"),
    [
        ({"torch": "2.6.0", "torch_npu": "2.7.1"}, "torch"),
        ({"torch": "2.7.1+cu126", "torch_npu": "2.7.1"}, "torch"),
        ({"python": "3.9", "torch_npu": "2.9.0"}, "python"),
        ({"python": "3.14", "torch_npu": "2.7.1"}, "python"),
        ({"python": "2.7", "torch": "2.7.1"}, "python"),
    ],
)
def test_what_cannot_load_is_an_error(versions, blamed):
    assert judged(**versions) == [("error", blamed)]


def test_outside_of_the_table_is_a_warning_with_the_rows_that_match():
    (objection,) = stack_objections(STACK, {"cann": "9.0.0", "torch_npu": "2.7.1"})
    assert (objection.severity, objection.about[0]) == ("warning", "torch_npu")
    assert (
        "cann 9.0.0 goes with torch_npu 2.10.0 or 2.9.0.post2 or 2.8.0.post4 or 2.7.1.post4"
        in objection.instead
    )
    assert "torch_npu 2.7.1 goes with cann 8.3.RC1" in objection.instead
    (unknown,) = stack_objections(STACK, {"cann": "7.0"})
    assert unknown.instead.startswith("cann has 8.0.0 8.1.RC1")


def test_autocast_that_stays_off_is_told():
    assert judged(cann="8.2", torch_npu="2.6.0") == [("warning", "torch_npu")]
    assert judged(cann="8.3", torch_npu="2.6.0.post3") == []


@pytest.mark.parametrize(
    ("package", "least"),
    [
        ("2.6.0", (7, 1, 0)),
        ("2.7.1.post2", (7, 3, 0)),
        ("2.7.1.post3", (7, 3, 0)),
        ("2.7.1.post4", (26, 0, 0)),
        ("2.7.1.post9", (26, 1, 0)),
        ("2.10.0", (26, 0, 0)),
        ("2.13.0", (26, 1, 0)),
        ("1.11.0", (0,)),
    ],
)
def test_the_plugin_release_of_a_package(package, least):
    assert release(package) == least


def test_older_than_needs_to_know_the_version():
    assert older_than({"torch_npu": "2.7.1"}, "torch_npu", "26.0.0")
    assert not older_than({"torch_npu": "2.7.1.post4"}, "torch_npu", "26.0.0")
    assert not older_than({}, "torch_npu", "26.0.0")


WAYS = [
    ("{torch_npu: 2.7.1.post4}", "variable", True, False),
    ("{torch_npu: 2.13.0, torch: 2.13.0}", "variable", True, False),
    ('{cann: "8.3", torch_npu: 2.7.1}', "import hook", False, True),
    ('{cann: "8.3"}', "variable and import hook", True, True),
]


@pytest.mark.parametrize(("stack", "way", "variable", "hook"), WAYS)
def test_the_stack_chooses_the_way_into_every_process(compiled, stack, way, variable, hook):
    bundle = compiled(hardware=HARDWARE.format(stack))
    names = {v.name for v in bundle.plan.environment}
    assert bundle.plan.derived["injection"].value == way
    assert ("TORCH_TRANSFER_TO_NPU" in names, "bootstrap/sitecustomize.py" in bundle.files) == (
        variable,
        hook,
    )
    assert "RLINF_EXT_MODULE" in names
    assert "bootstrap/vlac_ascend_worker.py" in bundle.files


def test_without_a_stack_both_ways_are_taken(compiled):
    bundle = compiled()
    assert bundle.plan.derived["injection"].value == "variable and import hook"
    assert b"export TORCH_TRANSFER_TO_NPU=1" in bundle.files["run.env"]
    assert "bootstrap/sitecustomize.py" in bundle.files


def test_a_wrong_stack_is_told_at_its_place(refused):
    found = refused(hardware=HARDWARE.format("{torch: 2.6.0, torch_npu: 2.7.1}"))["stack-mismatch"]
    assert (found.position.column, found.hint) == (69, "write torch: 2.7.1")
    unknown = refused(hardware=HARDWARE.format("{canm: 8.3}"))["stack-component"]
    assert "cann" in unknown.hint
    assert refused(hardware=HARDWARE.format("{cann: latest}")).keys() == {"stack-version"}


def test_a_stack_on_a_backend_without_a_table_is_refused(refused):
    hardware = "{backend: cuda, device: H100, cards: 8, stack: {cuda: 12.8}}"
    assert refused(hardware=hardware).keys() == {"spec-field-refused"}


def test_another_backend_forgets_the_stack(compiled):
    bundle = compiled(hardware=HARDWARE.format('{cann: "8.3"}'), backend="cuda:H100")
    assert "hardware.stack" not in bundle.plan.settings


def test_what_the_stack_does_not_read_yet_is_a_warning(compiled):
    bundle = compiled(
        hardware=HARDWARE.format("{torch_npu: 2.7.1}"), env='{TORCH_NPU_DEVICE_CAPABILITY: "9.0"}'
    )
    (warning,) = bundle.diagnostics
    assert (warning.code, warning.severity) == ("env-rule", "warning")
    assert "from 26.0.0 on" in warning.message
