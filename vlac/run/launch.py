"""What `vlac run` executes: launch.sh of a bundle, with a few variables; and the same in words, for `--dry-run`.

The decisions are launch.sh's; this module makes the same ones, so that preflight and `--dry-run` can tell them before
anything is written. A test compares both.
"""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.bundle import launch_sh, run_env
from vlac.errors import MachineError
from vlac.run.folders import next_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.bundle import Bundle
    from vlac.plan.ir import RunPlan

SMOKE_STEPS = 2
"""Optimizer steps that a short trial makes."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A bundle on this machine. `shell` is the environment that vlac itself was started with."""

    bundle: Bundle
    spec_dir: Path
    shell: Mapping[str, str]
    own_python: str
    overrides: tuple[str, ...] = ()

    @property
    def plan(self) -> RunPlan:
        """The plan of the bundle."""
        return self.bundle.plan

    @property
    def variables(self) -> dict[str, str]:
        """Every variable that the script knows: the shell's, the spec's folder, then what run.env sets over them."""
        own = run_env.read(self.bundle.files["run.env"])
        return {**self.shell, launch_sh.SPEC_DIR: str(self.spec_dir), **own}

    @property
    def runs(self) -> Path:
        """The folder that holds the run folders of this name."""
        return Path(self._path("output") or "") / self.plan.name

    @property
    def checkout(self) -> Path | None:
        """The RLinf checkout, None where RLinf is an installed package."""
        path = self._path("rlinf.path")
        return Path(path) if path else None

    @property
    def python(self) -> str:
        """The interpreter of driver and workers."""
        if written := self._path("rlinf.python"):
            return written
        if self.checkout is None:
            return self.own_python
        own = self.checkout / ".venv/bin/python"
        return str(own) if own.is_file() else "python"

    def entry(self, run: Path) -> Path:
        """The entry script, for a run folder that holds the bundle."""
        entry = launch_sh.entry(self.plan)
        return (run / "bundle" if entry == launch_sh.BUNDLE_ENTRY else self.checkout or Path()) / entry

    def command(self, run: Path) -> list[str]:
        """The command that vlac supervises."""
        return ["bash", str(run / "bundle/launch.sh"), *self.overrides]

    def own_variables(self, run: Path) -> dict[str, str]:
        """The variables that vlac adds to the shell's for the script."""
        return {
            launch_sh.SPEC_DIR: str(self.spec_dir),
            "VLAC_PYTHON": self.own_python,
            "VLAC_TAKEN_RUN_DIR": str(run),
        }

    def _path(self, field: str) -> str | None:
        value = self.plan.get(field)
        return resolve(value, self.variables) if isinstance(value, str) else None


def resolve(path: str, variables: Mapping[str, str]) -> str:
    """A run-side path with its variables replaced. Raises `MachineError` naming one that is not set."""
    parts = launch_sh.VARIABLE.split(path)
    for index in range(1, len(parts), 2):
        if not variables.get(parts[index]):
            raise MachineError(
                f"{parts[index]} is not set, and {path} begins with it", f"export {parts[index]} first"
            )
        parts[index] = variables[parts[index]]
    return "".join(parts)


def describe(launch: Launch) -> str:
    """What would be executed, as commands of a shell; nothing is executed or written for it."""
    run = launch.runs / str(next_number(launch.runs))
    sections = [
        f"# What `vlac run` would execute; nothing was written or started.\n# Run folder: {run}",
        _supervised(launch, run),
        _shell_setup(launch.plan),
        "# run.env, whose values win over the shell's\n" + launch.bundle.files["run.env"].decode().strip(),
        _own_exports(launch, run),
        _commands(launch, run),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _supervised(launch: Launch, run: Path) -> str:
    return "\n".join(
        [
            f"# The bundle is written to {shlex.quote(f'{run}/bundle')}; vlac supervises this command:",
            *(f"export {name}={shlex.quote(value)}" for name, value in launch.own_variables(run).items()),
            "export VLAC_SCRATCH_DIR=/tmp/vlac.XXXXXX",
            shlex.join(launch.command(run)),
        ]
    )


def _shell_setup(plan: RunPlan) -> str:
    setup = plan.adapter.shell_setup.strip()
    return f"# the set-up of backend {plan.adapter.name}\n{setup}" if setup else ""


def _own_exports(launch: Launch, run: Path) -> str:
    lines = ["# what the script adds", f"export VLAC_RUN_DIR={shlex.quote(str(run))}"]
    if launch.checkout:
        lines.append(f"export REPO_PATH={shlex.quote(str(launch.checkout))}")
        if example := launch_sh.example(launch.plan):
            lines.append(f"export EMBODIED_PATH={shlex.quote(f'{launch.checkout}/{example}')}")
    paths = [f"{run}/bundle/bootstrap", *([str(launch.checkout)] if launch.checkout else [])]
    inherited = launch.variables.get("PYTHONPATH")
    paths += [inherited] if inherited else []
    lines += [f"export PYTHONPATH={shlex.quote(':'.join(paths))}", "export PYTHONUNBUFFERED=1"]
    return "\n".join(lines)


def _commands(launch: Launch, run: Path) -> str:
    python = shlex.quote(launch.python)
    lines = ["# Ray of its own, the training, and the end of both", *_ray(launch, python)]
    if launch_sh.writes_data(launch.plan):
        lines.append(f"{python} -m vlac_demo.generate {shlex.quote(f'{run}/data')}")
    if names := launch_sh.of_node(launch.plan):
        lines.append(f"unset {' '.join(names)} # they belong to a node, not to RLinf's driver")
    lines.append(f"cd {shlex.quote(str(launch.checkout or run))}")
    lines.append(f"setsid {shlex.join(training(launch, run))}")
    return "\n".join(lines)


def training(launch: Launch, run: Path) -> list[str]:
    """The command of the training itself."""
    config = ["--config-path", f"{run}/bundle", "--config-name", "config"]
    return [
        launch.python,
        str(launch.entry(run)),
        *config,
        *launch_sh.arguments(launch.plan),
        *launch.overrides,
    ]


def _ray(launch: Launch, python: str) -> list[str]:
    if address := launch.variables.get("RAY_ADDRESS"):
        return [f"# the Ray at RAY_ADDRESS={address} is used and left running"]
    words = ["start", "--head", "--block", "--port=0", "--ray-client-server-port=A_FREE_PORT"]
    words += ["--include-dashboard=false", "--disable-usage-stats", "--temp-dir=/tmp/vlac.XXXXXX/ray"]
    words += launch_sh.ray_options(launch.plan)
    return [
        "export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=/tmp/vlac.XXXXXX/token # which holds a new random token",
        f"AUTOSCALER_METRIC_PORT=0 DASHBOARD_METRIC_PORT=0 setsid {python} -m ray.scripts.scripts {' '.join(words)} &",
        "export RAY_ADDRESS=ADDRESS_OF_THAT_RAY",
    ]


def first_step(plan: RunPlan) -> int:
    """The first optimizer step of a run: 1, or the one after the checkpoint that it goes on from."""
    resume = plan.get("checkpoints.resume")
    return int(resume.rpartition("_")[2]) + 1 if isinstance(resume, str) else 1


def smoke_steps(plan: RunPlan) -> int:
    """`runner.max_steps` of a short trial: RLinf counts the steps before a checkpoint too."""
    return first_step(plan) - 1 + SMOKE_STEPS


def placeholders(bundle: Bundle) -> list[str]:
    """Keys of the configuration whose value is still a placeholder such as /path/to/model."""
    from vlac.rlinf.placeholders import placeholders as held

    return [".".join(key) for key, _ in held(dict(bundle.config))]


def is_program(name: str) -> bool:
    """Whether a name or path can be executed."""
    return shutil.which(name) is not None
