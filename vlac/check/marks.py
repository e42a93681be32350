"""A YAML file as OmegaConf reads it, with the place of every key; and places in files of which only a line is known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.check.subject import Place
from vlac.patches.scalars import read_node
from vlac.spec.source import Source
from vlac.spec.syntax_errors import syntax_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

    from vlac.diagnostics import Diagnostic
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key


@dataclass
class Marked:
    """What a file holds: `values` by key, sections left out, and the place of keys and sections."""

    source: Source
    values: dict[Key, Value] = field(default_factory=dict)
    places: dict[Key, Place] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)


def read_marked(text: str, shown: str) -> Marked:
    """Read a config from its text; `shown` names it in positions. What is no YAML is among the problems."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.nodes import MappingNode

    marked = Marked(Source(shown, text, "spec"))
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        marked.problems.append(syntax_error(marked.source, error))
        return marked
    except (YAMLError, ValueError, OverflowError):
        marked.problems.append(marked.source.diagnostic("yaml-syntax", "this is not YAML"))
        return marked
    if isinstance(root, MappingNode):
        _take(marked, root, ())
    elif root is not None:
        message = "a configuration is a mapping of sections"
        marked.problems.append(marked.source.diagnostic("check-no-config", message))
    return marked


def _take(marked: Marked, node: MappingNode, above: Key, *, merged: bool = False) -> None:
    """The keys of a mapping; those of a merge (`<<`) count where the mapping has none of its own."""
    from ruamel.yaml.nodes import MappingNode

    seen: set[str] = set()
    for key, value in node.value:
        name = str(key.value)
        path = (*above, name)
        if name in seen:
            marked.problems.append(_twice(marked, key, name))
        seen.add(name)
        if name == "<<" and not key.style:
            for part in _merged(value):
                _take(marked, part, above, merged=True)
        elif merged and path in marked.places:
            continue
        else:
            marked.places[path] = _place(marked.source, key)
            if isinstance(value, MappingNode) and value.value:
                _take(marked, value, path)
            else:
                marked.values[path] = read_node(value)


def _merged(node: Node) -> Iterator[MappingNode]:
    from ruamel.yaml.nodes import MappingNode

    for part in [node] if isinstance(node, MappingNode) else node.value:
        if isinstance(part, MappingNode):
            yield part


def _twice(marked: Marked, key: ScalarNode, name: str) -> Diagnostic:
    mark = key.start_mark
    message = f"`{name}` is written twice in one section, which OmegaConf refuses"
    return marked.source.diagnostic(
        "yaml-duplicate-key", message, mark.line, mark.column, hint="keep one of them"
    )


def _place(source: Source, key: ScalarNode) -> Place:
    mark = key.start_mark
    return Place(source.position(mark.line, mark.column), source.excerpt(mark.line))


class Files:
    """Places in files of which a composition tells the line; each file is read once."""

    def __init__(self) -> None:
        self._sources: dict[Path, Source | None] = {}

    def place(self, file: Path, shown: str, line: int, name: str) -> Place | None:
        """The place of the key `name` in a line counted from 1; None where the file cannot be read."""
        source = self._source(file, shown)
        if source is None or not 0 < line <= len(source.lines):
            return None
        text = source.lines[line - 1]
        found = re.search(rf"(?<![\w.-])[\"']?{re.escape(name)}[\"']?\s*:", text)
        column = found.start() if found else len(text) - len(text.lstrip())
        return Place(source.position(line - 1, column), source.excerpt(line - 1))

    def _source(self, file: Path, shown: str) -> Source | None:
        if file not in self._sources:
            try:
                self._sources[file] = Source(shown, file.read_text("utf-8", "replace"), "spec")
            except OSError:
                self._sources[file] = None
        return self._sources[file]
