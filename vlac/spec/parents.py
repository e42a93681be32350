"""A spec and the specs that it extends, laid over each other from the farthest parent to the spec."""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING

from vlac.errors import SpecError
from vlac.spec import paths
from vlac.spec.fields import VERSION
from vlac.spec.files import path_of, read_text
from vlac.spec.parse import LARGEST_TEXT, parse
from vlac.spec.source import ListNode, MappingNode, ScalarNode, Source, is_null
from vlac.spec.types import described

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vlac.diagnostics import Diagnostic
    from vlac.spec.layers import Layers
    from vlac.spec.source import AnyNode

DEEPEST = 8
"""Levels of `extends`."""
MOST_FILES = 64
"""Files that one spec may be made of; a parent that is reached twice counts twice."""


class Reader:
    """Reads a spec with its parents into `layers`. `problems` holds what was found on the way.

    `is_readable` is false where a file had no mapping to read, so that nothing can be said about its fields.
    """

    def __init__(self, folder: Path, layers: Layers) -> None:
        self.problems: list[Diagnostic] = []
        self.is_readable = True
        self._folder = folder
        self._layers = layers
        self._files = 0

    def read_spec(self, text: str, file: str) -> Source:
        """Read the spec itself, after its parents. Returns its source."""
        source = Source(file, text.removeprefix("\ufeff"), "spec")
        self._read(source, (file,))
        return source

    def _read(self, source: Source, chain: tuple[str, ...]) -> None:
        root = self._root(source)
        if root is None:
            self.is_readable = False
            return
        entry = root.entries.get("extends")
        if entry is not None:
            for node in self._parents(entry[1]):
                self._read_parent(node, chain)
        self._layers.add(root, inherited=source.layer == "extends", forgets=entry is not None)

    def _root(self, source: Source) -> MappingNode | None:
        """The mapping of a file. Raises SpecError, alone, where it is written for a newer vlac."""
        if len(source.text) > LARGEST_TEXT:
            self.problems.append(source.diagnostic("spec-too-large", "a spec has at most 1 MiB"))
            return None
        root, problems = parse(source)
        if isinstance(root, MappingNode):
            _refuse_newer(root)
        self.problems += problems
        if isinstance(root, MappingNode):
            return root
        if not problems:
            self.problems.append(_no_mapping(source, root))
        return None

    def _parents(self, node: AnyNode) -> Iterator[ScalarNode]:
        """The nodes of `extends` that are paths."""
        if is_null(node):
            hint = "leave the key out"
            self.problems.append(node.diagnostic("spec-null", "`extends` is empty", hint=hint))
            return
        for item in node.items if isinstance(node, ListNode) else [node]:
            if isinstance(item, ScalarNode) and isinstance(item.value, str) and item.text:
                yield item
                continue
            message = f"`extends` takes a path or a list of paths, not {described(item)}"
            self.problems.append(
                item.diagnostic("spec-type", message, hint="for example `extends: base.yaml`")
            )

    def _read_parent(self, node: ScalarNode, chain: tuple[str, ...]) -> None:
        file = posixpath.normpath(posixpath.join(node.source.folder, node.text))
        complaint = paths.parent_complaint(node.text) or self._excess(file, chain)
        if complaint is not None:
            code, message, hint = complaint
            self.problems.append(node.diagnostic(code, message, hint=hint))
            self.is_readable = False
            return
        self._files += 1
        try:
            text = read_text(path_of(self._folder, file), file)
        except SpecError as error:
            self._unreadable(node, error)
            return
        folder = posixpath.dirname(file) or "."
        self._read(Source(file, text, "extends", folder=folder), (*chain, file))

    def _excess(self, file: str, chain: tuple[str, ...]) -> paths.Complaint | None:
        if self._real_path(file) in map(self._real_path, chain):
            return (
                "spec-extends-cycle",
                f"`{file}` extends itself, over {len(chain)} files",
                "break the circle",
            )
        if len(chain) > DEEPEST:
            return (
                "spec-extends-depth",
                f"more than {DEEPEST} levels of `extends`",
                "join some of the parents",
            )
        if self._files >= MOST_FILES:
            return (
                "spec-extends-depth",
                f"more than {MOST_FILES} files in one spec",
                "join some of the parents",
            )
        return None

    def _unreadable(self, node: ScalarNode, error: SpecError) -> None:
        """A missing parent is a problem of the line that names it; other trouble one of the parent."""
        self.is_readable = False
        (problem,) = error.diagnostics
        if problem.code != "spec-unreadable":
            self.problems.append(problem)
            return
        hint = f"`extends` is relative to {node.source.file}"
        self.problems.append(node.diagnostic(problem.code, f"`{node.text}`: {problem.message}", hint=hint))

    def _real_path(self, file: str) -> str:
        return os.path.realpath(path_of(self._folder, file))


def _refuse_newer(root: MappingNode) -> None:
    entry = root.entries.get("vlac")
    if entry is None or not isinstance(entry[1], ScalarNode):
        return
    version = entry[1].value
    if type(version) is int and version > VERSION:
        message = f"this spec needs a vlac that reads spec version {version}; this one reads {VERSION}"
        raise SpecError([entry[1].diagnostic("spec-newer", message, hint="install a newer vla-compiler")])


def _no_mapping(source: Source, root: AnyNode | None) -> Diagnostic:
    if root is None or is_null(root):
        return source.diagnostic(
            "spec-empty", "the spec is empty", hint="`vlac init` writes a spec to start from"
        )
    message = f"a spec is a mapping of fields to values, not {described(root)}"
    return root.diagnostic("spec-type", message, hint="`vlac init` writes a spec to start from")
