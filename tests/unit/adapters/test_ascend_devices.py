"""Cards are whole cards; a 910C holds two devices, each a rank."""

import pytest

HARDWARE = "{{backend: ascend, device: {}, cards: {}}}"


def test_eight_cards_of_a_910c_are_sixteen_ranks_and_it_says_so(compiled):
    bundle = compiled(hardware=HARDWARE.format("910C", 8))
    assert bundle.plan.integer("world_size") == 16
    (note,) = bundle.diagnostics
    assert (note.code, note.severity, note.position.column) == ("hardware-ranks", "note", 50)
    assert note.message == "8 cards of 910C: 16 ranks a node, each card is 2 devices"


def test_who_counts_devices_is_told_that_cards_are_counted(refused):
    found = refused(hardware=HARDWARE.format("910C", 16))
    assert found["hardware-too-many-cards"].hint == "write cards: 8 for 16 ranks"
    assert "whole cards" in found["hardware-too-many-cards"].message


def test_a_card_of_one_device_says_nothing(compiled):
    assert compiled(hardware=HARDWARE.format("910B3", 8)).diagnostics == ()


@pytest.mark.parametrize("name", ["Ascend910B3", "910B2C", "Ascend910_9391"])
def test_names_of_acl_and_npu_smi_may_be_written(compiled, name):
    assert compiled(hardware=HARDWARE.format(name, 8)).plan.device is not None
