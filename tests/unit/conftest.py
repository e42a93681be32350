"""A spec as a dictionary of lines, so that a test says only what it changes."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import vlac
from vlac.errors import SpecError

# How long an example takes says something about the machine, nothing about vlac.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

BASE = {
    "vlac": "1",
    "name": "t",
    "rlinf": '{version: "0.3"}',
    "model": "{family: pi05, weights: /w}",
    "data": "{path: /d, config: pi05_libero}",
    "hardware": "{backend: ascend, device: 910B3, cards: 8}",
    "train": "{steps: 1000}",
}


def text(**changes):
    return "".join(f"{key}: {value}\n" for key, value in (BASE | changes).items() if value is not None)


@pytest.fixture
def compiled():
    def compile_spec(sets=(), backend=None, **changes):
        return vlac.compile_text(text(**changes), folder=Path("/"), sets=sets, backend=backend)

    return compile_spec


@pytest.fixture
def refused(compiled):
    """Compile a spec that must be refused; returns its errors as {code: diagnostic}."""

    def refuse(**changes):
        with pytest.raises(SpecError) as caught:
            compiled(**changes)
        return {diagnostic.code: diagnostic for diagnostic in caught.value.diagnostics if diagnostic.is_error}

    return refuse
