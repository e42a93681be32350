"""Both sides that a patch is judged by: the stock checkout of the target's version, and the bundle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.diff.worker_imports import imported
from vlac.patches.changes import ABSENT
from vlac.patches.meaning import same_file
from vlac.patches.shell_changes import exports
from vlac.rlinf.known_reads import known_reads
from vlac.rlinf.stock_configs import LIBERO_SFT_OPENPI

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.bundle import Bundle
    from vlac.patches.changes import Held, Key
    from vlac.plan.ir import PlannedVariable, RunPlan
    from vlac.plan.origins import Value
    from vlac.rlinf.known_reads import Reads
    from vlac.rlinf.stock_configs import StockConfig

TEMPLATE: Key = ("defaults", "model@actor.model")
_PLACEMENT: Key = ("cluster", "component_placement")
_OPENPI = "openpi"


@dataclass(frozen=True)
class Target:
    """What judging needs, looked up once.

    `config` and `variables` are what the bundle sets, the variables of launch.sh included; `imports` are the modules
    that the backend's code imports in the bundle's processes, with the file that does.
    """

    bundle: Bundle
    stock: StockConfig
    reads: Reads
    config: Mapping[Key, Value]
    variables: Mapping[str, str]
    planned: Mapping[str, PlannedVariable]
    imports: Mapping[str, str]

    @property
    def plan(self) -> RunPlan:
        """The bundle's plan."""
        return self.bundle.plan

    @property
    def version(self) -> str:
        """The RLinf version in words."""
        return f"RLinf {self.plan.version.name}"

    @property
    def is_openpi(self) -> bool:
        """Whether the run takes the path through RLinf that `reads` describes."""
        return self.plan.family.model_type == _OPENPI

    def held(self, key: Key) -> Held:
        """The bundle's value of a configuration key; a placed component is found in whatever group it is."""
        if key in self.config or key[:-1] != _PLACEMENT:
            return self.config.get(key, ABSENT)
        wanted = set(key[-1].split(","))
        groups = (known for known in self.config if known[:-1] == _PLACEMENT)
        group = next((known for known in groups if wanted <= set(known[-1].split(","))), None)
        return self.config[group] if group else ABSENT

    def is_stock(self, file: str) -> bool:
        """Whether a patched file is the stock configuration that vlac knows, or the script that starts it."""
        return same_file(file, self.stock.path) or same_file(file, self.stock.script)

    def stock_value(self, key: Key) -> Held:
        """The value that the stock configuration composes to."""
        if key == TEMPLATE:
            return _option(self.stock.template)
        return self.stock.leaves.get(key, ABSENT)


def target_of(bundle: Bundle) -> Target:
    """Look up what is known about the bundle's RLinf version, and flatten what the bundle sets."""
    plan = bundle.plan
    config = {key: setting.value for key, setting in bundle.config.items()}
    launch = bundle.files.get("launch.sh", b"").decode("utf-8")
    planned = {item.name: item for item in plan.environment}
    set_by_plan = {name: item.value for name, item in planned.items() if item.value is not None}
    return Target(
        bundle=bundle,
        stock=LIBERO_SFT_OPENPI,
        reads=known_reads(plan.version.table),
        config={**config, TEMPLATE: _option(plan.family.template)},
        variables={**exports(launch.splitlines()), **set_by_plan},
        planned=planned,
        imports=imported(plan.adapter.worker_files),
    )


def _option(template: str) -> str:
    return template.rpartition("/")[2]
