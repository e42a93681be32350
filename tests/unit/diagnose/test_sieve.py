from __future__ import annotations

from tests.unit.diagnose.samples import SAMPLES, printed
from vlac.diagnose.catalogue import patterns
from vlac.diagnose.sieve import Sieve


def test_no_pattern_that_fits_is_lost():
    """Whatever the sieve remembers of lines like it, with other numbers in them."""
    sieve = Sieve(patterns())
    lines = [line for sample in SAMPLES.values() for line in printed(sample)]
    assert sum(any(pattern.fits(line) for pattern in patterns()) for line in lines) > 150
    for line in lines:
        sieve.likely(line.encode().translate(bytes.maketrans(b"0123456789", b"9012345678")))
        fitting = [pattern for pattern in patterns() if pattern.fits(line)]
        assert set(fitting) <= set(sieve.likely(line.encode()) or ()), line


def test_ordinary_lines_hold_nothing():
    sieve = Sieve(patterns())
    for line in (
        "[INFO 12:00:00 ActorGroup-Rank-3][a.py:1] batch 17 took 1.5 s",
        "",
        "Loading weights: 50%|###  | 1/2",
        "7 items of shared memory",
    ):
        assert sieve.likely(line.encode()) is None
    assert sieve.likely(b"ValueError: x") == ()


def test_what_is_remembered_is_bounded():
    sieve = Sieve(patterns())
    for number in range(30_000):
        sieve.likely("".join(chr(97 + int(digit)) for digit in str(number)).encode())
    sieve.likely(b"x" * 2_000_000)
    assert len(sieve._shapes) <= 20_000
    assert max(map(len, sieve._shapes)) <= 1000
