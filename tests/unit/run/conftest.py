"""A bundle whose trainer and Ray are small scripts: what launch.sh and the supervisor do can be seen in seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import pytest

from vlac.adapters import Adapter
from vlac.bundle import launch_sh, run_env
from vlac.models.families import FAMILIES
from vlac.plan.ir import PlannedVariable, RunPlan
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf import versions

if TYPE_CHECKING:
    from collections.abc import Callable

ORIGIN = Origin(Layer.SPEC, "a test")

# Stands in for `python -m ray.scripts.scripts start`: it says that it is up and stays until it is ended.
FAKE_RAY = """
import json, os, sys, time
folder = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--temp-dir="))
os.makedirs(folder)
with open(os.environ["VLAC_RUN_DIR"] + "/ray.json", "w") as file:
    ports = {name: value for name, value in os.environ.items() if name.endswith("_METRIC_PORT")}
    leads = os.getsid(0) == os.getpid()
    record = {"argv": sys.argv, "ports": ports, "python": sys.executable, "is_session_leader": leads}
    of_node = {name: value for name, value in os.environ.items() if name.startswith("NODE_")}
    json.dump({**record, "of_node": of_node}, file)
if os.environ.get("FAKE_RAY") == "broken":
    sys.exit("Ray is broken")
with open(folder + "/ray_current_cluster", "w") as file:
    file.write("127.0.0.1:" + str(os.getpid()))
time.sleep(600)
"""

# Records how it was started, then does what the variable FAKE_TRAINER holds.
FAKE_TRAINER = """
import json, os, sys, time
record = {"argv": sys.argv, "cwd": os.getcwd(), "env": dict(os.environ), "python": sys.executable}
with open(os.environ["VLAC_RUN_DIR"] + "/started.json", "w") as file:
    json.dump(record, file)
print("training", flush=True)
exec(os.environ.get("FAKE_TRAINER", ""))
"""

FAKE_DATA = """
import os, sys
os.makedirs(sys.argv[1])
print("wrote", sys.argv[1])
"""


def variable(name: str, value: str | None) -> PlannedVariable:
    return PlannedVariable(name, value, "driver", "a test wants it", "a test", ORIGIN)


def make_plan(
    settings: dict[str, Any],
    environment: dict[str, str | None] | None = None,
    secrets: tuple[str, ...] = (),
    adapter: Adapter | None = None,
) -> RunPlan:
    """A plan of the demo on processes, with these settings over a few of its own."""
    values = {
        "name": "tiny",
        "model.family": "demo",
        "hardware.nodes": 1,
        "output": "${oc.env:VLAC_SPEC_DIR}/results",
        "data.path": "${oc.env:VLAC_RUN_DIR}/data",
        **settings,
    }
    return RunPlan(
        loaded=cast("Any", None),
        version=versions.V0_3,
        family=FAMILIES[str(values["model.family"])],
        adapter=adapter or Adapter(name="fake", summary="", placement="processes", collective="gloo"),
        settings=MappingProxyType({path: Setting(value, ORIGIN) for path, value in values.items()}),
        environment=tuple(variable(name, value) for name, value in (environment or {}).items()),
        secrets=secrets,
    )


def write_bundle(folder: Path, plan: RunPlan) -> Path:
    """Write the plan's launch.sh and run.env into `folder`, beside the fakes; return the script."""
    files = {
        "launch.sh": launch_sh.emit(plan),
        "run.env": run_env.emit(plan),
        "config.yaml": b"a: 1\n",
        "vlac.lock.json": b"{}\n",
        "bootstrap/train_vla_sft.py": FAKE_TRAINER.encode(),
        "bootstrap/vlac_demo/generate.py": FAKE_DATA.encode(),
        "bootstrap/ray/scripts/scripts.py": FAKE_RAY.encode(),
        "bootstrap/ray/__init__.py": b"",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / "launch.sh"


@dataclass
class Shell:
    """Starts launch.sh by hand, as a user does, with an environment of few variables."""

    spec_dir: Path
    environment: dict[str, str] = field(default_factory=dict)

    def all_variables(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {
            "PATH": path,
            "HOME": str(self.spec_dir),
            "VLAC_SPEC_DIR": str(self.spec_dir),
            **self.environment,
        }

    def start(self, script: Path, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", str(script), *arguments],
            env=self.all_variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            **options,
        )

    def run(self, script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        process = self.start(script, *arguments)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def bundle() -> Callable[..., Path]:
    """`bundle(folder, settings, environment, secrets=, adapter=)` writes a bundle there and returns its launch.sh."""

    def write(folder: Path, settings: dict[str, Any] | None = None, *rest: Any, **options: Any) -> Path:
        return write_bundle(folder, make_plan(settings or {}, *rest, **options))

    write.make_plan = make_plan  # type: ignore[attr-defined]
    write.write_plan = write_bundle  # type: ignore[attr-defined]
    return write
