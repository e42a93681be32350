"""`data.mix`: weighted data sets, for models whose loader mixes."""

from __future__ import annotations

import pytest

from vlac.errors import SpecError

SETS = (
    "runner:\n  task_type: embodied",
    "data: {train_data_paths: [{dataset_path: /path/to/a, weight: 1.0}]}\nrunner:\n  task_type: sft",
)
DREAMZERO = (
    "  model: {model_path: /path/to/model, precision: null}\n",
    "  model: {model_type: dreamzero, model_path: /m}\n",
)
MIX = "data:\n  mix:\n    - {path: /data/a, weight: 2%s}\n    - {path: ./b}\n"


def test_a_mix_becomes_the_list_that_the_loader_reads(compiled):
    bundle = compiled(MIX % ", config: libero_sim", SETS, DREAMZERO)
    assert bundle.config["data", "train_data_paths"].value == [
        {"dataset_path": "/data/a", "weight": 2.0, "embodiment_tag": "libero_sim"},
        {"dataset_path": "${oc.env:VLAC_SPEC_DIR}/b"},
    ]


def test_a_mix_without_configs_is_for_every_base_that_has_a_list(compiled):
    bundle = compiled(MIX % "", SETS)
    assert bundle.config["data", "train_data_paths"].value[0] == {"dataset_path": "/data/a", "weight": 2.0}
    with pytest.raises(SpecError, match="one config for all data sets"):
        compiled(MIX % ", config: libero_sim", SETS)


@pytest.mark.parametrize(
    ("mix", "code"),
    [
        ("[]", "spec-type"),
        ("[/data/a]", "spec-type"),
        ("[{weight: 1.0}]", "spec-type"),
        ("[{path: /data/a, weight: 0}]", "spec-type"),
        ("[{path: /data/a, wight: 1}]", "spec-type"),
        ("[{path: data/a/b}]", "spec-path"),
        ("[{path: /path/to/a}]", "spec-placeholder"),
    ],
)
def test_a_mix_of_another_shape_is_refused(compiled, mix, code):
    with pytest.raises(SpecError) as caught:
        compiled(f"data: {{mix: {mix}}}\n", SETS)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_path_and_mix_exclude_each_other(compiled):
    with pytest.raises(SpecError, match="twice"):
        compiled("data: {path: /data/a, mix: [{path: /data/b}]}\n", SETS)
