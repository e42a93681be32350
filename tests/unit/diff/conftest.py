"""Compiled bundles, and patches to hold beside them."""

from importlib.resources import files
from pathlib import Path

import pytest

import vlac
from vlac.diff.compute import compute
from vlac.patches.parse import parse

SPEC = """\
vlac: 1
name: pi05-libero10-sft
rlinf: {path: /workspace/RLinf, version: VERSION}
model: {family: pi05, weights: /data/pi05_base}
data:  {path: /data/libero10, config: pi05_libero}
hardware: {backend: ascend, device: 910B3, cards: 8}
train: {steps: 30000, micro_batch: 4, global_batch: 128, lr: 2.5e-5, warmup_steps: 1000}
"""


def one_file(path, *lines, heading=""):
    """A patch of one file with one hunk; each line begins with its mark."""
    before = sum(line[0] != "+" for line in lines)
    after = sum(line[0] != "-" for line in lines)
    head = [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}"]
    return "\n".join([*head, f"@@ -1,{before} +1,{after} @@ {heading}", *lines, ""])


@pytest.fixture
def patch_text():
    return one_file


@pytest.fixture(scope="session")
def spec_text():
    return SPEC.replace("VERSION", '"0.3"')


@pytest.fixture(scope="session")
def compiled():
    """a bundle of the shipped pi0.5 spec; `extra` are more lines of the spec."""

    def run(version="0.3", extra="", sets=(), backend=None):
        text = SPEC.replace("VERSION", f'"{version}"') + extra
        return vlac.compile_text(text, folder=Path("/"), sets=sets, backend=backend)

    return run


@pytest.fixture(scope="session")
def shipped():
    data = files("vlac.patches").joinpath("rlinf-openpi-sft-pi05-8card.patch").read_bytes()
    return parse(data, "shipped.patch")


@pytest.fixture(scope="session")
def bundle(compiled):
    return compiled()


@pytest.fixture
def compared(bundle):
    """The comparison of a patch of one file with a bundle."""

    def run(path, *lines, heading="", beside=None):
        patch = parse(one_file(path, *lines, heading=heading).encode(), "p.patch")
        return compute(patch, beside or bundle)

    return run


@pytest.fixture
def judged(compared):
    """The one difference that a patch of one file makes beside a bundle."""

    def run(*args, **kwargs):
        (difference,) = compared(*args, **kwargs).differences
        return difference

    return run
