"""Both sides that a patch is judged by: the stock checkout (a tree, or the data of its version), and the bundle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vlac.diff.worker_imports import imported
from vlac.patches.changes import ABSENT
from vlac.patches.meaning import same_file
from vlac.patches.shell_changes import exports
from vlac.rlinf.entry import entry_script
from vlac.rlinf.known_reads import known_reads
from vlac.rlinf.stock_configs import LIBERO_SFT_OPENPI

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.diff.code_reads import TreeReads
    from vlac.diff.evaluation import Evaluation
    from vlac.patches.changes import Held, Key
    from vlac.plan.ir import PlannedVariable, RunPlan
    from vlac.plan.origins import Value
    from vlac.rlinf.compose import Composition
    from vlac.rlinf.known_reads import Reads
    from vlac.rlinf.stock_configs import StockConfig

TEMPLATE: Key = ("defaults", "model@actor.model")
_PLACEMENT: Key = ("cluster", "component_placement")
_OPENPI = "openpi"


@dataclass(frozen=True)
class Target:
    """What judging needs, looked up once.

    `config` and `variables` are what the bundle sets, the variables of launch.sh included; `imports` are the modules
    that the backend's code imports in the bundle's processes, with the file that does. `evaluation` is there where a
    tree says what the version's data would say else; `scripts` are those that start such a run there,
    `entries` the Python scripts that they run.
    """

    bundle: Bundle
    stock: StockConfig
    reads: Reads | TreeReads
    config: Mapping[Key, Value]
    variables: Mapping[str, str]
    planned: Mapping[str, PlannedVariable]
    imports: Mapping[str, str]
    evaluation: Evaluation | None = None
    scripts: tuple[str, ...] = ()
    entries: str = ""

    @property
    def plan(self) -> RunPlan:
        """The bundle's plan."""
        return self.bundle.plan

    @property
    def version(self) -> str:
        """The RLinf version in words."""
        return f"RLinf {self.plan.version.name}"

    @property
    def where(self) -> str:
        """What a patch is applied to, in words."""
        return "this tree" if self.evaluation else f"a stock checkout of {self.version}"

    @property
    def is_openpi(self) -> bool:
        """Whether the run takes the path through RLinf that `reads` describes."""
        return self.evaluation is not None or self.plan.family.model_type == _OPENPI

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
        return any(same_file(file, known) for known in (self.stock.path, self.stock.script, *self.scripts))

    def stock_value(self, key: Key) -> Held:
        """The value that the stock configuration composes to."""
        if key == TEMPLATE:
            return _option(self.stock.template)
        return self.stock.leaves.get(key, ABSENT)


def target_of(bundle: Bundle, evaluation: Evaluation | None = None, reads: TreeReads | None = None) -> Target:
    """Look up what is known about the bundle's RLinf version, and flatten what the bundle sets."""
    plan = bundle.plan
    config = {key: setting.value for key, setting in bundle.config.items()}
    launch = bundle.files.get("launch.sh", b"").decode("utf-8")
    planned = {item.name: item for item in plan.environment}
    set_by_plan = {name: item.value for name, item in planned.items() if item.value is not None}
    made = Target(
        bundle=bundle,
        stock=LIBERO_SFT_OPENPI,
        reads=reads or known_reads(plan.version.table),
        config={**config, TEMPLATE: _option(plan.family.template)},
        variables={**exports(launch.splitlines()), **set_by_plan},
        planned=planned,
        imports=imported(plan.adapter.worker_files),
    )
    if evaluation is None:
        return made
    return replace(_on_tree(made, evaluation), entries=reads.entries if reads else "")


def _on_tree(made: Target, evaluation: Evaluation) -> Target:
    """The target with the tree's own config and start script in the place of the version's data."""
    config = evaluation.reference
    scripts = _scripts(evaluation)
    stock = made.stock
    if config and config.before:
        stock = replace(stock, path=config.config, leaves=config.before.values)
    if scripts:
        lines = (evaluation.before / scripts[0]).read_text("utf-8", "replace").splitlines()
        stock = replace(stock, script=scripts[0], exports=exports(lines))
    return replace(made, stock=stock, evaluation=evaluation, scripts=scripts)


def _scripts(evaluation: Evaluation) -> tuple[str, ...]:
    config = evaluation.reference
    composed = (config.after or config.before) if config else None
    return start_scripts(composed, evaluation.before) if composed else ()


def start_scripts(composed: Composition, tree: Path) -> tuple[str, ...]:
    """The shell scripts of a tree that start runs with a config, `run_*` first."""
    entry = entry_script(composed)
    if entry is None:
        return ()
    name, folder = PurePosixPath(entry).name, tree / PurePosixPath(entry).parent
    found = [file for file in sorted(folder.glob("*.sh")) if name in file.read_text("utf-8", "replace")]
    ranked = sorted(found, key=lambda file: not file.name.startswith("run_"))
    return tuple(file.relative_to(tree).as_posix() for file in ranked)


def _option(template: str) -> str:
    return template.rpartition("/")[2]
