"""The configuration keys that a patch of a YAML file changes.

Both sides of every hunk are read as YAML. Sections that begin above the hunk come from its indentation, from
the heading that git prints, and from the known layout of RLinf's configurations.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic, Position
from vlac.patches.changes import ABSENT, UNKNOWN, ConfigChange, Key
from vlac.patches.parse import PatchError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ruamel.yaml.nodes import MappingNode, Node

    from vlac.patches.parse import FilePatch, Hunk, Line, Mark
    from vlac.plan.origins import Value

_SECTION = re.compile(r"[\"']?([\w.,-]+)[\"']?:\s*(?:#.*)?")
_FRAME = "?"  # begins the names of sections that stand in for those above the hunk
_STEP = 2  # blanks a level, in RLinf's files


@dataclass(frozen=True, slots=True)
class _Leaf:
    value: Value
    line: int
    is_empty: bool  # nothing after the colon: null, or a section whose content the hunk does not show


def config_changes(
    name: str, file: FilePatch, above: Key = (), layout: Collection[Key] = ()
) -> Iterator[ConfigChange]:
    """The changed keys of one file, in its order; `name` is the patch's, for positions.

    `above` is where Hydra puts the file's keys, `layout` the keys that such files are known to have. A key
    keeps `UNKNOWN` for sections that neither tells. Raises `PatchError` where a hunk is not YAML.
    """
    before: dict[Key, _Leaf] = {}
    after: dict[Key, _Leaf] = {}
    for hunk in file.hunks:
        old, new = (_leaves(name, hunk, mark) for mark in ("+", "-"))
        sections = _Sections([*old, *new], layout)
        before.update((above + sections.resolve(key), leaf) for key, leaf in old.items())
        after.update((above + sections.resolve(key), leaf) for key, leaf in new.items())
    for key in {**before, **after}:
        if _differs(before.get(key), after.get(key)) and not _is_cut_off(key, before, after):
            yield from _changes(file.path, key, before.get(key), after.get(key))


def _differs(old: _Leaf | None, new: _Leaf | None) -> bool:
    if old is None or new is None:
        return True
    return old.value != new.value or isinstance(old.value, bool) != isinstance(new.value, bool)


def _is_cut_off(key: Key, *sides: Mapping[Key, _Leaf]) -> bool:
    """Whether one side shows a section without content only because the patch moved the content."""
    if any(key in side and not side[key].is_empty for side in sides):
        return False
    return any(other[: len(key)] == key and other != key for side in sides for other in side)


def _changes(path: str, key: Key, old: _Leaf | None, new: _Leaf | None) -> Iterator[ConfigChange]:
    leaf = new or old
    assert leaf is not None
    if key == ("defaults",):
        yield from _default_changes(path, old.value if old else (), new.value if new else (), leaf.line)
        return
    yield ConfigChange(path, key, old.value if old else ABSENT, new.value if new else ABSENT, leaf.line)


def _default_changes(path: str, old: Value, new: Value, line: int) -> Iterator[ConfigChange]:
    """The entries of a `defaults` list: `model/pi0@actor.model` sets `model@actor.model` to `pi0`."""
    before, after = _options(old), _options(new)
    for group in {**before, **after}:
        if before.get(group) != after.get(group):
            yield ConfigChange(
                path, ("defaults", group), before.get(group, ABSENT), after.get(group, ABSENT), line
            )


def _options(entries: Value) -> dict[str, Value]:
    options: dict[str, Value] = {}
    for entry in entries if isinstance(entries, tuple) else ():
        if isinstance(entry, dict):
            options.update(entry)
            continue
        where, at, package = str(entry).partition("@")
        group, _, option = where.rpartition("/")
        options[f"{group}{at}{package}"] = option
    return options


def _leaves(name: str, hunk: Hunk, dropped: Mark) -> dict[Key, _Leaf]:
    """Every key that one side of the hunk shows, with its value."""
    lines, frame = hunk.side(dropped), _frame(hunk)
    text = "\n".join([*(" " * indent + f"{key}:" for key, indent in frame), *(line.text for line in lines)])
    numbers = [*(hunk.number for _ in frame), *(line.number for line in lines), hunk.number]
    root = _compose(name, text, numbers)
    names = tuple(key for key, _ in frame)
    found = _walk(root, (), numbers) if root else ()
    return {_shown(key): leaf for key, leaf in found if not (leaf.is_empty and key == names[: len(key)])}


def _compose(name: str, text: str, numbers: Sequence[int]) -> MappingNode | None:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.nodes import MappingNode

    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = numbers[min(mark.line, len(numbers) - 1)] if mark else numbers[0]
        raise PatchError([_not_yaml(name, line, str(error.problem))]) from None
    except (YAMLError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise PatchError([_not_yaml(name, numbers[0], problem)]) from None
    return root if isinstance(root, MappingNode) else None


def _not_yaml(name: str, line: int, problem: str) -> Diagnostic:
    return Diagnostic(
        "patch-yaml",
        f"the hunk cannot be read as YAML: {problem}",
        position=Position(name, line, 1),
        hint="if the file is in order, make the patch with more context: git diff -U20",
    )


def _walk(node: MappingNode, above: Key, numbers: Sequence[int]) -> Iterator[tuple[Key, _Leaf]]:
    from ruamel.yaml.nodes import MappingNode

    from vlac.patches.scalars import read_node

    for name, value in node.value:
        key = (*above, str(name.value))
        if isinstance(value, MappingNode) and value.value:
            yield from _walk(value, key, numbers)
        else:
            yield key, _Leaf(read_node(value), numbers[name.start_mark.line], _is_empty(value))


def _is_empty(node: Node) -> bool:
    return node.value == "" and not getattr(node, "style", None)


def _frame(hunk: Hunk) -> list[tuple[str, int]]:
    """Names and indents of the sections that must stand above the hunk's lines to make them whole YAML."""
    content = [line for line in hunk.lines if line.text.strip() and not line.text.lstrip().startswith("#")]
    if not content or _depth(content) == 0:
        return []
    levels = _lower_levels(content)
    heading = _SECTION.fullmatch(hunk.heading)
    root = heading[1] if heading else f"{_FRAME}0"
    hidden = [1] if min(levels, default=_indent(content[0])) > _STEP else []
    return [(root, 0), *((f"{_FRAME}{indent}", indent) for indent in [*hidden, *reversed(levels)])]


def _lower_levels(content: Sequence[Line]) -> list[int]:
    """The indents, above column 0, that the lines go back to: the sections around the first line."""
    levels: list[int] = []
    lowest = _depth(content)
    for indent in map(_indent, content):
        if 0 < indent < lowest:
            lowest = indent
            levels.append(indent)
    return levels


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip(" "))


def _depth(content: Sequence[Line]) -> float:
    """The depth of the first line; an item of a list may hang on a key at its own indent."""
    first, indent = content[0], _indent(content[0])
    if not _is_item(first):
        return indent
    has_keys = any(_indent(line) == indent and not _is_item(line) for line in content)
    return indent + 0.5 if has_keys or indent == 0 else indent


def _is_item(line: Line) -> bool:
    return line.text.lstrip().startswith("- ")


def _shown(key: Key) -> Key:
    """The key with one `UNKNOWN` for neighbouring sections that the hunk does not show."""
    names = [UNKNOWN if name.startswith(_FRAME) else name for name in key]
    return tuple(name for at, name in enumerate(names) if name != UNKNOWN or names[at - 1 : at] != [UNKNOWN])


class _Sections:
    """Tells from all keys that a hunk shows which sections its `UNKNOWN` stands for."""

    def __init__(self, keys: Collection[Key], layout: Collection[Key]) -> None:
        self._votes: dict[Key, Counter[Key]] = {}
        for key in keys:
            for section in _places(key, layout):
                self._votes.setdefault(_hidden(key), Counter())[section] += 1

    def resolve(self, key: Key) -> Key:
        """The key with its sections, or as it is where the layout does not tell."""
        votes = self._votes.get(_hidden(key), Counter()).most_common(2)
        if not votes or (len(votes) == 2 and votes[0][1] == votes[1][1]):
            return key
        return votes[0][0] + key[len(_hidden(key)) :]


def _hidden(key: Key) -> Key:
    """The beginning of a key up to its `UNKNOWN`; empty where every section is shown."""
    return key[: key.index(UNKNOWN) + 1] if UNKNOWN in key else ()


def _places(key: Key, layout: Collection[Key]) -> set[Key]:
    """The sections under which the layout has what the hunk shows below `UNKNOWN`."""
    hidden = _hidden(key)
    if not hidden:
        return set()
    head, rest = hidden[:-1], key[len(hidden) :]
    fits = (known[: -len(rest)] for known in layout if known[-len(rest) :] == rest)
    return {sections for sections in fits if sections[: len(head)] == head}
