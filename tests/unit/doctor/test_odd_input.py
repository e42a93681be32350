"""Files of a data set, of statistics and of weights that hold anything: told, never a traceback."""

import json

import pytest

from tests.unit.doctor import makers
from tests.unit.doctor.conftest import STATISTICS
from vlac.doctor.data import data
from vlac.doctor.norm_stats import norm_stats
from vlac.doctor.subject import Subject
from vlac.doctor.weights import weights

ODD = [
    None,
    -1,
    0,
    3.5,
    "x",
    "{",
    "{0}",
    [],
    {},
    [None],
    {"image": None},
    {"state": {"shape": "x"}},
    True,
    10**30,
]


def data_checks(folder):
    subject = Subject(makers.launch(folder))
    return [*data(subject), *norm_stats(subject)]


@pytest.mark.parametrize(
    "key", ["codebase_version", "total_episodes", "fps", "features", "chunks_size", "data_path"]
)
def test_odd_values_of_info(run_folder, key):
    file = run_folder / "data/meta/info.json"
    info = json.loads(file.read_text())
    for value in ODD:
        file.write_text(json.dumps(info | {key: value}))
        assert data_checks(run_folder), (key, value)


@pytest.mark.parametrize("name", ["dtype", "shape"])
def test_odd_values_of_a_feature(run_folder, name):
    file = run_folder / "data/meta/info.json"
    info = json.loads(file.read_text())
    for value in ODD:
        for feature in ("state", "image"):
            changed = info["features"] | {feature: {**info["features"][feature], name: value}}
            file.write_text(json.dumps(info | {"features": changed}))
            assert data_checks(run_folder), (feature, value)


@pytest.mark.parametrize("name", ["episodes.jsonl", "tasks.jsonl"])
@pytest.mark.parametrize(
    "text",
    ["", "null\n", "[]\n", '{"episode_index": "x", "length": 3}\n', '{"episode_index": 0, "length": "x"}\n'],
)
def test_odd_lists(run_folder, name, text):
    (run_folder / "data/meta" / name).write_text(text)
    assert data_checks(run_folder)


@pytest.mark.usefixtures("needs_pyarrow")
@pytest.mark.parametrize("name", ["length", "dataset_from_index", "data/file_index"])
def test_odd_columns_of_v3(run_folder, name):
    root = makers.dataset_3(run_folder / "v3")
    file = root / "meta/episodes/chunk-000/file-000.parquet"
    table = makers.parquet.read_table(file).to_pydict()
    for values in ([None, 1, 2], ["a", "b", "c"], [-5, 10**9, 0]):
        makers.write_parquet(file, table | {name: values})
        assert list(data(Subject(makers.launch(run_folder, data="{path: ./v3, config: pi05_libero}"))))
    makers.write_parquet(file, {key: column for key, column in table.items() if key != name})
    assert list(data(Subject(makers.launch(run_folder, data="{path: ./v3, config: pi05_libero}"))))


@pytest.mark.parametrize("value", [None, 1, "x", [], [[1]], ["x"], {"a": 1}])
def test_odd_statistics(run_folder, value):
    for key in ("mean", "std", "q01", "q99"):
        makers.statistics(run_folder / STATISTICS, **{key: value})
        assert data_checks(run_folder), key


@pytest.mark.parametrize(
    "value", [None, 1, "x", [], {"dtype": 1, "shape": "x", "data_offsets": [0, "y"]}, {"shape": [-1]}]
)
def test_odd_headers(run_folder, value):
    text = json.dumps({"tensor": value}).encode()
    (run_folder / "weights/model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text)
    assert list(weights(Subject(makers.launch(run_folder))))


def test_folders_where_files_should_be(run_folder):
    for name in ("weights/model.safetensors", STATISTICS, "data/meta/info.json", "data/meta/episodes.jsonl"):
        (run_folder / name).unlink()
        (run_folder / name).mkdir()
    assert data_checks(run_folder)
    assert list(weights(Subject(makers.launch(run_folder))))
