"""Entry scripts: the `@hydra.main` functions of a checkout, and which of them a kind of run is started with.

The configs beside a script say what it is for: their `task_type` and `model_type`. Where only the installed package
is there, a script is made up from its worker classes, as the examples of RLinf 0.3 write it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.rlinf.reads.tree import EVALUATIONS, EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.rlinf.reads.tree import Module, Tree

_TASK = re.compile(r"""^\s+task_type:\s*["']?(\w+)""", re.MULTILINE)
_MODEL = re.compile(r"""^\s*model_type:\s*["']?([\w.]+)""", re.MULTILINE)
_MODEL_GROUP = re.compile(r"^\s*-\s*(?:override\s+)?/?(model/[\w.-]+)", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """The kind of run that is asked about."""

    task: str
    model_type: str
    backend: str


@dataclass(frozen=True)
class Entry:
    """A function `main(cfg)` that a run begins with."""

    module: Module
    function: str
    configs: str = ""  # the folder of its configs
    default: str = ""  # the config that it takes where none is named

    @property
    def file(self) -> str:
        """The file, as it is called in the tree."""
        return self.module.file


def entries_of(tree: Tree, run: Run, config: str = "") -> list[Entry]:
    """The scripts that such a run may be started with, by the configs beside them.

    `config` is the run's own config file, as it is called in the tree: of several scripts, those beside it are meant.
    """
    if not tree.has_examples:
        return [_made_up(tree, run)]
    every = list(scripts_of(tree))
    beside = _beside(every, config)
    if len(beside) == 1:
        return beside
    scripts = [(entry, _evidence(tree, entry, run)) for entry in beside or every]
    for which in (0, 1):
        most = max((evidence[which] for _, evidence in scripts), default=0)
        if most:
            found = [entry for entry, evidence in scripts if evidence[which] == most]
            return _made_for(tree, found, run)
    raise RefusedError(
        f"{tree.root}: no entry script beside a config with task_type {run.task}",
        hint=f"the tasks of its configs are {', '.join(sorted(_tasks(tree))) or 'none'}",
    )


def _beside(scripts: list[Entry], config: str) -> list[Entry]:
    """The script that takes a config by default, else those that look for it in its folder or one above, else one of
    the same example that takes a config of its name.
    """
    path = PurePosixPath(config)
    folders = {folder.as_posix() for folder in path.parents}
    near = [entry for entry in scripts if entry.configs in folders]
    example = "/".join(path.parts[:2])
    named = [
        entry for entry in scripts if entry.default == path.stem and entry.file.startswith(f"{example}/")
    ]
    return [entry for entry in near if f"{entry.configs}/{entry.default}.yaml" == config] or near or named


def _made_for(tree: Tree, entries: list[Entry], run: Run) -> list[Entry]:
    """Without the scripts whose own default config is of another task, and those that only evaluate."""
    kept = [entry for entry in entries if _default_tasks(tree, entry) <= {run.task}] or entries
    evaluates = run.task.endswith("_eval")
    return [entry for entry in kept if ("eval" in PurePosixPath(entry.file).stem) == evaluates] or kept


def _default_tasks(tree: Tree, entry: Entry) -> set[str]:
    """The task of the config that a script takes by default, empty where there is no such file."""
    config = tree.configs.get(f"{entry.configs}/{entry.default}.yaml", "")
    return set(_TASK.findall(config))


def _tasks(tree: Tree) -> set[str]:
    return {task for text in tree.configs.values() for task in _TASK.findall(text)}


def scripts_of(tree: Tree) -> Iterator[Entry]:
    """Every `@hydra.main` function of examples and evaluations, with its folder of configs."""
    for file, source in tree.sources.items():
        if file.startswith((f"{EXAMPLES}/", f"{EVALUATIONS}/")) and b"hydra.main" in source:
            module = tree.module(file.removesuffix(".py").replace("/", "."))
            yield from _mains(module) if module else ()


def _mains(module: Module) -> Iterator[Entry]:
    for name, definition in module.definitions.items():
        if isinstance(definition, ast.ClassDef):
            continue
        for decorator in definition.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "hydra.main":
                path, default = _option(decorator, "config_path"), _option(decorator, "config_name")
                folder = PurePosixPath(module.file).parent / (path or "config")
                yield Entry(module, name, folder.as_posix(), default)


def _option(decorator: ast.Call, name: str) -> str:
    values = (keyword.value for keyword in decorator.keywords if keyword.arg == name)
    return next((str(value.value) for value in values if isinstance(value, ast.Constant)), "")


def _evidence(tree: Tree, entry: Entry, run: Run) -> tuple[int, int]:
    """How many configs beside a script are of this task and model type, and how many of this task."""
    texts = [text for file, text in tree.configs.items() if file.rpartition("/")[0] == entry.configs]
    of_task = [text for text in texts if run.task in _TASK.findall(text)]
    return sum(run.model_type in _model_types(tree, text) for text in of_task), len(of_task)


def _model_types(tree: Tree, text: str) -> set[str]:
    """The model types that a config or the model groups in its defaults name."""
    groups = tuple(f"/{group}.yaml" for group in _MODEL_GROUP.findall(text))
    named = [other for file, other in tree.configs.items() if groups and file.endswith(groups)]
    return {found for part in (text, *named) for found in _MODEL.findall(part)}


# The installed package

_SFT = """
from rlinf.config import validate_cfg
from rlinf.runners.sft_runner import SFTRunner
from rlinf.scheduler import Cluster
from rlinf.utils.placement import HybridComponentPlacement
from {actor_module} import {actor}

def main(cfg):
    cfg = validate_cfg(cfg)
    cluster = Cluster(cluster_cfg=cfg.cluster)
    component_placement = HybridComponentPlacement(cfg, cluster)
    actor_placement = component_placement.get_strategy("actor")
    actor_group = {actor}.create_group(cfg).launch(
        cluster, name=cfg.actor.group_name, placement_strategy=actor_placement
    )
    runner = SFTRunner(cfg=cfg, actor=actor_group)
    runner.init_workers()
    runner.run()
"""
_EMBODIED = """
from rlinf.config import validate_cfg
from rlinf.runners.embodied_runner import EmbodiedRunner
from rlinf.scheduler import Cluster
from rlinf.utils.placement import HybridComponentPlacement
from rlinf.workers.env.env_worker import EnvWorker
from rlinf.workers.rollout.hf.huggingface_worker import MultiStepRolloutWorker
from {actor_module} import {actor}

def main(cfg):
    cfg = validate_cfg(cfg)
    cluster = Cluster(cluster_cfg=cfg.cluster, distributed_log_dir=cfg.runner.per_worker_log_path)
    component_placement = HybridComponentPlacement(cfg, cluster)
    actor_placement = component_placement.get_strategy("actor")
    actor_group = {actor}.create_group(cfg).launch(
        cluster, name=cfg.actor.group_name, placement_strategy=actor_placement
    )
    rollout_group = MultiStepRolloutWorker.create_group(cfg).launch(cluster, name=cfg.rollout.group_name)
    env_group = EnvWorker.create_group(cfg).launch(cluster, name=cfg.env.group_name)
    runner = EmbodiedRunner(cfg=cfg, actor=actor_group, rollout=rollout_group, env=env_group)
    runner.init_workers()
    runner.run()
"""
MADE_UP = "(entry script)"
_LANGUAGE_MODELS = ("qwen",)
# task, backend, whether a language model: the script, and the class of its actor
_MADE_UP = {
    ("sft", "fsdp", False): (_SFT, "FSDPVlaSftWorker"),
    ("sft", "fsdp", True): (_SFT, "FSDPVlmSftWorker"),
    ("sft", "megatron", True): (_SFT, "MegatronVlmSftWorker"),
    ("embodied", "fsdp", False): (_EMBODIED, "EmbodiedFSDPActor"),
}


def _made_up(tree: Tree, run: Run) -> Entry:
    """A script around the worker class, for a tree without examples."""
    case = (run.task, run.backend, run.model_type.startswith(_LANGUAGE_MODELS))
    script, actor = _MADE_UP.get(case, ("", ""))
    module = _module_of(tree, actor) if actor else None
    if module is None:
        raise RefusedError(
            f"{tree.root} holds the package without RLinf's examples, which say how a run of task {run.task} with"
            f" {run.model_type} on {run.backend} starts",
            hint="give the root of a checkout with --rlinf",
        )
    source = script.format(actor=actor, actor_module=module)
    return Entry(tree.add("_entry", MADE_UP, source), "main")


def _module_of(tree: Tree, name: str) -> str | None:
    """The module that defines a class."""
    mark = re.compile(rf"^class {name}\b".encode(), re.MULTILINE)
    for file, source in tree.sources.items():
        if mark.search(source):
            return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return None
