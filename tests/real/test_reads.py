"""The reader on real checkouts: what it finds, and vlac's built-in tables beside what the trees accept."""

import pytest

from vlac.models.data_configs import known_names
from vlac.rlinf import versions
from vlac.rlinf.reads import Run, Tree, enumerations, read_tree

pytestmark = pytest.mark.real
VERSIONS = ["0.3", "a4b6abe20", "main"]
each_checkout = pytest.mark.parametrize("checkout", VERSIONS, indirect=True)
each_version = pytest.mark.parametrize(
    ("checkout", "version"), [(v, v) for v in VERSIONS], indirect=["checkout"]
)


@each_checkout
def test_what_openpi_sft_reads(checkout):
    reads = read_tree(Tree(checkout), Run("sft", "openpi", "fsdp"))
    strict, written = reads.of_kind("strict"), reads.of_kind("written")
    assert reads.entries == ("examples/sft/train_vla_sft.py",)
    assert {read.name for read in strict.values()} >= {
        "actor.global_batch_size",
        "actor.model.is_lora",
        "actor.model.model_path",
        "actor.optim.adam_beta1",
        "runner.logger",
    }
    files = {place.file for place in strict["actor", "model", "is_lora"].places}
    assert files == {"rlinf/models/__init__.py", "rlinf/hybrid_engines/fsdp/strategy/fsdp.py"}
    assert ("actor", "fsdp_config", "sharding_strategy") in written
    assert all(read.key[-1] != "warmup_style" for read in reads.reads)
    assert not reads.unread


@each_checkout
def test_places_hold_the_key(checkout):
    tree = Tree(checkout)
    for read in read_tree(tree, Run("sft", "openpi", "fsdp")).of_kind("strict").values():
        for place in read.places:
            lines = tree.sources[place.file].decode().splitlines()
            assert read.key[-1] in lines[place.line - 1], (read.name, place)


@pytest.mark.parametrize(
    ("run", "script"),
    [
        (Run("sft", "qwen2.5_vl", "fsdp"), "examples/sft/train_vlm_sft.py"),
        (Run("sft", "qwen2.5_vl", "megatron"), "examples/sft/train_vlm_sft.py"),
        (Run("embodied", "openpi", "fsdp"), "examples/embodiment/train_embodied_agent.py"),
    ],
)
@pytest.mark.parametrize("checkout", ["0.3"], indirect=True)
def test_the_script_of_a_run(checkout, run, script):
    assert script in read_tree(Tree(checkout), run).entries


@each_version
def test_built_in_tables(checkout, version):
    accepted, known = enumerations(Tree(checkout)), versions.VERSIONS[version]
    assert set(known.schedules) <= set(accepted["schedulers"])
    assert {"tensorboard", "wandb", "swanlab"} == set(accepted["logger_backends"])
    assert set(known_names(version)) == set(accepted["openpi_configs"])
    assert {"sft", "embodied"} <= set(accepted["task_types"])
    assert {"openpi"} <= set(accepted["model_types"])
    assert {"full_shard", "no_shard"} <= set(accepted["sharding_strategies"])
