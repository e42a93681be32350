"""Every signature, found in the log of a training in which it is buried."""

from __future__ import annotations

import zlib

import pytest

from tests.unit.diagnose.samples import SAMPLES, printed
from tests.unit.diagnose.scenes import CONSEQUENCES, Scene
from vlac import adapter_registry
from vlac.diagnose import diagnose
from vlac.diagnose.catalogue import patterns, signatures
from vlac.diagnose.show import MOST_LINES, as_text

ALL = {signature.id: signature for signature in signatures()}
OF_KIND = {
    kind: [signature.id for signature in ALL.values() if signature.kind == kind]
    for kind in ("cause", "consequence", "warning", "noise")
}


def backend_of(name: str) -> str:
    """The backend whose row it is; vlac's own rows go through all of them."""
    prefix = name.partition("-")[0]
    return prefix if prefix in CONSEQUENCES else sorted(CONSEQUENCES)[len(name) % len(CONSEQUENCES)]


def scene(name: str, seed: int = 0) -> Scene:
    return Scene(zlib.crc32(name.encode()) + seed, backend_of(name))


@pytest.mark.parametrize("name", OF_KIND["cause"])
def test_a_cause_is_found_before_what_follows_from_it(tmp_path, name):
    _find_cause(tmp_path, name, 0)


@pytest.mark.real  # the same in other surroundings
@pytest.mark.parametrize("seed", range(1, 9))
def test_a_cause_is_found_wherever_it_is(tmp_path, seed):
    for name in OF_KIND["cause"]:
        _find_cause(tmp_path / name, name, seed)


def _find_cause(tmp_path, name, seed):
    it = scene(name, seed)
    it.fail(printed(SAMPLES[name]))
    it.write(tmp_path)
    found = diagnose([tmp_path], it.backend)
    assert (found.found, found.main.id) == ("cause", name)
    assert found.main.ranks == (it.victim,)
    assert any(pattern.fits(found.main.first.text) for pattern in patterns(it.backend))
    followed = {group.id for group in found.followed}
    assert CONSEQUENCES[it.backend] in followed or it.backend == name.partition("-")[0]
    assert "rlinf-dead-api-server" in followed
    text = as_text(found)
    assert len(text.splitlines()) <= MOST_LINES
    assert f"cause: {name} (rank {it.victim}" in text


@pytest.mark.parametrize("name", OF_KIND["consequence"])
def test_a_consequence_alone_is_called_one(tmp_path, name):
    it = scene(name)
    it.fail(printed(SAMPLES[name]), afterwards=False)
    it.write(tmp_path)
    found = diagnose([tmp_path], it.backend)
    assert (found.found, found.main.id) == ("consequence", name)
    assert as_text(found).startswith("consequence of something that is not in the log")


@pytest.mark.parametrize("name", OF_KIND["consequence"])
def test_a_consequence_gives_way_to_the_cause(tmp_path, name):
    it = scene(name)
    it.fail(printed(SAMPLES[name]), afterwards=False)
    it.say(it.victim ^ 1, printed(SAMPLES["machine-disk-full"]))
    it.write(tmp_path)
    found = diagnose([tmp_path], it.backend)
    assert (found.found, found.main.id) == ("cause", "machine-disk-full")
    assert name in {group.id for group in found.followed}


@pytest.mark.parametrize("name", OF_KIND["warning"])
def test_a_warning_is_no_cause(tmp_path, name):
    it = scene(name)
    it.fail(printed(SAMPLES[name]), afterwards=False, caught=False)
    it.write(tmp_path)
    found = diagnose([tmp_path], it.backend)
    assert (found.found, [group.id for group in found.warnings]) == ("warning", [name])
    it.say(it.victim, printed(SAMPLES["data-parquet"]))
    it.write(tmp_path)
    assert diagnose([tmp_path], it.backend).main.id == "data-parquet"


@pytest.mark.parametrize("name", OF_KIND["noise"])
def test_noise_is_passed_over(tmp_path, name):
    it = scene(name)
    it.fail(printed(SAMPLES[name]), afterwards=False, caught=False)
    it.write(tmp_path)
    found = diagnose([tmp_path], it.backend)
    assert found.found == "nothing"


def test_every_signature_has_a_sample():
    assert set(SAMPLES) == set(ALL)


def test_ids_are_unique_and_those_of_an_adapter_carry_its_name():
    assert len(ALL) == len(signatures())
    for backend in adapter_registry.BUILT_IN:
        rows = adapter_registry.find(backend).signatures
        assert all(row.id.startswith(f"{backend}-") for row in rows)


@pytest.mark.parametrize("backend", adapter_registry.BUILT_IN)
def test_no_pattern_hides_behind_an_earlier_one(backend):
    for pattern in patterns(backend):
        line = " x 12 ".join(pattern.parts)
        first = next(known for known in patterns(backend) if known.fits(line))
        assert first.signature is pattern.signature, line


def test_every_row_says_what_how_and_from_where():
    for row in ALL.values():
        assert len(row.what) > 20
        assert row.cure.endswith((".", ")"))
        assert row.source.strip()
        assert "\n" not in row.what + row.cure + row.source
        assert all(len(mark) >= 5 for text in row.patterns for mark in [max(text.split("..."), key=len)])
