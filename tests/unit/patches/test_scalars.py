"""A patch's scalars mean what OmegaConf reads."""

import pytest
from omegaconf import OmegaConf

from vlac.patches.scalars import read_plain

TEXTS = """
    ~ null Null NULL true True TRUE yes Yes on ON off no NO y n tRue
    0 7 -7 +7 012 0o14 0x1F -0x1f 0b101 1_000 1:30 -1:30 09
    1.0 -1.5 +2.5 1. .5 -.5 1e5 1e-5 2.5e-05 1E+5 1.5e3 .5e+3 .5e3 1_0.5 1:30.5 .inf -.inf +.INF
    0-7 0:0-7 1.2.3 pi05_libero ../results /data/x 2026-01-01 ${a.b} bf16 1e 0.3.0 --- 12:99
    """.split()  # noqa: SIM905  (a list of sixty quoted texts reads worse)


@pytest.mark.parametrize("text", TEXTS)
def test_a_plain_scalar_is_read_as_omegaconf_reads_it(text):
    expected = OmegaConf.to_container(OmegaConf.create(f"key: {text}"))["key"]
    value = read_plain(text)
    assert (value, type(value)) == (expected, type(expected))


def test_the_empty_scalar_is_null_and_nan_is_a_number():
    assert read_plain("") is None
    nan = read_plain(".nan")
    assert isinstance(nan, float) and nan != nan
