"""What a hardware adapter is: data about one backend, in the plan's words, never in RLinf's keys.

An adapter is an `Adapter` object found by an entry point of group `vlac.adapters`; a third party ships one
without touching vlac. `vlac/rlinf` turns its words into the keys of an RLinf version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.variable_values import Values
    from vlac.workloads import Replacement, Support

Scope = Literal["node", "driver", "worker"]


@dataclass(frozen=True, slots=True)
class Device:
    """A kind of accelerator.

    `memory_gib` counts per card; `source` says where the facts are from. `reported` holds what the tools of the vendor
    call it, as (tool, name); `aliases` may stand in a spec.
    """

    name: str
    memory_gib: float | None
    source: str
    cards_per_node: int | None = None
    ranks_per_card: int = 1
    aliases: tuple[str, ...] = ()
    reported: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that the backend sets or knows, and why.

    `value` None: vlac leaves it alone, and `why` says for what reason. `scope` is where it must be visible: `node`
    before `ray start` on each node, `driver` in the head's driver (RLinf pushes those to all nodes), `worker` in every
    worker. `required` ones cannot be changed by `env:`; `multi_node_only` ones are left out of a run on one node. What
    differs, or may differ, `by_node` is kept out of the driver, from where RLinf would push it to all nodes.

    `takes` are the allowed values (None: any text), `default` is what holds where nobody sets it (None: nothing, or
    not documented), `since` the first version that reads it, as (component of the stack, version).
    """

    name: str
    value: str | None
    scope: Scope
    why: str
    source: str
    required: bool = False
    multi_node_only: bool = False
    by_node: Literal["same", "may differ", "differs"] = "same"
    takes: Values | None = None
    default: str | None = None
    since: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """What the rules of a backend look at: the environment of a run, and the hardware and software under it.

    `variables` maps names to values, None for one whose value somebody else decides later; a name that is absent is
    not set. `stack` maps components to versions, as far as anybody said.
    """

    variables: Mapping[str, str | None]
    device: Device | None = None
    cards: int = 1
    nodes: int = 1
    stack: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Objection:
    """What a rule has against a setup.

    `about` names the variables (or components of the stack) to blame, the first most. An error breaks or hangs the
    run; a warning does not. `instead` says what to write in the spec.
    """

    about: tuple[str, ...]
    message: str
    instead: str
    severity: Literal["error", "warning"] = "error"


Rule = Callable[[Setup], Iterable[Objection]]
"""A rule of a backend; the first line of its docstring is its entry in the documentation."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the software stack: the key in `hardware.stack`. `fits(written, row)` compares with a row's version."""

    name: str
    meaning: str
    fits: Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Stack:
    """Which versions of a backend's software go together.

    `rows` map components to versions; one that a row leaves out does not matter there. What is in no row is a warning;
    `rules` find what cannot work.
    """

    components: tuple[Component, ...]
    rows: tuple[Mapping[str, str], ...]
    source: str
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Injection:
    """A way in which the backend gets into every process, for the versions of its software that it suits.

    `without` names the variables and worker files of the adapter that this way does not need.
    """

    name: str
    why: str
    source: str
    suits: Callable[[Mapping[str, str]], bool]
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that other backends can and this one cannot; `feature` is a name of `vlac.rlinf.features`."""

    feature: str
    why: str
    instead: str
    source: str
    severity: Literal["error", "warning"] = "error"


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


Kind = Literal["cause", "consequence", "warning", "noise"]


@dataclass(frozen=True, slots=True)
class Signature:
    """A text in a log that tells what went wrong, for `vlac diagnose`.

    `patterns` are texts of which one stands in the line, in whole words; `...` in them stands for anything. Where
    `near` is given, that text stands in the same error report too (a traceback with its frames). `kind`: a `cause`; a
    `consequence` of a fault elsewhere; a `warning` that runs which go well print too; `noise`, which tells nothing.
    `retryable`: whether the same run may succeed when it is started again, unchanged. One that `is_general` gives way
    to any other in the same report. `id` is stable; those of an adapter begin with its name and a dash.
    """

    id: str
    patterns: tuple[str, ...]
    kind: Kind
    what: str
    cure: str
    source: str
    retryable: bool = False
    near: str = ""
    is_general: bool = False


@dataclass(frozen=True, slots=True)
class WorkerFile:
    """A file that goes into the bundle's `bootstrap/`, which is on PYTHONPATH of driver and workers."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """A file before and after a source patch, as the sha256 of its content with LF line ends."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PatchVariant:
    """A source patch as one tree takes it.

    `project` is whose files change, `tree` which state of them: a version of RLinf by its name, or a release. `diff` is
    a file with the unified diff, its paths relative to the folder that holds the project's package.
    """

    project: Literal["rlinf", "openpi"]
    tree: str
    diff: Path
    files: tuple[PatchedFile, ...]


@dataclass(frozen=True, slots=True)
class SourcePatch:
    """A change to RLinf's own files, or to those of a library under it, that a spec can opt in to with `patches`.

    `purpose` says what it changes, `evidence` why it is needed and who says so, `unneeded` how to see that it is not,
    `numbers` what it does to the results of a training. `models` are RLinf's words for the models whose runs it
    reaches, none: any. A file belongs to one patch.
    """

    id: str
    purpose: str
    evidence: str
    unneeded: str
    numbers: str
    variants: tuple[PatchVariant, ...]
    models: tuple[str, ...] = ()


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
    `vlac plan`. `signatures` are what its runtime prints when it fails. `probe` looks at this
    machine, for `vlac doctor`.

    `rules` check an environment, `stack` the versions of the software. The plan takes the first of `injections` that
    suits the versions in the spec; where none are written, the last, which has to work on all.

    `patches` are source patches that a spec can opt in to.

    `support` is what is known of kinds of runs, `replacements` what a run with a `base` takes instead of what the
    backend cannot do; without rows of support the backend has no opinion.
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
    signatures: tuple[Signature, ...] = ()
    rules: tuple[Rule, ...] = ()
    stack: Stack | None = None
    injections: tuple[Injection, ...] = ()
    lacks: tuple[Lack, ...] = ()
    patches: tuple[SourcePatch, ...] = ()
    support: tuple[Support, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    probe: Callable[[], NodeReport] = _no_probe
