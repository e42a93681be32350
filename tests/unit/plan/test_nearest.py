import pytest

from vlac.plan.problems import nearest

BACKENDS = ("ascend", "cuda", "cpu")
DEVICES = ("910B1", "910B2", "910B3", "910B4", "910C")


@pytest.mark.parametrize("word", ["npu", "gpu", "nvidia"])
def test_another_kind_of_hardware_is_not_taken_for_the_cpu(word):
    assert nearest(word, BACKENDS) == "known: ascend, cuda, cpu"


@pytest.mark.parametrize(("word", "meant"), [("acsend", "ascend"), ("Ascend", "ascend"), ("cude", "cuda")])
def test_a_slip_is_told(word, meant):
    assert nearest(word, BACKENDS).startswith(f"did you mean {meant}? known: ")


@pytest.mark.parametrize("word", ["910b", "910B"])
def test_a_name_that_begins_several_is_told_with_all_of_them(word):
    assert nearest(word, DEVICES).startswith("did you mean 910B1 or 910B2 or 910B3 or 910B4? known: ")


def test_a_name_that_begins_nearly_all_is_no_guess():
    assert nearest("910", DEVICES) == "known: 910B1, 910B2, 910B3, 910B4, 910C"
