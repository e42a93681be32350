import json
import math
import os
from pathlib import Path

import pytest

from tests.unit.doctor import makers
from tests.unit.doctor.conftest import STATISTICS
from vlac.doctor.norm_stats import norm_stats
from vlac.doctor.subject import Subject
from vlac.models.data_configs import DATA_CONFIGS
from vlac.models.data_needs import ASSETS, data_needs, uses_quantiles
from vlac.models.norm_stats import norm_stats_files


def examined(folder, **changes):
    return list(norm_stats(Subject(makers.launch(folder, **changes))))


def test_statistics_that_fit(run_folder):
    [finding] = examined(run_folder)
    assert finding.what == f"{run_folder / STATISTICS} (data loader and model): state 8, actions 7"


def test_missing_ones_are_told_with_the_path_that_is_read(run_folder):
    (run_folder / STATISTICS).rename(run_folder / "data/norm_stats.json")
    [finding] = examined(run_folder)
    assert (finding.state, finding.code) == ("fail", "doctor-norm-stats-missing")
    assert str(run_folder / STATISTICS) in finding.what
    assert f"({run_folder}/data/norm_stats.json is not read)" in finding.what
    assert "vlac norm-stats" in finding.fix


FAULTS = {
    "too few": (
        {"actions": 6},
        "doctor-norm-stats-size",
        "fail",
        "actions: the statistics have 6 entries, the data 7",
    ),
    "too many": ({"state": 14}, "doctor-norm-stats-size", "warning", "state: the statistics have 14 entries"),
    "narrow": (
        {"q01": [0.0] * 7, "q99": [1.0] * 6 + [0.0005]},
        "doctor-norm-stats-range",
        "warning",
        "actions: nearly constant (q99 - q01 below 0.001): [6]",
    ),
    "no quantiles": ({"q01": None}, "doctor-norm-stats-broken", "fail", "no q01 and q99 of actions"),
    "NaN": ({"mean": [math.nan] * 7}, "doctor-norm-stats-range", "fail", "NaN"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_told_once(run_folder, name):
    changes, code, state, words = FAULTS[name]
    makers.statistics(run_folder / STATISTICS, **changes)
    [finding] = examined(run_folder)
    assert (finding.code, finding.state) == (code, state)
    assert words in finding.what
    assert finding.fix


def test_padding_is_no_fault(run_folder):
    zero = {name: [0.2] * 7 + [0.0] * 25 for name in ("mean", "std", "q99")} | {
        "q01": [-0.9] * 7 + [0.0] * 25
    }
    makers.statistics(run_folder / STATISTICS, **zero)
    assert [finding.state for finding in examined(run_folder)] == ["ok"]


@pytest.mark.parametrize("text", ["", "{}", '{"norm_stats": {"state": {"mean": [1]}}}', '{"norm_stats": []}'])
def test_a_file_of_another_form(run_folder, text):
    (run_folder / STATISTICS).write_text(text)
    [finding] = examined(run_folder)
    assert (finding.code, finding.state) == ("doctor-norm-stats-broken", "fail")


def test_statistics_without_actions(run_folder):
    document = json.loads((run_folder / STATISTICS).read_text())
    del document["norm_stats"]["actions"]
    (run_folder / STATISTICS).write_text(json.dumps(document))
    [finding] = examined(run_folder)
    assert "no actions" in finding.what


def test_older_than_the_data(run_folder):
    info = run_folder / "data/meta/info.json"
    os.utime(run_folder / STATISTICS, (info.stat().st_mtime - 2 * 86400,) * 2)
    old = [finding for finding in examined(run_folder) if finding.state == "warning"]
    assert [finding.code for finding in old] == ["doctor-norm-stats-old"]
    assert "2.0 days older" in old[0].what


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("pi05_libero", {}, {"/w/physical-intelligence/libero": "data loader and model"}),
        (
            "pi0_robocasa_human",
            {},
            {
                "/w/daixianjie/robocasa_human_lerobot": "data loader",
                "/w/physical-intelligence/robocasa_all_human": "model",
            },
        ),
        ("pi05_libero", {"repo_id": "me/mine"}, {"/w/me/mine": "data loader and model"}),
        ("pi05_dualfranka_tcp_rot6d", {}, {"/d/set": "data loader", "/w": "model"}),
        ("pi05_libero", {"norm_stats_path": "/s/mine"}, {"/s/mine": "data loader and model"}),
        ("pi05_libero", {"norm_stats_path": "/s/mine/norm_stats.json"}, {"/s/mine": "data loader and model"}),
        ("unheard_of", {}, {}),
    ],
)
def test_where_they_are_read(name, options, expected):
    found = norm_stats_files(name, Path("/w"), "/d/set", options)
    assert {str(file.parent): reader for file, reader in found.items()} == expected


def test_every_data_config_has_its_needs():
    assert ASSETS.keys() == DATA_CONFIGS.keys()
    for name, config in DATA_CONFIGS.items():
        needs = data_needs(name, {})
        assert needs.state or needs.no_statistics, name
        assert needs.action_size in (None, config.action_dim), name


@pytest.mark.parametrize(
    ("name", "options", "delta"),
    [
        ("pi05_libero", {}, ()),
        ("pi05_libero", {"extra_delta_transform": True}, (6, -1)),
        ("pi0_libero", {}, (6, -1)),
        ("pi0_custom", {}, (9, -1)),
        ("pi0_custom", {"extra_delta_transform": True}, ()),
        ("pi0_aloha_robotwin", {}, (6, -1, 6, -1)),
    ],
)
def test_which_actions_become_relative(name, options, delta):
    assert data_needs(name, options).delta == delta


def test_features_that_options_name():
    given = {
        "state_key": "qpos",
        "wrist_image_key": "hand",
        "extra_view_image_key": "side",
        "task_key": "task",
    }
    needs = data_needs("pi05_rlt_maniskill_joint", given)
    assert (needs.images, needs.state, needs.prompt) == (("image", "hand", "side"), ("qpos",), "default")
    assert data_needs("pi05_rlt_maniskill_joint", {}).prompt == "option"


def test_who_is_normalised_by_quantiles():
    assert uses_quantiles("pi05_libero", "pi05", {})
    assert not uses_quantiles("pi0_libero", "pi0", {})
    assert uses_quantiles("pi05_behavior", "pi05", {})
    assert not uses_quantiles("pi05_behavior", "pi05", {"use_quantile_norm": False})
