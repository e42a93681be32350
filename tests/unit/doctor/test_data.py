import json

import pytest

from tests.unit.doctor import makers
from vlac.doctor.data import data
from vlac.doctor.data_files import files
from vlac.doctor.dataset import read
from vlac.doctor.subject import Subject

GOOD = {"ok", "not checked"}
FIRST = "data/chunk-000/episode_000000.parquet"


def examined(folder, **changes):
    return list(data(Subject(makers.launch(folder, **changes))))


def codes(findings):
    return {finding.code: finding for finding in findings if finding.state not in GOOD}


def change_info(folder, **changes):
    file = folder / "data/meta/info.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def change_features(folder, changes):
    info = json.loads((folder / "data/meta/info.json").read_text())
    features = {name: feature for name, feature in {**info["features"], **changes}.items() if feature}
    change_info(folder, features=features)


@pytest.mark.usefixtures("needs_pyarrow")
def test_a_whole_v2_set_is_well(run_folder):
    found = examined(run_folder)
    assert {finding.state for finding in found} == {"ok"}
    said = "\n".join(finding.what for finding in found)
    assert "3 episodes, 36 frames, 10 frames a second" in said
    assert "lerobot 0.1.0 reads v2.1" in said
    assert "timestamps of 3 sampled episodes are 0.1 s apart" in said
    assert "an epoch is 4 steps of 8 samples" in said


@pytest.mark.usefixtures("needs_pyarrow")
def test_a_whole_v3_set_is_well(run_folder, software):
    makers.dataset_3(run_folder / "v3")
    software(lerobot="0.4.1", lerobot_format="v3.0", datasets="4.1.0")
    found = examined(run_folder, data="{path: ./v3, config: pi05_libero}")
    assert {finding.state for finding in found} == {"ok"}
    assert any("2 data files are there" in finding.what for finding in found)


def test_without_pyarrow_columns_are_not_checked(run_folder, monkeypatch):
    from vlac.doctor import parquet

    def missing():
        raise parquet.MissingPyarrow

    monkeypatch.setattr(parquet, "pyarrow_parquet", missing)
    [unseen] = [finding for finding in examined(run_folder) if finding.state == "not checked"]
    assert (unseen.what, unseen.fix) == (
        "timestamps: pyarrow is not installed",
        "pip install 'vla-compiler[data]'",
    )


def empty(folder):
    (folder / "data" / FIRST).write_bytes(b"")


def pointer(folder):
    (folder / "data" / FIRST).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")


def cut_off(folder):
    file = folder / "data" / FIRST
    file.write_bytes(file.read_bytes()[:-2])


def no_parquet(folder):
    (folder / "data" / FIRST).write_bytes(b"<html>404 not found</html>")


def gone(folder):
    (folder / "data" / FIRST).unlink()


def stranger(folder):
    makers.write_parquet(folder / "data/data/chunk-000/episode_000007.parquet", {"a": [1]})


def no_tasks(folder):
    (folder / "data/meta/tasks.jsonl").write_text("")


def empty_task(folder):
    makers.write_jsonl(folder / "data/meta/tasks.jsonl", [{"task_index": 0, "task": " "}])


def torn_episodes(folder):
    (folder / "data/meta/episodes.jsonl").write_text('{"episode_index": 0, "len')


DAMAGES = {
    "empty": (empty, "doctor-data-files", "fail", "1 of 3 data files are empty"),
    "pointer": (pointer, "doctor-data-files", "fail", "Git LFS pointers"),
    "cut off": (cut_off, "doctor-data-files", "fail", "cut off"),
    "another kind": (no_parquet, "doctor-data-files", "fail", "no parquet"),
    "gone": (gone, "doctor-data-files", "fail", "missing: data/chunk-000/episode_000000.parquet"),
    "one too many": (stranger, "doctor-data-files", "warning", "belong to no episode"),
    "no tasks": (no_tasks, "doctor-data-tasks", "fail", "no tasks"),
    "an empty task": (empty_task, "doctor-data-tasks", "warning", "1 of 1 tasks have no text"),
    "torn": (torn_episodes, "doctor-data-meta", "fail", "meta/episodes.jsonl is no JSON"),
    "fewer frames": (
        lambda folder: change_info(folder, total_frames=99),
        "doctor-data-counts",
        "fail",
        "total_frames is 99, but meta/ lists 36 frames",
    ),
    "more episodes": (
        lambda folder: change_info(folder, total_episodes=4),
        "doctor-data-counts",
        "fail",
        "total_episodes is 4",
    ),
    "old": (
        lambda folder: change_info(folder, codebase_version="v1.6"),
        "doctor-data-format",
        "fail",
        "codebase_version v1.6",
    ),
    "nearly as old": (
        lambda folder: change_info(folder, codebase_version="v2.0"),
        "doctor-data-format",
        "warning",
        "v2.0",
    ),
    "a pattern of no version": (
        lambda folder: change_info(folder, data_path="data/{episode}.parquet"),
        "doctor-data-meta",
        "fail",
        "data_path is no pattern",
    ),
    "a camera is missing": (
        lambda folder: change_features(folder, {"wrist_image": None, "hand_image": {"dtype": "image"}}),
        "doctor-data-features",
        "fail",
        "pi05_libero reads features that the data set has not: wrist_image",
    ),
    "an image is a vector": (
        lambda folder: change_features(folder, {"image": {"dtype": "float32", "shape": [8]}}),
        "doctor-data-features",
        "fail",
        "image is float32",
    ),
    "another robot": (
        lambda folder: change_features(folder, {"actions": {"dtype": "float32", "shape": [14]}}),
        "doctor-data-size",
        "warning",
        "the action of the data set has 14 entries; RLinf's configs with pi05_libero act with 7",
    ),
    "too wide": (
        lambda folder: change_features(folder, {"state": {"dtype": "float32", "shape": [44]}}),
        "doctor-data-size",
        "fail",
        "44 entries, more than the 32",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_is_told_once_with_a_cure(run_folder, name):
    damage, code, state, words = DAMAGES[name]
    assert not codes(examined(run_folder)), "whole at first"
    damage(run_folder)
    found = codes(examined(run_folder))
    assert list(found) == [code]
    assert found[code].state == state
    assert words in found[code].what
    assert found[code].fix


def test_the_cure_of_pointers_is_a_command(run_folder):
    pointer(run_folder)
    assert codes(examined(run_folder))["doctor-data-files"].fix == f"git -C {run_folder}/data lfs pull"


@pytest.mark.usefixtures("needs_pyarrow")
def test_timestamps_that_are_not_1_over_fps_apart(run_folder):
    change_info(run_folder, fps=30)
    found = codes(examined(run_folder))
    assert "frames come at 10 a second, and fps says 30" in found["doctor-data-time"].what


@pytest.mark.usefixtures("needs_pyarrow")
def test_a_dropped_frame(run_folder):
    table = makers.columns(makers.LIBERO, 0, 12, 10, 0)
    table["timestamp"][6:] = [time + 0.1 for time in table["timestamp"][6:]]
    makers.write_parquet(run_folder / "data" / FIRST, table)
    found = codes(examined(run_folder))
    assert "1 of 3 sampled episodes: episode 0: " in found["doctor-data-time"].what


@pytest.mark.usefixtures("needs_pyarrow")
def test_rows_against_the_length_of_an_episode(run_folder):
    makers.write_parquet(run_folder / "data" / FIRST, makers.columns(makers.LIBERO, 0, 11, 10, 0))
    assert "11 rows, and meta/ says 12" in codes(examined(run_folder))["doctor-data-time"].what


@pytest.mark.usefixtures("needs_pyarrow")
def test_rows_of_v3_files_against_the_frames(run_folder):
    root = makers.dataset_3(run_folder / "v3")
    makers.write_parquet(root / "data/chunk-000/file-001.parquet", makers.columns(makers.LIBERO, 0, 9, 10, 2))
    found = codes(list(files(read(root))))
    assert "30 rows, and meta/info.json says 36 frames" in found["doctor-data-counts"].what


@pytest.mark.parametrize(
    ("micro", "total", "code", "words"),
    [
        (20, 40, "doctor-data-small", "18 for each of 2 ranks"),
        (2, 40, "doctor-data-small", "takes 40 samples"),
    ],
)
def test_a_set_smaller_than_a_batch(run_folder, micro, total, code, words):
    train = f"{{steps: 10, micro_batch: {micro}, global_batch: {total}}}"
    assert words in codes(examined(run_folder, train=train))[code].what


@pytest.mark.usefixtures("needs_pyarrow")
def test_v3_data_for_an_old_lerobot_names_the_converter(run_folder):
    makers.dataset_3(run_folder / "v3")
    found = codes(examined(run_folder, data="{path: ./v3, config: pi05_libero}"))
    assert found["doctor-data-format"].what == "the data set is v3.0, and lerobot 0.1.0 reads v2.1"
    assert "convert_dataset_v30_to_v21.py" in found["doctor-data-format"].fix


def test_v2_data_for_a_new_lerobot_names_the_converter(run_folder, software):
    software(lerobot="0.4.1", lerobot_format="v3.0", datasets="4.1.0")
    fix = codes(examined(run_folder))["doctor-data-format"].fix
    above, owner = run_folder.parent, run_folder.name
    assert "lerobot.datasets.v30.convert_dataset_v21_to_v30" in fix
    assert f"--repo-id={owner}/data --root={above} --push-to-hub=false" in fix


def test_new_datasets_with_an_old_lerobot(run_folder, software):
    software(datasets="4.0.0")
    assert codes(examined(run_folder))["doctor-data-format"].fix == "pip install 'datasets<4'"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("physical-intelligence/libero", "is an id of the Hugging Face hub"),
        ("${oc.env:NOWHERE}/libero", "NOWHERE is not set"),
    ],
)
def test_what_is_not_on_this_machine_is_not_checked(run_folder, path, why):
    [finding] = examined(run_folder, data=f'{{path: "{path}", config: pi05_libero}}')
    assert finding.state == "not checked"
    assert why in finding.what


def test_a_hub_id_is_found_where_lerobot_keeps_it(run_folder):
    home = run_folder / "home"
    (run_folder / "data").rename(makers_parent(home / "own/set"))
    launch = makers.launch(
        run_folder, shell={"HF_LEROBOT_HOME": str(home)}, data="{path: own/set, config: pi05_libero}"
    )
    found = list(data(Subject(launch)))
    assert found[0].what == f"LeRobot v2.1 at {home}/own/set"


def makers_parent(path):
    path.parent.mkdir(parents=True)
    return path


def test_a_variable_that_is_set_is_resolved(run_folder):
    launch = makers.launch(
        run_folder, shell={"SETS": str(run_folder)}, data='{path: "${oc.env:SETS}/data", config: pi05_libero}'
    )
    assert not codes(list(data(Subject(launch))))


def test_no_folder_and_no_set(run_folder):
    (run_folder / "data/meta/info.json").unlink()
    assert "meta/info.json" in codes(examined(run_folder))["doctor-data-missing"].what
    found = codes(examined(run_folder, data="{path: /nowhere, config: pi05_libero}"))
    assert found["doctor-data-missing"].what == "there is no data set at /nowhere"


def test_videos(run_folder):
    root = run_folder / "data"
    change_features(run_folder, {"image": {"dtype": "video", "shape": [8, 8, 3]}})
    for episode in range(2):
        video = root / f"videos/chunk-000/image/episode_{episode:06d}.mp4"
        video.parent.mkdir(parents=True, exist_ok=True)
        video.write_bytes(b"" if episode else b"....ftypisom")
    told = [finding.what for finding in examined(run_folder) if finding.state == "fail"]
    assert told == [
        "1 of 3 videos are empty: videos/chunk-000/image/episode_000001.mp4",
        "1 of 3 videos are missing: videos/chunk-000/image/episode_000002.mp4",
    ]


@pytest.mark.parametrize(("options", "told"), [("", True), (", options: {default_prompt: pick}", False)])
def test_a_config_that_takes_no_prompt_from_the_tasks(run_folder, options, told):
    change_features(run_folder, {"actions": {"dtype": "float32", "shape": [8]}})
    found = codes(
        examined(
            run_folder,
            rlinf="{version: main}",
            data=f"{{path: ./data, config: pi05_rlt_maniskill_joint{options}}}",
        )
    )
    assert ("doctor-data-tasks" in found) is told


def test_a_config_that_rlinf_cannot_build(run_folder):
    found = codes(
        examined(
            run_folder,
            model="{family: pi0, weights: ./weights}",
            data="{path: ./data, config: pi0_custom}",
        )
    )
    assert "action_train_with_rotation_6d" in found["doctor-config-broken"].what
