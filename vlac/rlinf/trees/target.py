"""A tree as the target of a compile: what was looked up for it in the tables, and what was read from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.models import DataConfig
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key
    from vlac.rlinf.trees.recognise import Recognised


@dataclass(frozen=True)
class TreeTarget:
    """The tree that `rlinf.version: auto` looked at.

    `is_own` tells that the target was made from the tree itself. Then `data_configs` are those that it registers and
    `template` the leaves that a run starts from; both are None where the tree does not say it and vlac's tables stand
    in, and `template` also where the run starts from a `base`.
    """

    recognised: Recognised
    is_own: bool = False
    data_configs: Mapping[str, DataConfig] | None = None
    template: Mapping[Key, Value] | None = None

    @property
    def digest(self) -> str:
        """The identity of the tree's content, for the lock."""
        return self.recognised.digest

    @property
    def nearest(self) -> str:
        """The name of the known version that it is or comes nearest to."""
        return self.recognised.nearest.version.name
