"""The learning rate that RLinf logs, step by step, from the keys of a compiled configuration.

Source: `get_lr_scheduler` in `rlinf/hybrid_engines/fsdp/utils.py` (v0.3; main@a3816b596 for `openpi_cosine`) and
`get_cosine_with_min_lr_schedule_with_warmup` in `transformers/optimization.py` 4.57. RLinf steps the scheduler before
it reads the rate: the log after step k shows the schedule at k, while step k was trained with it at k - 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.plan.origins import Setting

_OPTIM = ("actor", "optim")


@dataclass(frozen=True, slots=True)
class Schedule:
    """A learning-rate schedule; steps are optimizer steps. `total_steps` is its length, not that of the training."""

    kind: str
    peak: float
    warmup_steps: int
    total_steps: int
    minimum: float = 0.0
    cycles: float = 0.5

    def logged_rate(self, step: int) -> float:
        """The rate in RLinf's log after optimizer step `step` (the first is 1)."""
        return self.peak * self._factor(step)

    def _factor(self, step: int) -> float:
        if step < self.warmup_steps:
            return self._warmup_factor(step)
        if self.kind == "constant":
            return 1.0
        return self._cosine_factor(step)

    def _warmup_factor(self, step: int) -> float:
        fraction = step / max(1, self.warmup_steps)
        if self.kind != "openpi_cosine":
            return fraction
        start = 1.0 / (self.warmup_steps + 1)
        return start + (1.0 - start) * fraction

    def _cosine_factor(self, step: int) -> float:
        floor = self.minimum / self.peak
        progress = (step - self.warmup_steps) / max(1, self.total_steps - self.warmup_steps)
        turns = self.cycles * 2.0 * progress
        if self.kind == "openpi_cosine":
            turns = min(1.0, progress)
        cosine = 0.5 * (1.0 + math.cos(math.pi * turns))
        return max(0.0, floor + (1.0 - floor) * cosine)


_FIGURES = ("lr", "total_training_steps", "lr_warmup_steps", "lr_warmup_steps_ratio", "min_lr", "num_cycles")


def _is_text(setting: Setting | None) -> bool:
    return setting is not None and isinstance(setting.value, str)


def schedule_of(config: Mapping[tuple[str, ...], Setting]) -> Schedule | None:
    """The schedule that a configuration gives; None where vlac has no formula for it, or a figure is no number."""

    def number(name: str, default: float) -> float:
        setting = config.get((*_OPTIM, name))
        return float(setting.value) if setting and isinstance(setting.value, (int, float)) else default

    named = config.get((*_OPTIM, "lr_scheduler"))
    kind = named.value if named else "constant"
    if kind not in ("constant", "cosine", "openpi_cosine") or (*_OPTIM, "min_lr_rate") in config:
        return None
    if number("lr", 0.0) <= 0 or any(_is_text(config.get((*_OPTIM, name))) for name in _FIGURES):
        return None
    total = int(number("total_training_steps", 0))
    warmup = int(number("lr_warmup_steps", -1))
    if warmup < 0:
        warmup = int(number("lr_warmup_steps_ratio", 0.0) * total)
    return Schedule(
        str(kind), number("lr", 0.0), warmup, total, number("min_lr", 0.0), number("num_cycles", 0.5)
    )
