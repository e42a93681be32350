import json
import os

import pytest

from tests.unit.doctor import makers
from tests.unit.doctor.conftest import STATISTICS
from vlac.doctor.compute import compute
from vlac.doctor.dataset import read
from vlac.doctor.norm_stats import norm_stats
from vlac.doctor.statistics import RunningStatistics
from vlac.doctor.subject import Subject
from vlac.doctor.vectors import batches, transformed
from vlac.errors import MachineError, RefusedError
from vlac.models.data_needs import DataNeeds, data_needs

np = pytest.importorskip("numpy", reason="numpy is not installed: pip install 'vla-compiler[data]'")
pytestmark = pytest.mark.usefixtures("needs_pyarrow")
NEEDS = DataNeeds(images=())


def quiet(_done, _total):
    pass


def computed(folder, force=False, **changes):
    return compute(Subject(makers.launch(folder, **changes)), force=force, progress=quiet)


def directly(root, horizon, needs=NEEDS):
    """State and action sequences of every frame, by the plainest way there is."""
    states, sequences = [], []
    for episode in read(root).episodes:
        table = (
            makers.parquet.read_table(root / episode.file).slice(episode.start, episode.length).to_pylist()
        )
        rows = [[value for name in needs.actions for value in row[name]] for row in table]
        for frame, row in enumerate(table):
            states.append([value for name in needs.state for value in row[name]])
            sequences.append([rows[min(frame + ahead, len(rows) - 1)] for ahead in range(horizon)])
    return np.array(states, np.float32).astype(float), np.array(sequences, np.float32).astype(float)


def test_equal_to_a_direct_computation(run_folder):
    """36 frames are one batch, as no full one of 256 is there."""
    [file] = computed(run_folder, force=True)
    states, sequences = directly(run_folder / "data", 10)
    for name, vectors in (("state", states), ("actions", sequences.reshape(-1, 7))):
        found = json.loads(file.read_text())["norm_stats"][name]
        assert found["mean"] == pytest.approx(vectors.mean(axis=0), abs=1e-6)
        assert found["std"] == pytest.approx(vectors.std(axis=0), abs=1e-6)
        width = (vectors.max(axis=0) - vectors.min(axis=0)) / 5000
        for key, share in (("q01", 0.01), ("q99", 0.99)):
            exact = np.quantile(vectors, share, axis=0, method="inverted_cdf")
            assert np.all(np.abs(np.array(found[key]) - exact) <= width + 1e-6), key


def test_many_batches_that_widen_the_range():
    rng = np.random.default_rng(3)
    parts = [rng.normal(scale=scale, size=(400, 5, 3)) for scale in (0.1, 1, 3, 2)]
    running = RunningStatistics()
    for part in parts:
        running.update(part)
    every = np.concatenate(parts).reshape(-1, 3)
    found = running.result()
    assert running.count == len(every)
    assert found.mean == pytest.approx(every.mean(axis=0), abs=1e-9)
    assert found.std == pytest.approx(every.std(axis=0), abs=1e-9)
    width = (every.max(axis=0) - every.min(axis=0)) / 5000
    for percentile, share in ((found.q01, 0.01), (found.q99, 0.99)):
        exact = np.quantile(every, share, axis=0, method="inverted_cdf")
        assert np.all(np.abs(np.array(percentile) - exact) <= 4 * width)


def test_a_constant_entry():
    running = RunningStatistics()
    running.update(np.full((10, 1), 0.25))
    found = running.result()
    assert (found.mean, found.std) == ([0.25], [0.0])
    assert found.q01[0] == pytest.approx(0.25, abs=1e-9)


def test_one_vector_is_too_few():
    running = RunningStatistics()
    running.update(np.ones((1, 2)))
    with pytest.raises(ValueError, match="two vectors"):
        running.result()


@pytest.mark.parametrize("make", [makers.dataset_2, makers.dataset_3])
def test_batches_cross_episodes_and_files_and_drop_the_rest(tmp_path, make):
    root = make(tmp_path / "set")
    found = list(batches(read(root), NEEDS, 4, 8))
    states, sequences = directly(root, 4)
    assert [len(state) for state, _ in found] == [8, 8, 8, 8]
    assert np.array_equal(np.concatenate([state for state, _ in found]), states[:32])
    assert np.array_equal(np.concatenate([sequence for _, sequence in found]), sequences[:32])


def test_joined_features_and_relative_actions(tmp_path):
    sizes = {"state.ee_pos": 3, "state.ee_rot": 3, "state.gripper": 1}
    sizes |= {"action.delta_ee_pos": 3, "action.delta_ee_rot": 3, "action.gripper": 1}
    features = {name: {"dtype": "float32", "shape": [size]} for name, size in sizes.items()}
    root = makers.dataset_2(tmp_path / "set", features=features)
    needs = data_needs("pi0_calvin", {"extra_delta_transform": True})
    [(state, sequence)] = list(batches(read(root), needs, 5, 36))
    states, sequences = directly(root, 5, needs)
    mask = np.array([1, 1, 1, 1, 1, 1, 0])
    assert np.array_equal(state, states)
    assert sequence == pytest.approx(sequences - (states * mask)[:, None, :], abs=1e-6)


def test_padding_and_cutting():
    state, actions = np.ones((3, 19)), np.ones((3, 7))
    padded, sequence = transformed(state, actions, data_needs("pi0_realworld", {}), 2)
    assert (padded.shape, sequence.shape) == ((3, 32), (3, 2, 32))
    assert padded[:, 19:].sum() == 0 and sequence[..., 7:].sum() == 0
    cut, _ = transformed(np.ones((3, 40)), actions, data_needs("pi0_behavior", {}), 2)
    assert cut.shape == (3, 32)


def test_pis_own_space_of_an_aloha():
    """Openings of 18.44 and 58 mm are angles of -0.6208 and pi/2; two joints of each arm turn round."""
    state, actions = np.full((1, 14), 0.5), np.full((1, 14), 0.5)
    state[0, [6, 13]] = [0.0, 1.0]
    needs = data_needs("pi05_aloha_robotwin", {"extra_delta_transform": False})
    found, sequence = transformed(state, actions, needs, 1)
    assert list(np.flatnonzero(found[0, :6] < 0)) == [1, 2]
    assert found[0, 6] == pytest.approx((-0.6208 - 0.5476) / (1.6296 - 0.5476), abs=1e-3)
    assert found[0, 13] == pytest.approx((np.pi / 2 - 0.5476) / (1.6296 - 0.5476), abs=1e-3)
    assert sequence[0, 0, 6] == pytest.approx(0.5 * (1.4910 + 0.6213) - 0.6213 - 0.5476)


def test_what_is_there_is_kept_unless_forced(run_folder):
    before = (run_folder / STATISTICS).read_bytes()
    with pytest.raises(RefusedError, match="is there already") as refused:
        computed(run_folder)
    assert "--force" in refused.value.hint
    assert (run_folder / STATISTICS).read_bytes() == before
    assert computed(run_folder, force=True) == [run_folder / STATISTICS]
    assert (run_folder / STATISTICS).read_bytes() != before


def test_the_doctor_is_content_with_them(run_folder):
    (run_folder / STATISTICS).unlink()
    computed(run_folder)
    assert {finding.state for finding in norm_stats(Subject(makers.launch(run_folder)))} == {"ok"}
    assert [file.name for file in (run_folder / STATISTICS).parent.iterdir()] == ["norm_stats.json"]


def test_a_failed_write_leaves_nothing(run_folder, monkeypatch):
    before = (run_folder / STATISTICS).read_bytes()

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        computed(run_folder, force=True)
    assert [file.read_bytes() for file in (run_folder / STATISTICS).parent.iterdir()] == [before]


def test_a_nan_is_named(run_folder):
    table = makers.columns(makers.LIBERO, 12, 9, 10, 1)
    table["state"][4][2] = float("nan")
    makers.write_parquet(run_folder / "data/data/chunk-000/episode_000001.parquet", table)
    with pytest.raises(RefusedError, match=r"episode_000001\.parquet: state is NaN or infinite in row 4"):
        computed(run_folder, force=True)


@pytest.mark.parametrize("length", [8, 10])
def test_rows_that_disagree_with_meta(run_folder, length):
    table = makers.columns(makers.LIBERO, 12, length, 10, 1)
    makers.write_parquet(run_folder / "data/data/chunk-000/episode_000001.parquet", table)
    with pytest.raises(RefusedError, match=f"state has {length} rows, meta/ says 9"):
        computed(run_folder, force=True)


@pytest.mark.parametrize(
    ("config", "words", "cure"),
    [
        ("pi05_dualfranka_tcp_rot6d", "rigid-body transforms", "toolkits/lerobot/calculate_norm_stats.py"),
        ("pi05_metaworld", "reads observation.state, action", "vlac doctor"),
    ],
)
def test_configs_that_it_cannot(run_folder, config, words, cure):
    with pytest.raises(RefusedError, match=words) as refused:
        computed(run_folder, data=f"{{path: ./data, config: {config}}}")
    assert cure in refused.value.hint


def test_no_weights_folder(run_folder):
    with pytest.raises(RefusedError, match="there is no folder"):
        computed(run_folder, model="{family: pi05, weights: ./nowhere}")


def test_without_pyarrow(run_folder, monkeypatch):
    from vlac.doctor import compute as module
    from vlac.doctor.parquet import MissingPyarrow

    def missing():
        raise MissingPyarrow

    monkeypatch.setattr(module, "pyarrow_parquet", missing)
    with pytest.raises(MachineError) as refused:
        computed(run_folder, force=True)
    assert refused.value.hint == "pip install 'vla-compiler[data]'"
