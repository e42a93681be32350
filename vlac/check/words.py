"""Values outside of what the tree accepts: model types, tasks, losses, schedules, loggers, sharding and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.check.subject import OWN_MODEL_TYPES, dotted
from vlac.rlinf.moves import moved_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.templates import Key


@dataclass(frozen=True, slots=True)
class Row:
    """A key whose value is one of the words that go by `name`. `only` is a setting without which nobody looks at it."""

    key: Key
    name: str
    only: tuple[Key, str] | None = None


_OPENPI = (("actor", "model", "model_type"), "openpi")
_CLASSIC = (("actor", "fsdp_config", "strategy"), "fsdp")

ROWS: tuple[Row, ...] = (
    Row(("runner", "task_type"), "task_types"),
    Row(("actor", "model", "model_type"), "model_types"),
    Row(("rollout", "model", "model_type"), "model_types"),
    Row(("actor", "training_backend"), "training_backends"),
    Row(("critic", "training_backend"), "training_backends"),
    Row(("rollout", "rollout_backend"), "rollout_backends"),
    Row(("runner", "logger", "logger_backends"), "logger_backends"),
    Row(("algorithm", "loss_type"), "loss_types"),
    Row(("algorithm", "adv_type"), "advantage_types"),
    Row(("env", "train", "env_type"), "env_types"),
    Row(("env", "eval", "env_type"), "env_types"),
    Row(("actor", "optim", "lr_scheduler"), "schedulers"),
    Row(("actor", "fsdp_config", "strategy"), "fsdp_strategies"),
    Row(("actor", "fsdp_config", "sharding_strategy"), "sharding_strategies", _CLASSIC),
    Row(("actor", "model", "openpi", "config_name"), "openpi_configs", _OPENPI),
)


def words(subject: Subject, target: Target) -> Iterator[Finding]:
    """Values that are none of the accepted words, of keys that the run reads."""
    if target.reads is None:
        return
    for row in ROWS:
        known = target.words(row.name)
        if not known or not target.is_read(row.key) or not _counts(subject, row):
            continue
        for word in _given(subject, row.key):
            if word not in (*known, *OWN_MODEL_TYPES):
                yield _told_of(subject, row, word, known)


def _counts(subject: Subject, row: Row) -> bool:
    return row.only is None or subject.value(*row.only[0]) == row.only[1]


def _given(subject: Subject, key: Key) -> list[str]:
    """The words at a key; an interpolation that is not followed is none, nor is what is no text."""
    value = subject.value(*key)
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, str) and "${" not in item]


def _told_of(subject: Subject, row: Row, word: str, known: tuple[str, ...]) -> Finding:
    from difflib import get_close_matches

    kind = row.name.removesuffix("s").removesuffix("ie") + ("y" if row.name.endswith("ies") else "")
    message = f"`{word}` is no {kind.replace('_', ' ')} of this RLinf (`{dotted(row.key)}`)"
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    other = moved_word(word)
    now = next((name for name in (other.new, other.old) if other and name in known), None) if other else None
    listed = f"one of: {', '.join(known)}"
    hint = f"it is called {now} here" if now else f"did you mean {close[0]}? {listed}" if close else listed
    return subject.finding("check-word-unknown", message, row.key, hint=hint)
