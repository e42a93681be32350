"""What a hardware adapter is: data about one backend, in the plan's words, never in RLinf's keys.

An adapter is an `Adapter` object found by an entry point of group `vlac.adapters`; a third party ships one
without touching vlac. `vlac/rlinf` turns its words into the keys of an RLinf version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from vlac.workloads import Replacement, Support

Scope = Literal["node", "driver", "worker"]


@dataclass(frozen=True, slots=True)
class Device:
    """A kind of accelerator. `memory_gib` counts per card; `source` says where the facts are from."""

    name: str
    memory_gib: float | None
    source: str
    cards_per_node: int | None = None
    ranks_per_card: int = 1
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that the backend sets, and why.

    `scope` is where it must be visible: `node` before `ray start` on each node, `driver` in the head's driver
    (RLinf pushes those to all nodes), `worker` in every worker. `required` ones cannot be changed by `env:`;
    `multi_node_only` ones are left out of a run on one node.
    """

    name: str
    value: str
    scope: Scope
    why: str
    source: str
    required: bool = False
    multi_node_only: bool = False


@dataclass(frozen=True, slots=True)
class Preference:
    """A value that the backend wants for a spec field (`fsdp.version`), unless the user writes another."""

    field: str
    value: bool | int | float | str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """The only values of a spec field with which this backend works."""

    field: str
    allowed: tuple[bool | int | float | str, ...]
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class WorkerFile:
    """A file that goes into the bundle's `bootstrap/`, which is on PYTHONPATH of driver and workers."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class NodeReport:
    """What a probe saw on this machine: device names, and remarks for a person."""

    devices: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def _no_probe() -> NodeReport:
    return NodeReport(remarks=("this adapter has no probe",))


@dataclass(frozen=True, slots=True)
class Adapter:
    """One backend.

    `placement` is `devices` where RLinf counts accelerators, `processes` where ranks are processes of a node
    without any. `collective` is the process-group backend that training ends up with. `shell_setup` is bash
    that `launch.sh` runs before anything else (it may read unset variables). `worker_hooks` are modules in
    `worker_files` with a `register()` that every worker calls once. `notes` are what a person should know, shown by
    `vlac plan`. `probe` looks at this machine; no command calls it.
    """

    name: str
    summary: str
    placement: Literal["devices", "processes"]
    collective: str
    devices: tuple[Device, ...] = ()
    variables: tuple[Variable, ...] = ()
    preferences: tuple[Preference, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    shell_setup: str = ""
    worker_files: tuple[WorkerFile, ...] = ()
    worker_hooks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    support: tuple[Support, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    probe: Callable[[], NodeReport] = _no_probe
