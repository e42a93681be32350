"""What RLinf called otherwise in another version: configuration keys, words and config groups, as data.

Found by comparing what the code of v0.3, a4b6abe20 and main@a3816b596 reads and what their shipped configs set; each
row names the file that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.rlinf.templates import Key


@dataclass(frozen=True, slots=True)
class Move:
    """A key, with everything below it, that was at `old` and is at `new` since `since`.

    `tasks` limits it to runs of these tasks. With `taken_over` RLinf still takes the old key, and says so in its log;
    `source` is the file of RLinf that shows it.
    """

    old: Key
    new: Key
    since: str
    source: str
    tasks: tuple[str, ...] = ()
    taken_over: bool = False


@dataclass(frozen=True, slots=True)
class Renamed:
    """A word or a group that is called `new` since `since`; `source` is the file of RLinf that shows it."""

    old: str
    new: str
    since: str
    source: str


_EMBODIED = ("embodied", "embodied_eval")
_VALIDATE = "rlinf/config.py, validate_embodied_cfg"

MOVES: tuple[Move, ...] = (
    Move(
        ("actor", "openpi_data"),
        ("actor", "model", "openpi_data"),
        "main@a3816b596",
        "rlinf/data/datasets/openpi_rlinf/official_sft_data_loader.py",
    ),
    Move(
        ("algorithm", "rollout_epoch"),
        ("env", "train", "rollout_epoch"),
        "0.3",
        _VALIDATE,
        _EMBODIED,
        taken_over=True,
    ),
    Move(
        ("algorithm", "eval_rollout_epoch"),
        ("env", "eval", "rollout_epoch"),
        "0.3",
        _VALIDATE,
        _EMBODIED,
        taken_over=True,
    ),
    Move(
        ("algorithm", "sampling_params"),
        ("rollout", "sampling_params"),
        "0.3",
        _VALIDATE,
        _EMBODIED,
        taken_over=True,
    ),
    Move(
        ("algorithm", "length_params", "max_new_token"),
        ("rollout", "sampling_params", "max_new_tokens"),
        "0.3",
        _VALIDATE,
        _EMBODIED,
        taken_over=True,
    ),
    Move(
        ("actor", "fsdp_config", "amp"),
        ("actor", "fsdp_config", "amp_autocast"),
        "0.3",
        "rlinf/config.py, validate_fsdp_cfg: amp_autocast and grad_scaler took its place",
    ),
)

WORDS: tuple[Renamed, ...] = (
    Renamed("value_model", "recap_value_model", "main@a3816b596", "rlinf/config.py, SupportedModel"),
    Renamed("history_vlm", "buffered_vlm", "main@a3816b596", "rlinf/models/embodiment/reward/__init__.py"),
)

GROUPS: tuple[Renamed, ...] = (
    Renamed("training_backend", "hybrid_engines", "main@a3816b596", "examples/sft/config/hybrid_engines"),
)


def moved_group(name: str) -> Renamed | None:
    """The row for a config group option (`training_backend/fsdp`), None where the group kept its name."""
    return next((row for row in GROUPS if name.split("/")[0] == row.old), None)


def moved_word(word: str) -> Renamed | None:
    """The row for a word that is called otherwise in another version, either way round."""
    return next((row for row in WORDS if word in (row.old, row.new)), None)
