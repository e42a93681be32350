"""The modules of an RLinf tree and where their names come from. Files are parsed when they are first asked for."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PACKAGE = "rlinf"
EXAMPLES = "examples"
EVALUATIONS = "evaluations"
_CALL = re.compile(rb"@?(\w+)(?:\.\w+)*\(")
_REGISTER = re.compile(rb"(\w+)\.register\w*\(")
_MARK = Path(PACKAGE) / "config.py"


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read as Python."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedName:
    """`from module import name as ...`; without a name, the module itself."""

    module: str
    name: str | None


@dataclass
class Module:
    """One parsed file: the top-level names it defines, imports and assigns."""

    name: str
    file: str
    body: list[ast.stmt]
    is_package: bool
    definitions: dict[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] = field(
        default_factory=dict
    )
    imports: dict[str, ImportedName] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The names that top-level code assigns, or leaves to a loop or a `with`."""
        functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        code = (statement for statement in self.body if not isinstance(statement, functions))
        nodes = (node for statement in code for node in ast.walk(statement) if isinstance(node, ast.Name))
        return frozenset(node.id for node in nodes if isinstance(node.ctx, ast.Store))

    @cached_property
    def extended(self) -> frozenset[str]:
        """The names that top-level code gives attributes to (`Model.OPENPI = ...`)."""
        targets = (target for part in self.body if isinstance(part, ast.Assign) for target in part.targets)
        owners = (target.value for target in targets if isinstance(target, ast.Attribute))
        return frozenset(owner.id for owner in owners if isinstance(owner, ast.Name))

    def __post_init__(self) -> None:
        for statement in _top_level(self.body):
            if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                self.definitions[statement.name] = statement
            elif isinstance(statement, (ast.Import, ast.ImportFrom)):
                self.add_import(statement)

    def add_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        """Take the names of a top-level import."""
        for name, imported in self.imported(statement):
            if name == "*":
                self.stars.append(imported.module)
            else:
                self.imports[name] = imported

    def imported(self, statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, ImportedName]]:
        """The names that an import statement in this module binds."""
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield bound, ImportedName(alias.name if alias.asname else bound, None)
            return
        source = self._source(statement)
        for alias in statement.names:
            yield alias.asname or alias.name, ImportedName(source, alias.name)

    def _source(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        parts = self.name.split(".")
        kept = parts[: len(parts) - statement.level + self.is_package]
        return ".".join([*kept, statement.module] if statement.module else kept)


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those under `if` and `try` included."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _top_level([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):
            handlers = (inner for handler in statement.handlers for inner in handler.body)
            yield from _top_level([*statement.body, *handlers, *statement.orelse])


class Tree:
    """An RLinf checkout, or the folder that holds the installed package. Nothing of it is imported or run."""

    def __init__(self, root: Path) -> None:
        if not (root / _MARK).is_file():
            reason = "no such folder" if not root.is_dir() else f"it holds no {_MARK.as_posix()}"
            raise RefusedError(
                f"{root} is no RLinf tree: {reason}",
                hint="give the root of a checkout, or the folder that holds the installed package rlinf",
            )
        self.root = root
        self.unread: list[Unread] = []
        self._modules: dict[str, Module | None] = {}

    @cached_property
    def sources(self) -> dict[str, bytes]:
        """The Python files of the package, the examples and the evaluations by their path in the tree."""
        parts = (PACKAGE, EXAMPLES, EVALUATIONS)
        files = [path for part in parts for path in sorted((self.root / part).rglob("*.py"))]
        found: dict[str, bytes] = {}
        for path in filter(Path.is_file, files):
            file = path.relative_to(self.root).as_posix()
            try:
                found[file] = path.read_bytes()
            except OSError as problem:
                self.unread.append(Unread(file, 1, problem.strerror or str(problem)))
        return found

    @cached_property
    def configs(self) -> dict[str, str]:
        """The texts of the configs of examples and evaluations by their path in the tree."""
        files = [
            path for part in (EXAMPLES, EVALUATIONS) for path in sorted((self.root / part).rglob("*.yaml"))
        ]
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes().decode("utf-8", "replace")
            for path in files
            if path.is_file()
        }

    @cached_property
    def called_at_top(self) -> dict[str, set[str]]:
        """The files that use a name as a decorator or call it, or a method of it, in a line of top-level code; and
        those with `name.register...(` anywhere.
        """
        found: dict[str, set[str]] = {}
        for file, source in self.sources.items():
            lines = (line for line in source.split(b"\n") if line[:1].isalpha() or line[:1] in (b"@", b"_"))
            matches = [match for match in map(_CALL.match, lines) if match]
            matches += _REGISTER.finditer(source) if b".register" in source else ()
            for match in matches:
                found.setdefault(match[1].decode(), set()).add(file)
        return found

    def content_hash(self) -> str:
        """A hash of every Python file and every config with its path."""
        digest = hashlib.sha256()
        for file, source in self.sources.items():
            digest.update(f"{file}\0{len(source)}\0".encode())
            digest.update(source)
        for file, text in self.configs.items():
            digest.update(f"{file}\0{len(text)}\0{text}".encode())
        return digest.hexdigest()

    @property
    def has_examples(self) -> bool:
        """Whether entry scripts are at hand: the installed package has none."""
        return any(file.startswith(f"{EXAMPLES}/") for file in self.sources)

    def module(self, name: str) -> Module | None:
        """The module of that dotted name, None where the tree has none or it does not parse."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def _load(self, name: str) -> Module | None:
        path = name.replace(".", "/")
        for file, is_package in ((f"{path}/__init__.py", True), (f"{path}.py", False)):
            if file in self.sources:
                return self.parse(name, file, self.sources[file], is_package)
        return None

    def add(self, name: str, file: str, source: str) -> Module:
        """Take in a module that is no file of the tree; `file` is what its lines are shown under."""
        module = self.parse(name, file, source.encode())
        if module is None:
            raise ValueError(f"{file} does not parse")
        self._modules[name] = module
        return module

    def parse(self, name: str, file: str, source: bytes, is_package: bool = False) -> Module | None:
        """A module from its source; a file that does not parse is noted in `unread`."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes in the tree are none of our user's business
                parsed = ast.parse(source, file)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            line = getattr(problem, "lineno", None) or 1
            self.unread.append(Unread(file, line, getattr(problem, "msg", None) or str(problem)))
            return None
        return Module(name, file, parsed.body, is_package)

    def knows(self, name: str) -> bool:
        """Whether a dotted name lies inside the tree: a module, or a folder without `__init__.py`."""
        return name == PACKAGE or name.startswith(f"{PACKAGE}.") or self.module(name) is not None
