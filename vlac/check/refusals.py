"""RLinf's own assertions, evaluated on the configuration: what `validate_cfg` refuses, before Ray and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.check.subject import OWN_MODEL_TYPES
from vlac.rlinf.reads.rehearsal import Devices
from vlac.rlinf.reads.rehearsal.api import follow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.reads import Tree
    from vlac.rlinf.reads.rehearsal import Refusal
    from vlac.rlinf.templates import Key

_MODULE, _FUNCTION = "rlinf.config", "validate_cfg"
# Kinds of hardware register themselves when their modules are imported (rlinf/scheduler/hardware, v0.3 and main), which
# nobody does here; interpolations are looked at by themselves.
_LEFT_OUT = "rlinf/scheduler/hardware/"
_OWN_FINDING = "InterpolationKeyError"


def refusals(subject: Subject, target: Target, told: Sequence[Key]) -> tuple[list[Finding], tuple[str, ...]]:
    """What RLinf's validation ends every such run with, and what could not be looked at.

    `told` are keys with an error already: what RLinf says of them is no second problem.
    """
    if target.tree is None or not any(_validates(target.tree, entry) for entry in target.entries):
        return [], ()
    try:
        refused = _refused(target.tree, _as_started(subject, target), _devices(subject))
    except Exception as fault:  # a tree that is not understood costs these findings alone
        return [], (
            f"RLinf's own assertions: vlac does not understand them ({type(fault).__name__}: {fault})",
        )
    fresh = [one for one in refused if not any(_concerns(one, key) for key in told)]
    return [_finding(subject, one) for one in fresh], ()


def _validates(tree: Tree, entry: str) -> bool:
    """Whether a script, or the one that is made up for an installed package, has its configuration validated."""
    return entry not in tree.sources or _FUNCTION.encode() in tree.sources[entry]


def _refused(tree: Tree, config: Mapping[str, object], devices: Devices) -> list[Refusal]:
    module = tree.module(_MODULE)
    if module is None or _FUNCTION not in module.definitions:
        return []
    world = follow(tree, module, _FUNCTION, config, devices, OWN_MODEL_TYPES)
    return [
        one
        for one in world.refusals.values()
        if one.certain and not one.file.startswith(_LEFT_OUT) and one.error != _OWN_FINDING
    ]


def _as_started(subject: Subject, target: Target) -> Mapping[str, object]:
    """The configuration as the script hands it on: the one that evaluates sets the task itself."""
    runner = subject.nested.get("runner")
    if not isinstance(runner, dict) or not all(one.startswith("evaluations/") for one in target.entries):
        return subject.nested
    return {**subject.nested, "runner": {**runner, "task_type": "embodied_eval"}}


def _devices(subject: Subject) -> Devices:
    nodes = subject.value("cluster", "num_nodes")
    if subject.accelerators is None or not isinstance(nodes, int) or not nodes:
        return Devices()
    return Devices(subject.accelerators // nodes)


def _concerns(refusal: Refusal, key: Key) -> bool:
    return any(one[: len(key)] == key or key[: len(one)] == one for one in refusal.keys)


def _finding(subject: Subject, refusal: Refusal) -> Finding:
    said = " ".join(refusal.message.split()) or refusal.condition
    message = f"RLinf refuses this ({refusal.error} at {refusal.file}:{refusal.line}): {said}"
    hint = f"it asks for `{refusal.condition}`" if refusal.kind == "assert" and refusal.message else None
    key = next((one for one in refusal.keys if subject.has(one)), (*refusal.keys, ())[0])
    return subject.finding("check-assertion", message, key, hint=hint)
