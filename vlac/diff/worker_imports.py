"""Which modules the code that a bundle puts into its processes imports, read from its text."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from vlac.adapters import WorkerFile

_IMPORTERS = frozenset({"__import__", "import_module", "importlib.import_module"})


def imported(files: Iterable[WorkerFile]) -> dict[str, str]:
    """Dotted names of the modules that Python worker files import, each with the file that does."""
    found: dict[str, str] = {}
    for file in files:
        if file.path.endswith(".py"):
            for module in _modules(ast.parse(file.content)):
                found.setdefault(module, file.path)
    return found


def brought_by(module: str, modules: Mapping[str, str]) -> str | None:
    """The worker file after which `module` is loaded: it imports it, or something inside it."""
    inside = (file for name, file in modules.items() if name == module or name.startswith(f"{module}."))
    return next(inside, None)


def _modules(tree: ast.Module) -> Iterator[str]:
    constants = dict(_constants(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in _IMPORTERS:
            yield from _text(node.args[0], constants)


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The texts that the module's top level gives a name."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield from ((node.targets[0].id, text) for text in _text(node.value, {}))


def _text(node: ast.expr, constants: Mapping[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name) and node.id in constants:
        yield constants[node.id]
