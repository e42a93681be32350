"""The one message for a key that is no field: what was probably meant, in order of certainty."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vlac.spec.fields import BY_PATH, FIELDS, RESERVED, SECTIONS
from vlac.spec.foreign_words import FIELD_OF, NOT_OFFERED, NOT_OFFERED_IN, SAID_OF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diagnostics import Diagnostic
    from vlac.spec.layers import Leaf

_MOST_GUESSES = 20  # comparing words is slow; a file with more unknown keys is no slip of the finger


class Guess(NamedTuple):
    """A diagnostic for an unknown key, and the field that was probably meant."""

    diagnostic: Diagnostic
    meant: str | None = None


def guesses(leaves: Sequence[Leaf]) -> list[Guess]:
    """One diagnostic a leaf."""
    return [_guess(leaf, compare=number < _MOST_GUESSES) for number, leaf in enumerate(leaves)]


def _guess(leaf: Leaf, *, compare: bool) -> Guess:
    word = leaf.path[-1]
    if (reason := NOT_OFFERED_IN.get(leaf.dotted) or NOT_OFFERED.get(word)) is not None:
        hint = "leave the key out"
        return Guess(leaf.key.diagnostic("spec-not-offered", f"`{word}` is not offered: {reason}", hint=hint))
    if (meant := _field_meant(leaf)) is not None:
        hint = f"write {_shown(meant, leaf)}"
        return Guess(leaf.key.diagnostic("spec-foreign-word", _unknown(leaf), hint=hint), meant)
    if word in SAID_OF:
        return Guess(leaf.key.diagnostic("spec-foreign-word", _unknown(leaf), hint=SAID_OF[word]))
    if word in RESERVED and len(leaf.path) == 1:
        hint = "leave the key out"
        message = f"`{word}` is kept for a later version of the spec"
        return Guess(leaf.key.diagnostic("spec-later", message, hint=hint))
    near = _nearest(leaf) if compare else None
    hint = f"did you mean {_shown(near, leaf)}?" if near else _listing(leaf)
    return Guess(leaf.key.diagnostic("spec-unknown-key", _unknown(leaf), hint=hint), near)


def _unknown(leaf: Leaf) -> str:
    where = ".".join(leaf.path[:-1])
    return (
        f"`{where}` has no field `{leaf.path[-1]}`"
        if where
        else f"`{leaf.path[-1]}` is not a field of a spec"
    )


def _field_meant(leaf: Leaf) -> str | None:
    """The field for a word that is certain: written in the wrong section, RLinf's own, or another tool's."""
    word = leaf.path[-1]
    if word in BY_PATH or word in SECTIONS:
        return word
    if word in FIELD_OF:
        return FIELD_OF[word]
    misplaced = [path for path in (*BY_PATH, *SECTIONS) if path.rpartition(".")[2] == word]
    if len(misplaced) == 1:
        return misplaced[0]
    return _field_of_rlinf_key(leaf.dotted) or _field_of_rlinf_key(word)


def _field_of_rlinf_key(word: str) -> str | None:
    for row in FIELDS:
        if any(key == word or key.endswith("." + word) for key in row.keys):
            return row.path
    return None


def _nearest(leaf: Leaf) -> str | None:
    from difflib import get_close_matches

    here = ".".join(leaf.path[:-1])
    own = {path.rpartition(".")[2]: path for path in _within(here)}
    word = leaf.path[-1][:60]
    if near := get_close_matches(word, own, 1, 0.6):
        return own[near[0]]
    everywhere = {row.key: row.path for row in FIELDS}
    near = get_close_matches(word, everywhere, 1, 0.75)
    return everywhere[near[0]] if near else None


def _within(section: str) -> list[str]:
    offered = [row.path for row in FIELDS if not row.later]
    return [path for path in (*offered, *SECTIONS) if path.rpartition(".")[0] == section]


def _shown(path: str, leaf: Leaf) -> str:
    """The key to write, and in which section where that is another one."""
    section, _, key = path.rpartition(".")
    if section == ".".join(leaf.path[:-1]):
        return f"`{key}`"
    return f"`{key}` in `{section}`" if section else f"`{key}` at the top level"


def _listing(leaf: Leaf) -> str:
    here = ".".join(leaf.path[:-1])
    keys = ", ".join(path.rpartition(".")[2] for path in _within(here))
    return f"`{here}` has: {keys}" if here else f"a spec has: {keys}"
