"""What a patch of a Python file changes, as far as its hunks alone tell.

A strict read of a key that became one with a default is a guard; a run of lines that adds nothing but imports
is imports; changes of comments and layout say nothing; all else is code.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from vlac.patches.changes import CodeChange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.patches.parse import FilePatch, Hunk, Line

_LENGTH = 100  # characters of code that a message repeats


@dataclass(frozen=True, slots=True)
class _Read:
    """A read of a key with a default: the code, the strict read that means the same, and the key."""

    lenient: str
    strict: str
    name: str


def python_changes(file: FilePatch) -> Iterator[CodeChange]:
    """The changes of one patched Python file, one or more for each run of changed lines."""
    for hunk in file.hunks:
        for run in _runs(hunk):
            yield from _run_changes(file.path, run)


def _runs(hunk: Hunk) -> Iterator[list[Line]]:
    for is_context, lines in groupby(hunk.lines, key=lambda line: line.mark == " "):
        if not is_context:
            yield list(lines)


def _run_changes(path: str, run: list[Line]) -> Iterator[CodeChange]:
    old, new = (_text(run, mark) for mark in ("-", "+"))
    line = next((line.number for line in run if line.mark == "+"), run[0].number)
    before, after = _tree(old), _tree(new)
    if before is None or after is None:
        yield CodeChange(path, "code", "", _short(old), _short(new), line)
    elif ast.dump(before) != ast.dump(after):
        yield from _meaning(path, before, after, line) or [
            CodeChange(path, "code", "", _short(old), _short(new), line)
        ]


def _meaning(path: str, before: ast.Module, after: ast.Module, line: int) -> list[CodeChange]:
    """The guards or the imports that a run adds; empty where it does more."""
    if not before.body and (modules := _imports(after)):
        return [CodeChange(path, "import", name, "", f"import {name}", line) for name in modules]
    softened_before, softened_after = _Strict(), _Strict()
    if ast.dump(softened_before.visit(before)) != ast.dump(softened_after.visit(after)):
        return []
    if Counter(softened_before.reads) - Counter(softened_after.reads):
        return []  # a read that coped before is strict now
    added = Counter(softened_after.reads) - Counter(softened_before.reads)
    return [CodeChange(path, "guard", read.name, read.strict, read.lenient, line) for read in added]


def _imports(module: ast.Module) -> list[str]:
    """The modules that a run of nothing but imports brings in."""
    names: list[str] = []
    for statement in module.body:
        body = statement.body if isinstance(statement, ast.Try) else [statement]
        for node in body:
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names += [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                return []
    return names


class _Strict(ast.NodeTransformer):
    """Turns every read of a key into `x.key` and remembers those that had a default."""

    def __init__(self) -> None:
        self.reads: list[_Read] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`x.get("key", default)`, `getattr(x, "key", default)`, `OmegaConf.select(x, "key")`."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            return self._attribute(node, node.func.value, node.args[0])
        if len(node.args) >= 2 and ast.unparse(node.func) in ("getattr", "OmegaConf.select"):
            return self._attribute(node, node.args[0], node.args[1])
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """`"key" in x and x.key`, `hasattr(x, "key") and x.key`."""
        self.generic_visit(node)
        test, read = node.values[0], node.values[-1]
        if len(node.values) == 2 and isinstance(node.op, ast.And) and isinstance(read, ast.Attribute):
            wanted = {f"hasattr({ast.unparse(read.value)}, {read.attr!r})"}
            wanted.add(f"{read.attr!r} in {ast.unparse(read.value)}")
            if ast.unparse(test) in wanted:
                return self._attribute(node, read.value, ast.Constant(read.attr))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`x["key"]` is as strict as `x.key`."""
        self.generic_visit(node)
        key = node.slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(node.ctx, ast.Load):
            return ast.Attribute(node.value, key.value, ast.Load())
        return node

    def _attribute(self, node: ast.expr, owner: ast.expr, key: ast.expr) -> ast.expr:
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()):
            return node
        strict = ast.Attribute(owner, key.value, ast.Load())
        self.reads.append(_Read(ast.unparse(node), ast.unparse(strict), key.value))
        return strict


def _tree(text: str) -> ast.Module | None:
    """The syntax tree of a fragment, completed to a statement where that is possible without guessing."""
    body = dedent(text).strip("\n")
    last = body.rstrip().splitlines()[-1:] or [""]
    opened = f"{body}\n{' ' * (len(last[0]) - len(last[0].lstrip()) + 4)}pass"
    attempts = (body, opened, f"if x:\n    pass\n{opened}", f"f(\n{indent(body, '    ')}\n)")
    return next((tree for tree in map(_parsed, attempts) if tree), None)


def _parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a doubtful escape in the patched code is not vlac's to tell
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # NUL; nested too deeply
            return None


def _text(run: list[Line], mark: str) -> str:
    return "\n".join(line.text for line in run if line.mark == mark)


def _short(code: str) -> str:
    text = " ".join(code.split())
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 3]}..."
