"""States and action sequences as a data config hands them to the normalisation, streamed from the data files.

An action sequence is the action of a frame and those after it; past the end of the episode the last one is repeated
(huggingface/lerobot 0cf8648, lerobot_dataset.py, `_get_query_indices`). Then: openpi 15a9616, transforms.py,
`DeltaActions`; RLinf v0.3, policies/*.py, which pad; policies/aloha_policy.py, `_decode_state` and
`_encode_actions_inv`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vlac.doctor import parquet
from vlac.doctor.dataset import DatasetError
from vlac.models.data_needs import MODEL_ACTION_DIM

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.doctor.dataset import Dataset
    from vlac.doctor.statistics import Array
    from vlac.models.data_needs import DataNeeds

_AGAIN = "convert or download the data set again"
_FLIPPED = (1, 2, 8, 9)
_GRIPPERS = (6, 13)
# Of an Aloha: the gripper's opening in metres, its arm and horn, and pi's range of its angle in radians.
_OPENING = (0.01844, 0.05800)
_ARM, _HORN = 0.036, 0.022
_ANGLE = (0.5476, 1.6296)
_COMMAND_ANGLE = (-0.6213, 1.4910)


def batches(found: Dataset, needs: DataNeeds, horizon: int, size: int) -> Iterator[tuple[Array, Array]]:
    """States (size, S) and action sequences (size, horizon, A) in the order of the data set, as 32-bit floats.

    The last frames that fill no batch are left out, unless there is no other. Raises DatasetError, MissingPyarrow.
    """
    import numpy as np

    states: list[Array] = []
    sequences: list[Array] = []
    waiting, is_first = 0, True
    for state, sequence in _episodes(found, needs, horizon):
        states.append(state)
        sequences.append(sequence)
        waiting += len(state)
        if waiting < size:
            continue
        every_state, every_sequence = np.concatenate(states), np.concatenate(sequences)
        full = waiting - waiting % size
        for start in range(0, full, size):
            yield every_state[start : start + size], every_sequence[start : start + size]
        states, sequences, waiting, is_first = (
            [every_state[full:]],
            [every_sequence[full:]],
            waiting % size,
            False,
        )
    if is_first and waiting:
        yield np.concatenate(states), np.concatenate(sequences)


def _episodes(found: Dataset, needs: DataNeeds, horizon: int) -> Iterator[tuple[Array, Array]]:
    """State and action sequence of every frame, an episode at a time."""
    import numpy as np

    opened = ""
    columns: dict[str, Array] = {}
    lengths = Counter[str]()
    for episode in found.episodes:
        lengths[episode.file] += episode.length
    for episode in found.episodes:
        if episode.file != opened:
            opened = episode.file
            columns = _columns(found, opened, (*needs.state, *needs.actions), lengths[opened])
        rows = slice(episode.start, episode.start + episode.length)
        state, actions = (
            np.concatenate([columns[name][rows] for name in names], axis=1)
            for names in (needs.state, needs.actions)
        )
        yield transformed(state, actions, needs, horizon)


def _columns(found: Dataset, file: str, names: tuple[str, ...], rows: int) -> dict[str, Array]:
    try:
        columns = parquet.vectors(found.root / file, names)
    except parquet.ParquetError as problem:
        raise DatasetError(str(problem), _AGAIN) from problem
    for name, column in columns.items():
        _refuse_broken(f"{file}: {name}", column, rows)
    return columns


def _refuse_broken(name: str, column: Array, expected: int) -> None:
    import numpy as np

    if len(column) != expected:
        raise DatasetError(f"{name} has {len(column)} rows, meta/ says {expected}", _AGAIN)
    wrong = np.flatnonzero(~np.isfinite(column).all(axis=1))
    if len(wrong):
        raise DatasetError(f"{name} is NaN or infinite in row {wrong[0]}", "mend or remove the episode")


def transformed(state: Array, actions: Array, needs: DataNeeds, horizon: int) -> tuple[Array, Array]:
    """States (frames, S) and actions (frames, A) of one episode as the config hands them to the normalisation."""
    import numpy as np

    state, actions = state.astype(np.float64), actions.astype(np.float64)
    if needs.as_pi_aloha:
        state, actions = _pi_aloha_state(state), _pi_aloha_actions(actions)
    state = state[:, :MODEL_ACTION_DIM] if needs.cut_state else state
    state = _padded(state) if needs.padded_state else state
    actions = _padded(actions) if needs.padded_actions else actions
    last = len(actions) - 1
    sequences = actions[np.minimum(np.arange(len(actions))[:, None] + np.arange(horizon), last)]
    mask = (
        np.concatenate([np.full(abs(part), part > 0) for part in needs.delta])
        if needs.delta
        else np.array([])
    )
    if len(mask):
        sequences[..., : len(mask)] -= np.where(mask, state[:, : len(mask)], 0)[:, None, :]
    return state.astype(np.float32), sequences.astype(np.float32)


def _padded(vectors: Array) -> Array:
    import numpy as np

    return np.pad(vectors, ((0, 0), (0, max(0, MODEL_ACTION_DIM - vectors.shape[1]))))


def _pi_aloha_state(state: Array) -> Array:
    """Joints in pi's directions; grippers from their opening to their angle, of pi's range."""
    import numpy as np

    state = _flipped(state)
    opening = state[:, _GRIPPERS] * (_OPENING[1] - _OPENING[0]) + _OPENING[0]
    sine = (_HORN**2 + opening**2 - _ARM**2) / (2 * _HORN * opening)
    angle = np.arcsin(np.clip(sine, -1, 1))
    state[:, _GRIPPERS] = (angle - _ANGLE[0]) / (_ANGLE[1] - _ANGLE[0])
    return state


def _pi_aloha_actions(actions: Array) -> Array:
    """Joints in pi's directions; grippers from the range of the command to pi's angle."""
    actions = _flipped(actions)
    angle = actions[:, _GRIPPERS] * (_COMMAND_ANGLE[1] - _COMMAND_ANGLE[0]) + _COMMAND_ANGLE[0]
    actions[:, _GRIPPERS] = angle - _ANGLE[0]
    return actions


def _flipped(vectors: Array) -> Array:
    vectors = vectors.copy()
    vectors[:, _FLIPPED] *= -1
    return vectors
