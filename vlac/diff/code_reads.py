"""What the code of a tree reads for a run of the spec's kind, before and after a change, by the static reader."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from vlac.rlinf.known_reads import known_reads
from vlac.rlinf.reads import Run, Tree, read_tree
from vlac.rlinf.reads.cache import default_folder
from vlac.rlinf.trees.difference import difference
from vlac.rlinf.trees.key_reads import CONDITIONAL, key_reads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from vlac.patches.changes import Key
    from vlac.plan.origins import Value
    from vlac.rlinf.reads import Reads
    from vlac.rlinf.reads.tree import ImportedName, Module
    from vlac.rlinf.trees.difference import Difference
    from vlac.rlinf.trees.key_reads import KeyReads

_NODE = re.compile(r"\$\{([A-Za-z_][\w.,-]*)\}")
_FATAL = ("strict", CONDITIONAL)
MEASURED = (("sft", "openpi"), ("sft", "vlac_demo"))
"""Task and model type for which the reader was compared with a trace: only there a key is called unread."""


@dataclass
class TreeReads:
    """The reads of a tree; `after` is the tree with the change, the same one where no code changes.

    `referred` are keys that others take their value from, which is a way of being read.
    """

    before: Path
    after: Path
    run: Run
    table: str
    referred: frozenset[Key] = frozenset()
    trees: dict[Path, Tree] = field(default_factory=dict)

    def of(self, tree: Path) -> Reads:
        """What the code of one of the two trees reads. Raises RefusedError where it has no such run."""
        return read_tree(self._tree(tree), self.run, folder=default_folder())

    def _tree(self, tree: Path) -> Tree:
        return self.trees.setdefault(tree, Tree(tree))

    @property
    def both(self) -> list[Reads]:
        """The reads of each tree, once where they are the same."""
        return [self.of(tree) for tree in dict.fromkeys((self.before, self.after))]

    @cached_property
    def _read(self) -> frozenset[Key]:
        return frozenset(read.key for reads in self.both for read in reads.reads)

    @cached_property
    def _handed_on(self) -> frozenset[Key]:
        return frozenset(key for reads in self.both for key, _ in reads.handed_on)

    @property
    def is_measured(self) -> bool:
        """Whether it may be said that nothing reads a key."""
        return (self.run.task, self.run.model_type) in MEASURED

    def reads(self, key: Key) -> bool:
        """Whether the code may read a key, with or without the change: itself, or with a section around it."""
        if not self.is_measured or key[0] in ("defaults", "hydra") or key in self.referred:
            return True
        if any(key[:size] in self._handed_on for size in range(1, len(key) + 1)):
            return True
        return any(read[: len(key)] == key for read in self._read)

    @cached_property
    def strict(self) -> Mapping[str, tuple[str, ...]]:
        """The places where a missing key is fatal before the change, by the last part of its name."""
        found: dict[str, set[tuple[str, int]]] = {}
        for read in self.of(self.before).reads:
            if read.kind == "strict" or read.conditional:
                places = {(place.file, place.line) for place in read.places}
                found.setdefault(read.key[-1], set()).update(places)
        return {
            name: tuple(f"{file}:{line}" for file, line in sorted(places)) for name, places in found.items()
        }

    def strict_in(self, file: str, name: str) -> tuple[str, ...]:
        """The strict reads of a key name in one file."""
        return tuple(place for place in self.strict.get(name, ()) if place.rpartition(":")[0] == file)

    def scanned(self, file: str) -> bool:
        """Whether a run of this kind may load a file, with or without the change."""
        return any(file in self._loaded(tree) for tree in dict.fromkeys((self.before, self.after)))

    @property
    def imports(self) -> frozenset[str]:
        """The packages that the run's code imports: from the table of the nearest version."""
        return known_reads(self.table).imports

    @property
    def entries(self) -> str:
        """The scripts that start such a run."""
        return " or ".join(self.of(self.before).entries)

    def difference(self) -> Difference:
        """How the reads change."""
        return difference(self._key_reads(self.before), self._key_reads(self.after))

    def _key_reads(self, tree: Path) -> KeyReads:
        return key_reads(self._tree(tree), self.of(tree))

    def _loaded(self, root: Path) -> frozenset[str]:
        if root not in self._closures:
            self._closures[root] = frozenset(_closure(self._tree(root), self.of(root).entries))
        return self._closures[root]

    @cached_property
    def _closures(self) -> dict[Path, frozenset[str]]:
        return {}


def fatal(kinds: Iterable[str]) -> bool:
    """Whether a key that is read in these ways must be there."""
    return any(kind in _FATAL for kind in kinds)


def referred(values: Iterable[Value]) -> frozenset[Key]:
    """The keys that interpolations name."""
    texts = (value for value in values if isinstance(value, str))
    return frozenset(tuple(name.split(".")) for text in texts for name in _NODE.findall(text))


def _closure(tree: Tree, entries: Iterable[str]) -> Iterator[str]:
    """The files of a tree that the entry scripts may load: imports at any depth, and names of modules in texts."""
    waiting = [module for entry in entries if (module := tree.module(_dotted(entry)))]
    seen = {module.file for module in waiting}
    while waiting:
        module = waiting.pop()
        yield module.file
        for name in _named(module):
            found = tree.module(name)
            if found and found.file not in seen:
                seen.add(found.file)
                waiting.append(found)


def _dotted(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _named(module: Module) -> Iterator[str]:
    for node in _run_nodes(module.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _packages(alias.name)
        elif isinstance(node, ast.ImportFrom):
            for _, imported in module.imported(node):
                yield from _modules(imported)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value[:6] == "rlinf.":
            yield from _packages(node.value.split(":")[0])


def _run_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node below some statements, without what only a type checker sees."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def _modules(imported: ImportedName) -> Iterator[str]:
    yield from _packages(imported.module)
    if imported.name:
        yield f"{imported.module}.{imported.name}"


def _packages(name: str) -> Iterator[str]:
    """A dotted name and every package around it, which Python loads first."""
    parts = name.split(".")
    yield from (".".join(parts[:size]) for size in range(1, len(parts) + 1))
