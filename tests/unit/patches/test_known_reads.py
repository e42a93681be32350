"""What vlac knows about the reads of each RLinf version."""

import pytest

from vlac.rlinf.known_reads import known_reads, why_unread
from vlac.rlinf.stock_configs import LIBERO_SFT_OPENPI
from vlac.rlinf.versions import VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_has_reads_of_its_commit(version):
    assert VERSIONS[version].commit.startswith(known_reads(version).commit)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_dead_in_a_stock_configuration(version):
    reads = known_reads(version)
    dead = [".".join(key) for key in LIBERO_SFT_OPENPI.leaves if not reads.reads(key)]
    assert sorted(dead) == ["actor.model.use_proprio", "actor.optim.warmup_style", "actor.seed"]


@pytest.mark.parametrize("version", VERSIONS)
def test_is_lora_is_read_strictly_in_two_files(version):
    files = {place.rpartition(":")[0] for place in known_reads(version).strict["is_lora"]}
    assert files == {"rlinf/models/__init__.py", "rlinf/hybrid_engines/fsdp/strategy/fsdp.py"}


def test_a_version_without_data_is_a_key_error():
    with pytest.raises(KeyError):
        known_reads("0.1")


def test_dead_keys_have_a_reason_where_one_is_known():
    assert "lr_scheduler" in why_unread(("actor", "optim", "warmup_style"))
    assert why_unread(("actor", "optim", "lr")) == ""
