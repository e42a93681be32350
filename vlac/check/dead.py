"""Keys that are set and read by nothing: the run goes on as if they were not there."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from vlac.check.interpolations import named
from vlac.check.moved import MOVES
from vlac.check.subject import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.reads import Tree
    from vlac.rlinf.templates import Key

# Keys made of names that RLinf splits or walks itself.
_WALKED: tuple[Key, ...] = (("cluster",), ("hydra",), ("defaults",))


_FAIR_PART = 1 / 3
_SIMULATOR = 3  # names of a key of the environment itself: env.train.env_type


def dead(subject: Subject, target: Target) -> Iterator[Finding]:
    """Keys that nothing reads: the tree's code never names them, or (where the reader was measured) this run does not.

    A key is left alone that nobody wrote (vlac's own of a spec), whose section goes to code that is not followed, to
    which an interpolation leads, or of whose section little else is read by name, so that it may be used in a way that
    nobody saw.
    """
    if target.reads is None or subject.is_own_model:  # what vlac's own worker reads is in no tree
        return
    used, opened = set(named(subject)), _opened(subject, target)
    for key in subject.leaves:
        if key in subject.places and key[:-1] in opened and _is_dead(key, target, used):
            message = f"nothing reads `{dotted(key)}`: {_why(key, target)}"
            yield subject.finding(
                "check-key-dead", message, key, severity="warning", hint="leave it out: it changes nothing"
            )


def _opened(subject: Subject, target: Target) -> set[Key]:
    """The sections of which the run reads a fair part of the keys by name."""
    keys, found = Counter(key[:-1] for key in subject.leaves), Counter[tuple[str, ...]]()
    found.update(key[:-1] for key in subject.leaves if target.is_read(key))
    return {section for section, number in keys.items() if found[section] >= _FAIR_PART * number}


def _is_dead(key: Key, target: Target, used: set[Key]) -> bool:
    if target.is_read(key) or any(key[: len(path)] == path for path in (*used, *_WALKED)):
        return False
    if any(key[: len(move.old)] == move.old for move in MOVES):
        return False  # told as moved, where the new key is read
    if target.hands_on(key) or _goes_to_a_simulator(key):
        return False
    if target.tree is None:
        return _is_dead_in_tables(key, target)
    if target.is_measured:
        return not target.is_read_by_kind(key)
    return not _is_named(target.tree, key[-1])


def _goes_to_a_simulator(key: Key) -> bool:
    """Whether a key lies in a section of an environment, as `env.train.init_params`, which simulators get whole."""
    return key[0] == "env" and len(key) > _SIMULATOR


def _is_dead_in_tables(key: Key, target: Target) -> bool:
    from vlac.rlinf.known_reads import known_reads

    return target.version is not None and not known_reads(target.version.name).reads(key)


def _is_named(tree: Tree, name: str) -> bool:
    mark = re.compile(rb"(?<![\w-])" + re.escape(name.encode()) + rb"(?![\w-])")
    return any(name.encode() in source and mark.search(source) for source in tree.sources.values())


def _why(key: Key, target: Target) -> str:
    if target.tree is not None and not _is_named(target.tree, key[-1]):
        return f"the name `{key[-1]}` is nowhere in the code of this tree"
    from vlac.rlinf.known_reads import why_unread

    return why_unread(key) or "no code on the way of this run asks for it"
