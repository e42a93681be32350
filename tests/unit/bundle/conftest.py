"""Small bundles whose lock is true, without a plan."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from vlac.bundle import lock
from vlac.diagnostics import Diagnostic, Position
from vlac.plan.ir import PlannedVariable
from vlac.plan.origins import Layer, Origin, Setting

EXECUTABLE = frozenset({"launch.sh"})
WRITTEN = Origin(Layer.SPEC, "written", Position("spec.yaml", 7, 12))
CONFIG = {
    ("actor", "optim", "lr"): Setting(2.5e-05, WRITTEN),
    ("cluster", "component_placement", "actor,env,rollout"): Setting("0-7", Origin(Layer.DERIVED, "8 ranks")),
}
DIAGNOSTICS = (
    Diagnostic("warmup-long", "预热太长", "warning", Position("a:b.yaml", 3, 1), "shorter", "warmup: 9"),
    Diagnostic("note", "a note", "note"),
)


def make_plan(name="tiny"):
    """What the lock reads of a plan."""
    return SimpleNamespace(
        name=name,
        loaded=SimpleNamespace(digest="ab" * 32),
        family=SimpleNamespace(name="pi05"),
        version=SimpleNamespace(name="0.3", commit="05" * 20, tree=None),
        adapter=SimpleNamespace(name="ascend"),
        device=SimpleNamespace(name="910B3"),
        base=None,
        patches=(),
        environment=(PlannedVariable("JAX_PLATFORMS", "cpu", "driver", "why", "source", WRITTEN),),
        derived={"world_size": Setting(8, Origin(Layer.DERIVED, "1 node x 8 ranks"))},
    )


def make_files(text="a: 1\n", plan=None, names=None):
    """A bundle whose content depends on `text`; with `names`, of these files only."""
    files = {
        "config.yaml": text.encode(),
        "launch.sh": b"#!/usr/bin/env bash\n",
        "run.env": b"A=1\n",
        "bootstrap/vlac_demo/model.py": b"# " + text.encode(),
    }
    files = {name: content for name, content in files.items() if names is None or name in names}
    files[lock.NAME] = lock.emit(plan or make_plan(), CONFIG, files, DIAGNOSTICS, EXECUTABLE)
    return files


@pytest.fixture
def files():
    return make_files()
