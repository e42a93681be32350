"""Rehearse a configuration on a tree."""

from __future__ import annotations

import ast
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from vlac.rlinf.reads import cache
from vlac.rlinf.reads.entries import Run, entries_of, scripts_of
from vlac.rlinf.reads.known import Known, Setting
from vlac.rlinf.reads.rehearsal import calls
from vlac.rlinf.reads.rehearsal.classes import Classes
from vlac.rlinf.reads.rehearsal.devices import Devices
from vlac.rlinf.reads.rehearsal.errors import OutOfSteps, RaisedError
from vlac.rlinf.reads.rehearsal.names import Names
from vlac.rlinf.reads.rehearsal.records import Frame
from vlac.rlinf.reads.rehearsal.refusal import Rehearsal, from_json, to_json
from vlac.rlinf.reads.rehearsal.sections import section_of
from vlac.rlinf.reads.rehearsal.values import Code, Value
from vlac.rlinf.reads.rehearsal.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from vlac.rlinf.reads.entries import Entry
    from vlac.rlinf.reads.tree import Module, Tree

_RECURSION_LIMIT = 20_000  # calls of the tree within calls, each some ten calls of ours
_ASKED = (("runner", "task_type"), ("actor", "model", "model_type"), ("actor", "training_backend"))


def rehearse(
    tree: Tree,
    config: Mapping[str, object],
    *,
    devices: Devices | None = None,
    file: str = "",
    entries: Sequence[str] = (),
    registered: Sequence[str] = (),
    folder: Path | None = None,
) -> Rehearsal:
    """Follow the code of a tree with one composed configuration, from its entry script on.

    `config` is as composed: interpolations of other keys are resolved as they are read, what a resolver such as
    `${oc.env:NAME}` gives is not known. `entries` are the scripts that are meant, as the tree calls them; without any,
    those of such a run, beside the config `file` if it lies in the tree. `registered` are names that the run itself
    registers with RLinf, as model types. `folder` is the cache; None keeps nothing (a kept result has no survey).

    Raises RefusedError where the tree has no entry script for such a run.
    """
    devices = devices or Devices()
    key = ""
    if folder is not None:
        asked = json.dumps(
            [config, asdict(devices), file, [*entries], [*registered]], sort_keys=True, default=str
        )
        key = cache.key_of("rehearsal", tree.content_hash(), asked)
    kept = cache.load(folder, key, from_json)
    if kept is not None:
        return kept
    worlds = [
        (entry, follow(tree, entry.module, entry.function, config, devices, registered))
        for entry in _meant(tree, config, entries, file)
    ]
    every = [
        Rehearsal(tuple(world.refusals.values()), (entry.file,), not world.exhausted, world.survey)
        for entry, world in worlds
    ]
    best = min(every, key=lambda one: (len(one.fatal), len(one.refusals)))
    cache.store(folder, key, to_json(best))
    return best


def _meant(tree: Tree, config: Mapping[str, object], entries: Sequence[str], file: str) -> list[Entry]:
    """The scripts that may start the run."""
    known = Known(config=config)
    found = (known.look_up(path) for path in _ASKED)
    run = Run(*(str(one.value) if isinstance(one, Setting) else "" for one in found))
    return [entry for entry in scripts_of(tree) if entry.file in entries] or entries_of(tree, run, file)


def follow(
    tree: Tree,
    module: Module,
    function: str,
    config: Mapping[str, object],
    devices: Devices,
    registered: Sequence[str] = (),
) -> World:
    """Follow `function(cfg)` of a module; where that led is in the world that comes back."""
    world = World(tree, devices, frozenset(registered))
    world.names, world.classes = Names(world), Classes(world)
    world.config = section_of(config)
    definition = module.definitions[function]
    assert isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        calls.call_code(
            world, Frame(module), Code(module, definition), (Value(world.config),), {}, definition
        )
    except OutOfSteps:
        world.exhausted = True
    except RaisedError as raised:
        world.refuse(raised.error)
    finally:
        sys.setrecursionlimit(limit)
    return world
