"""Keys that another RLinf version calls otherwise."""

from dataclasses import replace

import pytest

from vlac.plan.origins import Layer, Origin, Setting

CONFIG = "examples/sft/config/mine.yaml"
LINES = ("   openpi_data:", "+    assets_dir: /a")
OLD, NEW = ("actor", "openpi_data", "assets_dir"), ("actor", "model", "openpi_data", "assets_dir")


@pytest.fixture
def with_option(compiled):
    def make(version, key, value):
        bundle = compiled(version)
        setting = Setting(value, Origin(Layer.SPEC, "the spec"))
        return replace(bundle, config={**bundle.config, key: setting})

    return make


def test_a_key_of_an_older_version_is_held_against_its_new_name(judged, with_option):
    item = judged(CONFIG, *LINES, heading="actor:", beside=with_option("main", NEW, "/a"))
    assert (item.name, item.verdict.value) == ("actor.openpi_data.assets_dir", "same")
    assert "RLinf calls it actor.model.openpi_data.assets_dir since main@a3816b596" in item.judgement.reason
    other = judged(CONFIG, *LINES, heading="actor:", beside=with_option("main", NEW, "/b"))
    assert (other.verdict.value, other.judgement.bundle) == ("differs", "/b")


def test_a_key_of_a_newer_version_beside_an_older_one(judged, with_option):
    lines = ("   model:", "     openpi_data:", "+      assets_dir: /a")
    item = judged(CONFIG, *lines, heading="actor:", beside=with_option("0.3", OLD, "/a"))
    assert item.verdict.value == "same"


def test_a_key_that_kept_its_name_is_not_called_moved(judged, with_option):
    item = judged(CONFIG, *LINES, heading="actor:", beside=with_option("0.3", OLD, "/a"))
    assert item.verdict.value == "same"
    assert "calls it" not in item.judgement.reason
