"""The words that a tree accepts: model types, tasks, backends, loggers, schedules, sharding, openpi configs.

Each is found where RLinf 0.3 and its main branch of 2026-08 keep it; a tree that keeps one elsewhere has none here,
which means "not known", not "nothing is accepted".
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from vlac.rlinf.reads.tree import Module, Tree


def enumerations(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    """The accepted words by what they are for, each in the order of the code, without those that are not found."""
    found = {name: tuple(dict.fromkeys(words(tree))) for name, words in _FINDERS.items()}
    return {name: words for name, words in found.items() if words}


def _model_types(tree: Tree) -> Iterator[str]:
    """`SupportedModel`: an enumeration, its members texts or tuples that begin with one (RLinf 0.2), or
    `SupportedModel.NAME = SupportedModel.register("name")`.
    """
    module = tree.module("rlinf.config")
    if module is None:
        return
    made = module.definitions.get("SupportedModel")
    if isinstance(made, ast.ClassDef):
        members = [part.value for part in made.body if isinstance(part, ast.Assign)]
        first = (node.elts[0] if isinstance(node, ast.Tuple) and node.elts else node for node in members)
        yield from (word for node in first for word in _word(node))
    for call in _calls(module, "register"):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "SupportedModel":
            yield from (word for argument in call.args[:1] for word in _word(argument))


def _assigned(module_name: str, name: str) -> Callable[[Tree], Iterator[str]]:
    """The words of a list that a module, or a class in it, gives a name."""

    def find(tree: Tree) -> Iterator[str]:
        module = tree.module(module_name)
        for node in _walk(module):
            if isinstance(node, ast.Assign) and any(_is_name(target, name) for target in node.targets):
                items = node.value.elts if isinstance(node.value, (ast.List, ast.Tuple, ast.Set)) else []
                yield from (word for item in items for word in _word(item))

    return find


def _compared(function: str, parameter: str) -> Callable[[Tree], Iterator[str]]:
    """The words that a function of the FSDP engine compares a parameter with, or looks it up among."""

    def find(tree: Tree) -> Iterator[str]:
        module = tree.module("rlinf.hybrid_engines.fsdp.utils")
        definition = module.definitions.get(function) if module else None
        for node in ast.walk(definition) if definition else ():
            if isinstance(node, ast.Compare) and _is_name(node.left, parameter):
                yield from (word for right in node.comparators for word in _words(right))
            elif isinstance(node, ast.Dict):
                yield from (word for key in node.keys if key for word in _word(key))
            elif isinstance(node, ast.MatchValue):
                yield from _word(node.value)

    return find


def _openpi_configs(tree: Tree) -> Iterator[str]:
    """The names of the `TrainConfig`s that RLinf registers for openpi."""
    for call in _calls(tree.module("rlinf.models.embodiment.openpi.dataconfig"), "TrainConfig"):
        named = (keyword.value for keyword in call.keywords if keyword.arg == "name")
        yield from (word for value in named for word in _word(value))


def _calls(module: Module | None, name: str) -> Iterator[ast.Call]:
    for node in _walk(module):
        if isinstance(node, ast.Call) and _is_name(node.func, name):
            yield node


def _walk(module: Module | None) -> Iterator[ast.AST]:
    for statement in module.body if module else ():
        yield from ast.walk(statement)


def _is_name(node: ast.expr, name: str) -> bool:
    return getattr(node, "attr", getattr(node, "id", None)) == name


def _word(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _words(node: ast.expr) -> Iterator[str]:
    items = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    yield from (word for item in items for word in _word(item))


_FINDERS: Mapping[str, Callable[[Tree], Iterator[str]]] = {
    "task_types": _assigned("rlinf.config", "SUPPORTED_TASK_TYPE"),
    "model_types": _model_types,
    "training_backends": _assigned("rlinf.config", "SUPPORTED_TRAINING_BACKENDS"),
    "rollout_backends": _assigned("rlinf.config", "SUPPORTED_ROLLOUT_BACKENDS"),
    "logger_backends": _assigned("rlinf.utils.metric_logger", "supported_logger"),
    "schedulers": _compared("get_lr_scheduler", "lr_scheduler"),
    "sharding_strategies": _compared("get_sharding_strategy", "strategy_str"),
    "openpi_configs": _openpi_configs,
}
