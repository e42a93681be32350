"""A bundle: the files that a run needs, as bytes, and what they were made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting


@dataclass(frozen=True)
class Bundle:
    """The result of a compile.

    `files` maps a relative POSIX path (`config.yaml`, `bootstrap/vlac_worker.py`) to its bytes,
    `vlac.lock.json` included; `executable` names those with the x bit. `config` holds every leaf of
    config.yaml by its RLinf key, a tuple of mapping keys, because a key may contain dots or commas
    (`("cluster", "component_placement", "actor,env,rollout")`).
    """

    plan: RunPlan
    config: Mapping[tuple[str, ...], Setting]
    files: Mapping[str, bytes]
    executable: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def name(self) -> str:
        """The name of the bundle."""
        return self.plan.name
