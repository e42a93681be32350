"""More words that a tree accepts: losses, advantages, environments, FSDP strategies, resolvers of interpolations.

Each is found where RLinf 0.3 and its main branch of 2026-08 keep it; a tree that keeps one elsewhere has none here,
which means "not known", not "nothing is accepted".
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from vlac.rlinf.reads import Tree

# OmegaConf 2.3's own resolvers (omegaconf/resolvers/oc) and Hydra's (hydra/core/utils.py).
_BUILT_IN_RESOLVERS = (
    "oc.env",
    "oc.create",
    "oc.decode",
    "oc.deprecated",
    "oc.select",
    "oc.dict.keys",
    "oc.dict.values",
    "hydra",
    "now",
    "python_version",
)


def accepted(tree: Tree, name: str) -> tuple[str, ...]:
    """The words that a tree accepts, by what they are for; empty where they are not found, or nobody knows the name."""
    finder = _FINDERS.get(name)
    return finder(tree) if finder else ()


def _registered(tree: Tree, decorator: str, attribute: str) -> tuple[str, ...]:
    """The words that a decorator registers, those that code compares the attribute with, and those of its configs."""
    modules = _with(tree, decorator.encode())
    registered = [word for module in modules for word in _decorated(module, decorator)]
    if not registered or not tree.configs:
        return ()
    # A loss or an advantage that another worker knows by itself is in no registry, but in a config of the tree.
    shipped = [word for text in tree.configs.values() for word in _set_in(text, attribute)]
    compared = [word for module in _with(tree, attribute.encode()) for word in _compared(module, attribute)]
    return tuple(dict.fromkeys([*registered, *compared, *shipped]))


def _with(tree: Tree, mark: bytes) -> Iterator[ast.Module]:
    """The modules whose text holds a mark; one that does not parse is the reader's to tell."""
    for file, source in tree.sources.items():
        if mark in source:
            parsed = tree.parse(file, file, source)
            if parsed is not None:
                yield ast.Module(parsed.body, [])


def _decorated(module: ast.Module, decorator: str) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and _name(call.func) == decorator:
                    yield from (word for argument in call.args[:1] for word in _words(argument))


def _compared(module: ast.Module, attribute: str) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Compare) and _is_about(node.left, attribute):
            yield from (word for right in node.comparators for word in _words(right))


def _set_in(text: str, name: str) -> list[str]:
    return re.findall(rf"""^\s*{name}\s*:\s*["']?([\w.-]+)""", text, re.MULTILINE)


def _is_about(node: ast.expr, attribute: str) -> bool:
    """`x.loss_type`, `loss_type`, `x["loss_type"]`, `x.get("loss_type", ...)`."""
    if isinstance(node, ast.Subscript):
        return attribute in _words(node.slice)
    if isinstance(node, ast.Call):
        return any(attribute in _words(argument) for argument in node.args[:1])
    return _name(node) == attribute


def _members(tree: Tree, module_name: str, name: str) -> tuple[str, ...]:
    """The values of an enumeration."""
    module = tree.module(module_name)
    made = module.definitions.get(name) if module else None
    parts = made.body if isinstance(made, ast.ClassDef) else []
    return tuple(word for part in parts if isinstance(part, ast.Assign) for word in _words(part.value))


def _resolvers(tree: Tree) -> tuple[str, ...]:
    found = [
        word
        for module in _with(tree, b"resolver")
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        and re.search(r"regist\w*_resolver|resolver_regist", _name(node.func) or "")
        for argument in node.args[:1]
        for word in _words(argument)
    ]
    return tuple(dict.fromkeys([*_BUILT_IN_RESOLVERS, *found])) if found else ()


def _name(node: ast.expr) -> str | None:
    found: str | None = getattr(node, "attr", getattr(node, "id", None))
    return found


def _words(node: ast.expr) -> tuple[str, ...]:
    items = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    return tuple(
        item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)
    )


_FINDERS: Mapping[str, Callable[[Tree], tuple[str, ...]]] = {
    "loss_types": lambda tree: _registered(tree, "register_policy_loss", "loss_type"),
    "advantage_types": lambda tree: _registered(tree, "register_advantage", "adv_type"),
    "env_types": lambda tree: _members(tree, "rlinf.envs", "SupportedEnvType"),
    "fsdp_strategies": lambda tree: _members(tree, "rlinf.hybrid_engines.fsdp.utils", "FSDPVersion"),
    "resolvers": _resolvers,
}
