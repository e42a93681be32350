"""launch.sh: starts the training of a bundle, under `vlac run` or by hand on a machine without vlac.

The script is a head, which holds what was compiled for this run, and `launch_body.sh`, the same in each bundle.
Every value in the head is quoted data, so no path or name can become shell syntax.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Value

SPEC_DIR = "VLAC_SPEC_DIR"
RUN_DIR = "VLAC_RUN_DIR"
CHECKOUT_ENTRY = "examples/sft/train_vla_sft.py"
"""RLinf's own entry script, in a checkout of v0.3 and of main."""
BUNDLE_ENTRY = "bootstrap/train_vla_sft.py"
PROCESSES_OBJECT_STORE = 256 * 1024 * 1024
"""Bytes of Ray's object store where ranks are processes; the default is 30 % of the memory they share with it."""

VARIABLE = re.compile(r"\$\{oc\.env:([A-Za-z_][A-Za-z0-9_]*)\}")
_BODY = Path(__file__).with_name("launch_body.sh")


def emit(plan: RunPlan) -> bytes:
    """The text of launch.sh as UTF-8."""
    return (_head(plan) + _BODY.read_text(encoding="utf-8")).encode()


def entry(plan: RunPlan) -> str:
    """The entry script, relative to the checkout (RLinf's own) or to the bundle (the one that it brings).

    Empty for a base for which no script is known.
    """
    own = plan.base.entry if plan.base else CHECKOUT_ENTRY
    if own == CHECKOUT_ENTRY and (plan.get("rlinf.path") is None or plan.family.name == "demo"):
        return BUNDLE_ENTRY  # RLinf's package has no examples, and its script knows no worker for the demo
    return own or ""


def nodes(plan: RunPlan) -> int:
    """How many machines the run takes."""
    return plan.integer("hardware.nodes") if plan.get("hardware.nodes") else 1


def example(plan: RunPlan) -> str:
    """The folder of the base's example in the checkout, which RLinf's start scripts export as EMBODIED_PATH."""
    if plan.base is None:
        return ""
    layout = plan.base.composition.layout
    return layout.example.relative_to(layout.tree).as_posix()


def arguments(plan: RunPlan) -> list[str]:
    """Hydra overrides of every start: what RLinf writes goes into the run folder."""
    # OmegaConf resolves the variable, so no path passes through Hydra's override grammar.
    keys = ("runner.logger.log_path", "runner.output_dir")
    there = [key for key in keys if tuple(key.split(".")) in plan.base.values] if plan.base else keys[:1]
    return [f"{key}=${{oc.env:{RUN_DIR}}}" for key in there]


def writes_data(plan: RunPlan) -> bool:
    """Whether the start writes the demo's data set into the run folder."""
    return plan.family.name == "demo" and f"${{oc.env:{RUN_DIR}}}/data" == plan.get("data.path")


def needed_variables(plan: RunPlan) -> tuple[str, ...]:
    """Variables that values of the spec refer to and that neither the plan nor the script sets."""
    provided = {RUN_DIR, *(v.name for v in plan.environment if v.value is not None), *plan.secrets}
    found = {name for setting in plan.settings.values() for name in _variables(setting.value)}
    return tuple(sorted(found - provided))


def of_node(plan: RunPlan) -> tuple[str, ...]:
    """Variables that belong to a node, before `ray start`: RLinf pushes what its driver has to all nodes."""
    planned = {variable.name for variable in plan.environment if variable.scope == "node"}
    differing = {variable.name for variable in plan.adapter.variables if variable.by_node != "same"}
    return tuple(sorted(planned | differing))


def _variables(value: Value) -> set[str]:
    if isinstance(value, str):
        return set(VARIABLE.findall(value))
    if isinstance(value, Mapping):
        return {name for item in value.values() for name in _variables(item)}
    if isinstance(value, Sequence):
        return {name for item in value for name in _variables(item)}
    return set()


def _head(plan: RunPlan) -> str:
    return f"""\
#!/usr/bin/env bash
# Starts the training of this bundle; compiled by vlac, which `vlac run` supervises and the training does not need.
#
#   bash launch.sh [HYDRA_OVERRIDE ...]
#
# Exit status: the trainer's; 3 where this machine cannot run it, 130 after Ctrl-C, 143 after TERM.
{_shell_setup(plan)}
set -euo pipefail

# What was compiled for this run.
_name={shlex.quote(plan.name)}
_nodes={nodes(plan)}
_entry={shlex.quote(entry(plan))}
_writes_data={"yes" if writes_data(plan) else "no"}
_secrets=({" ".join(plan.secrets)})
_of_node=({" ".join(of_node(plan))})
_needed=({" ".join(needed_variables(plan))})
_example={shlex.quote(example(plan))}
# What is quoted below is data on purpose.
# shellcheck disable=SC2016
_arguments=({shlex.join(arguments(plan))})
_ray_options=({" ".join(ray_options(plan))})
# Called when the variables that the paths refer to are known to be set.
# shellcheck disable=SC2016
_set_paths() {{
  _output={_shell_path(plan.get("output"))}
  _checkout={_shell_path(plan.get("rlinf.path"))}
  _python={_shell_path(plan.get("rlinf.python"))}
}}

"""


def _shell_setup(plan: RunPlan) -> str:
    if not plan.adapter.shell_setup:
        return ""
    title = (
        f"# The set-up of backend {plan.adapter.name}, before the strict mode: it may read unset variables."
    )
    return f"\n{title}\n{plan.adapter.shell_setup.strip()}\n"


def ray_options(plan: RunPlan) -> list[str]:
    """Options of `ray start` that depend on the plan."""
    return (
        [f"--object-store-memory={PROCESSES_OBJECT_STORE}"] if plan.adapter.placement == "processes" else []
    )


def _shell_path(value: Value) -> str:
    """A run-side path as one bash word: its variables expand, all else is quoted."""
    if not isinstance(value, str):
        return "''"
    parts = VARIABLE.split(value)
    words = [f'"${parts[i]}"' if i % 2 else shlex.quote(parts[i]) for i in range(len(parts)) if parts[i]]
    return "".join(words) or "''"
