"""The keys that a tree reads for a kind of run, small enough to be kept for a version: kinds and places.

A place is known by its function as well as by its line, so that it is found again in a tree whose lines have shifted.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.rlinf.reads import Read, Reads, Tree
    from vlac.rlinf.templates import Key

CONDITIONAL = "conditional"
"""The kind of a guarded key that some way of such a run reads without asking for it first."""


@dataclass(frozen=True, slots=True, order=True)
class ReadPlace:
    """Where a key is read. `function` is the innermost one around it (`Class.method`), empty at the top of a file."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


Kinds: TypeAlias = "Mapping[str, tuple[ReadPlace, ...]]"


@dataclass(frozen=True)
class KeyReads:
    """Every key that a tree reads for one kind of run, with its places by kind, and the words that the tree accepts."""

    keys: Mapping[Key, Kinds]
    words: Mapping[str, tuple[str, ...]]


def key_reads(tree: Tree, reads: Reads) -> KeyReads:
    """What the reader found in a tree, with the function of each place."""
    functions = _Functions(tree)
    keys: dict[Key, dict[str, tuple[ReadPlace, ...]]] = defaultdict(dict)
    for read in reads.reads:
        places = (ReadPlace(p.file, p.line, functions.at(p.file, p.line)) for p in read.places)
        keys[read.key][_kind(read)] = tuple(places)
    return KeyReads(dict(keys), dict(reads.enumerations))


def _kind(read: Read) -> str:
    return CONDITIONAL if read.conditional else read.kind


class _Functions:
    """The function at a line of a file; each file is parsed once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._spans: dict[str, list[tuple[int, int, str]]] = {}

    def at(self, file: str, line: int) -> str:
        if file not in self._spans:
            self._spans[file] = self._spans_of(file)
        around = [span for span in self._spans[file] if span[0] <= line <= span[1]]
        return max(around)[2] if around else ""

    def _spans_of(self, file: str) -> list[tuple[int, int, str]]:
        source = self._tree.sources.get(file)
        module = self._tree.parse("", file, source) if source is not None else None
        return list(_spans(module.body, "")) if module else []


def _spans(body: list[ast.stmt], above: str) -> Iterator[tuple[int, int, str]]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{above}.{statement.name}" if above else statement.name
            if not isinstance(statement, ast.ClassDef):
                yield statement.lineno, statement.end_lineno or statement.lineno, name
            yield from _spans(statement.body, name)


def to_json(reads: KeyReads) -> dict[str, Any]:  # JSON: values of several types
    """The reads as JSON; files are numbered, a place is `file:line:function`."""
    places = [place for kinds in reads.keys.values() for found in kinds.values() for place in found]
    files = sorted({place.file for place in places})
    number = {file: index for index, file in enumerate(files)}

    def text(place: ReadPlace) -> str:
        return f"{number[place.file]}:{place.line}:{place.function}"

    rows = [
        [list(key), kind, " ".join(map(text, found))]
        for key, kinds in reads.keys.items()
        for kind, found in kinds.items()
    ]
    return {"files": files, "keys": rows, "words": {name: list(words) for name, words in reads.words.items()}}


def from_json(document: Mapping[str, Any]) -> KeyReads:  # JSON: values of several types
    """The reads that `to_json` wrote."""
    keys: dict[Key, dict[str, tuple[ReadPlace, ...]]] = defaultdict(dict)
    for key, kind, text in document["keys"]:
        parts = (place.split(":", 2) for place in text.split(" "))
        keys[tuple(key)][kind] = tuple(
            ReadPlace(document["files"][int(file)], int(line), function) for file, line, function in parts
        )
    return KeyReads(dict(keys), {name: tuple(words) for name, words in document["words"].items()})
