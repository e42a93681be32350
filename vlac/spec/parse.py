"""YAML text to nodes with positions: ruamel.yaml's events, put together without recursion, with limits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from vlac.spec.scalars import resolve
from vlac.spec.source import LINE_BREAK, ListNode, MappingNode, ScalarNode

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.spec.source import AnyNode, Source

LARGEST_TEXT = 1024 * 1024
"""Bytes of a spec. Real ones have less than 10 KiB."""
MOST_NODES = 10_000
"""Nodes of a spec with its aliases expanded. Real ones have less than 300."""
DEEPEST = 64
"""Levels of nesting. Real ones have four."""

# What YAML 1.2 calls not printable, and the byte-order mark, which the scanner counts as no column.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NOT_PRINTABLE = (
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"  # slow to compile
)
_SURROGATE = "[\ud800-\udfff]"

_Key = ScalarNode | Literal["refused"]


class _Stop(Exception):  # noqa: N818 - not an error of the program: nothing after this place can be read
    pass


def parse(source: Source) -> tuple[AnyNode | None, list[Diagnostic]]:
    """The root node of the one document in `source`, None where there is none, and every problem found."""
    builder = _Builder(source)
    if (character := _unprintable(source.text)) is not None:
        builder.refuse_character(character)
        return None, builder.problems
    try:
        builder.read()
    except _Stop:
        return None, builder.problems
    except MarkedYAMLError as error:
        from vlac.spec.syntax_errors import syntax_error

        builder.problems.append(syntax_error(source, error))
        return None, builder.problems
    except (YAMLError, ValueError, OverflowError):
        # ruamel.yaml 0.19: `"\\UFFFFFFFF"` ends in chr(), which refuses it
        builder.problems.append(source.diagnostic("yaml-syntax", "this is not YAML", *builder.last))
        return None, builder.problems
    return builder.root, builder.problems


def _unprintable(text: str) -> re.Match[str] | None:
    return _CONTROL.search(text) if text.isascii() else re.search(_NOT_PRINTABLE, text)


class _Builder:
    """Puts events together. `open` holds the collections around the present place with their anchors."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []
        self.root: AnyNode | None = None
        self.last = (0, 0)  # where the last event began, for errors that carry no place
        self._open: list[tuple[ListNode | MappingNode, str | None]] = []
        self._keys: list[_Key | None] = []  # for each open mapping the key that waits for its value
        self._anchors: dict[str, AnyNode | None] = {}
        self._nodes = 0
        self._documents = 0

    def read(self) -> None:
        """Read the whole text; raises _Stop where no more can be read."""
        for event in YAML(typ="safe", pure=True).parse(self.source.text):
            self.last = (event.start_mark.line, event.start_mark.column)
            if isinstance(event, ScalarEvent):
                self._scalar(event)
            elif isinstance(event, (MappingStartEvent, SequenceStartEvent)):
                self._start(event)
            elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
                self._end(event)
            elif isinstance(event, AliasEvent):
                self._alias(event)
            elif isinstance(event, DocumentStartEvent):
                self._document(event)

    def refuse_character(self, match: re.Match[str]) -> None:
        """Tell about the first character that YAML does not allow."""
        lines = re.split(LINE_BREAK, self.source.text[: match.start()])
        code = ord(match[0])
        name = "a NUL character" if code == 0 else f"the character U+{code:04X}, which YAML does not allow,"
        hint = "is this a binary file?" if code == 0 else "delete it: most editors do not show it"
        self.last = (len(lines) - 1, len(lines[-1]))
        self._tell("yaml-character", f"{name} is in the text", hint)

    def _tell(self, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(self.source.diagnostic(code, message, *self.last, hint=hint))

    def _stop(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        self._tell(code, message, hint)
        raise _Stop

    def _document(self, event: DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            self._stop("yaml-two-documents", "a second document starts here", "one file is one spec")
        if event.version not in (None, (1, 2)):
            self._tell("yaml-version", "a spec is YAML 1.2", "delete the %YAML line")

    def _scalar(self, event: ScalarEvent) -> None:
        self._refuse_tag(event)
        quoted = event.style is not None
        value = event.value if quoted else resolve(event.value)
        if quoted and not event.value.isascii() and re.search(_SURROGATE, event.value):
            self._tell("yaml-character", "an escape here is half a character (U+D800 to U+DFFF)")
            value = ""
        node = ScalarNode(*self._place(event), text=event.value, value=value, quoted=quoted)
        if event.anchor:
            self._anchors[event.anchor] = node
        self._add(node)

    def _start(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        self._refuse_tag(event)
        if len(self._open) >= DEEPEST:
            self._stop("yaml-depth", f"more than {DEEPEST} levels of nesting")
        self._count(1)
        if event.anchor:
            self._anchors[event.anchor] = None
        is_mapping = isinstance(event, MappingStartEvent)
        node = MappingNode(*self._place(event)) if is_mapping else ListNode(*self._place(event))
        node.flow = bool(event.flow_style)
        self._open.append((node, event.anchor))
        if is_mapping:
            self._keys.append(None)

    def _end(self, event: MappingEndEvent | SequenceEndEvent) -> None:
        node, anchor = self._open.pop()
        node.last_line = max(node.last_line, event.start_mark.line - (0 if node.flow else 1))
        if isinstance(node, MappingNode):
            self._keys.pop()
        if anchor:
            self._anchors[anchor] = node
        self._nodes -= node.size
        self._add(node)

    def _alias(self, event: AliasEvent) -> None:
        if event.anchor not in self._anchors:
            hint = "to begin a text with `*`, put it in quotes"
            self._stop("yaml-alias", f"there is no anchor `&{event.anchor}` above", hint)
        target = self._anchors[event.anchor]
        if target is None:
            self._stop("yaml-alias", f"`*{event.anchor}` contains itself")
        if len(self._open) + target.height > DEEPEST:
            self._stop("yaml-depth", f"more than {DEEPEST} levels of nesting")
        if isinstance(target, ScalarNode):
            place = self._place(event)
            target = ScalarNode(*place, text=target.text, value=target.value, quoted=target.quoted)
        self._add(target)

    def _add(self, node: AnyNode) -> None:
        self._count(node.size)
        if not self._open:
            self.root = node
            return
        parent = self._open[-1][0]
        parent.size += node.size
        parent.height = max(parent.height, node.height + 1)
        if isinstance(parent, ListNode):
            parent.items.append(node)
        else:
            self._add_to_mapping(parent, node)

    def _add_to_mapping(self, parent: MappingNode, node: AnyNode) -> None:
        key = self._keys[-1]
        if key is None:
            self._keys[-1] = self._checked_key(parent, node)
            return
        self._keys[-1] = None
        if isinstance(key, ScalarNode):
            parent.entries.setdefault(key.text, (key, node))

    def _checked_key(self, parent: MappingNode, node: AnyNode) -> _Key:
        if not isinstance(node, ScalarNode):
            self.problems.append(node.diagnostic("yaml-key", "a key is a word, not a list or a mapping"))
            return "refused"
        if node.text == "<<" and not node.quoted:
            hint = "use `extends`, or repeat the keys"
            self.problems.append(node.diagnostic("yaml-merge-key", "`<<` is not part of YAML 1.2", hint=hint))
            return "refused"
        if node.text in parent.entries:
            first = parent.entries[node.text][0].position
            message = f"`{node.text}` is already there in line {first.line}"
            hint = "keep one of them"
            self.problems.append(node.diagnostic("yaml-duplicate-key", message, hint=hint))
        return node

    def _refuse_tag(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> None:
        if event.tag is not None:
            hint = "delete the tag; to begin a text with `!`, put it in quotes"
            self._tell("yaml-tag", "tags have no meaning in a spec and are never run", hint)

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MOST_NODES:
            hint = "aliases count with everything that they repeat"
            self._stop("yaml-too-many-nodes", f"more than {MOST_NODES} values in one spec", hint)

    def _place(self, event: NodeEvent) -> tuple[Source, int, int, int]:
        start, end = event.start_mark, event.end_mark
        return self.source, start.line, start.column, max(start.line, end.line - (end.column == 0))
