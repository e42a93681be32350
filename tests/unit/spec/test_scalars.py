"""Plain scalars under the core schema of YAML 1.2."""

import math

import pytest

from vlac.spec.scalars import resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nUll", "nUll"),
        ("true", True), ("False", False), ("TRUE", True), ("yes", "yes"), ("on", "on"), ("no", "no"), ("y", "y"),
        ("0", 0), ("-7", -7), ("+7", 7), ("012", 12), ("0o17", 15), ("0x1F", 31), ("0b1", "0b1"),
        ("1_000", "1_000"), ("1:30", "1:30"), ("٣", "٣"), ("-", "-"), ("+", "+"), (".", "."),
        ("1e-5", 1e-5), ("3e4", 3e4), ("1.", 1.0), (".5", 0.5), ("-1.5E+3", -1500.0), ("1e", "1e"), ("1.2.3", "1.2.3"),
        (".inf", math.inf), ("-.INF", -math.inf), ("inf", "inf"), ("nan", "nan"), ("0-7", "0-7"), ("910B3", "910B3"),
    ],
)  # fmt: skip
def test_a_plain_scalar(text, value):
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


def test_not_a_number():
    assert math.isnan(resolve(".nan"))


def test_a_number_of_ten_thousand_digits_is_infinite_and_fits_nowhere():
    assert resolve("9" * 10_000) == math.inf
