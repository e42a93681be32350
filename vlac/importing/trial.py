"""Compile a draft in memory, and add to it until what it compiles to is the original configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import SpecError
from vlac.importing.differences import overrides_between
from vlac.importing.draft import Draft, text_of
from vlac.importing.leaves import differing
from vlac.rlinf.lower import field_of
from vlac.spec.fields import BY_PATH
from vlac.spec.override_keys import OverrideKeyError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from vlac.diagnostics import Diagnostic
    from vlac.importing.leaves import Leaves
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key

_ALSO = {
    "hardware.cards": "hardware.placement",
    "data.path": "data.mix",
}  # fields that share their keys with another
_FLOATS = frozenset(("number", "betas"))


@dataclass(frozen=True, slots=True)
class Trial:
    """What a draft compiles to, or the errors: `refused` are the fields that they are about."""

    leaves: Leaves | None
    refused: tuple[str, ...] = ()
    errors: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Aim:
    """The configuration to reach.

    `fields` are what the spec may say of it, `apart` the keys with comments, which stay entries of their own; `tree`
    is the RLinf tree that a base is read from.
    """

    leaves: Leaves
    fields: Mapping[str, Value]
    apart: Collection[Key]
    tree: Path | None


def settle(draft: Draft, aim: Aim, composed: Leaves | None = None) -> Draft | tuple[Diagnostic, ...]:
    """The draft with the fields and overrides that make it compile to the aim; errors where nothing does.

    `composed` is what the draft will compile to, where that is known; what is returned was compiled in any case.
    """
    needed, left = frozenset(draft.fields), dict(aim.fields)
    refused: tuple[Diagnostic, ...] = ()  # of fields that overrides then have to say
    trial = Trial(composed) if composed is not None else compile_draft(draft, aim.tree)
    while True:
        if trial.leaves is None:
            wrong = [path for path in trial.refused if path in draft.fields and path not in needed]
            refused += trial.errors
            if not wrong:
                return refused
            draft = draft.without(wrong)
        else:
            found = {owner: left.pop(owner) for owner in _owners(trial.leaves, aim) if owner in left}
            if found.keys() <= draft.fields.keys():
                settled = _with_overrides(draft, trial.leaves, aim)
                return settled if isinstance(settled, Draft) else (*refused, *settled)
            draft = draft.with_fields(found)
        trial = compile_draft(draft, aim.tree)


def _owners(leaves: Leaves, aim: Aim) -> list[str]:
    """The fields whose keys are not yet as they should be."""
    off = differing(as_held(leaves), as_held(aim.leaves))
    owners = dict.fromkeys(owner for key in off if (owner := field_of(key)))
    return [path for owner in owners for path in (owner, _ALSO.get(owner)) if path]


def _with_overrides(draft: Draft, leaves: Leaves, aim: Aim) -> Draft | tuple[Diagnostic, ...]:
    wanted = as_held(aim.leaves)
    try:
        draft = draft.with_overrides(overrides_between(as_held(leaves), wanted, aim.apart))
    except OverrideKeyError:
        return ()
    trial = compile_draft(draft, aim.tree)
    reached = trial.leaves is not None and not differing(as_held(trial.leaves), wanted)
    return draft if reached else trial.errors


def as_held(leaves: Leaves) -> dict[Key, Value]:
    """The leaves with `1` as `1.0` where a field holds a number: the two are the same there."""
    return {
        key: float(value) if type(value) is int and _is_number(key) else value
        for key, value in leaves.items()
    }


def _is_number(key: Key) -> bool:
    owner = field_of(key)
    return owner is not None and BY_PATH[owner].type in _FLOATS


def compile_draft(draft: Draft, tree: Path | None) -> Trial:
    """Compile a draft as the file that it will be."""
    from vlac.compiler import compile_spec_text

    text = text_of(draft)
    try:
        bundle = compile_spec_text(text, Path(), tree=tree)
    except SpecError as problem:
        errors = tuple(diagnostic for diagnostic in problem.diagnostics if diagnostic.is_error)
        return Trial(None, _fields_at(text, errors), errors)
    return Trial({key: setting.value for key, setting in bundle.config.items()})


def _fields_at(text: str, errors: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    """The fields that errors point to: at the value, or, for a field that is no good at all, at its key."""
    from vlac.spec.load import load_text

    loaded = load_text(text, folder=Path(), keep_going=True)
    places = {error.position for error in errors}
    at = [
        path for path, writings in loaded.written.items() if any(one.position in places for one in writings)
    ]
    entries = [
        path for (path, _), one in loaded.entries.items() if one.position in places and path != "overrides"
    ]
    return tuple(dict.fromkeys((*at, *entries, *sorted(loaded.broken))))
