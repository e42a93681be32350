"""The planning passes, in order. Each is a plain function from plan to plan, one job a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.plan.passes.batching import batching
from vlac.plan.passes.checkpoints import checkpoints
from vlac.plan.passes.data import data
from vlac.plan.passes.environment import environment
from vlac.plan.passes.honours import honours
from vlac.plan.passes.model import model
from vlac.plan.passes.patches import patches
from vlac.plan.passes.paths import paths
from vlac.plan.passes.placement import placement
from vlac.plan.passes.porting import porting
from vlac.plan.passes.schedule import schedule
from vlac.plan.passes.settings import settings
from vlac.plan.passes.sharding import sharding
from vlac.plan.passes.stack import stack
from vlac.plan.passes.workers import workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from vlac.plan.ir import RunPlan

PASSES: tuple[Callable[[RunPlan], RunPlan], ...] = (
    settings,
    honours,
    paths,
    model,
    data,
    placement,
    batching,
    schedule,
    sharding,
    checkpoints,
    stack,
    environment,
    porting,
    workers,
    patches,
)
