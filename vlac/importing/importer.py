"""Find the spec of a configuration: the plain form where one fits, else a base of the tree and the differences."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from vlac.errors import RefusedError
from vlac.importing.comments import Comment, joined
from vlac.importing.draft import Draft, text_of
from vlac.importing.hardware import hardware_of, lock_beside
from vlac.importing.original import read
from vlac.importing.trial import Aim, settle
from vlac.models.families import FAMILIES
from vlac.rlinf import versions
from vlac.rlinf.lift import lift
from vlac.rlinf.lower import field_of
from vlac.spec.override_keys import parse_override_key
from vlac.spec.text_rules import is_name

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.bundle.lock import Lock
    from vlac.diagnostics import Diagnostic
    from vlac.importing.hardware import Hardware
    from vlac.importing.original import Original
    from vlac.importing.shipped import Candidate
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key
    from vlac.rlinf.versions import Version

LONGEST = 30
"""Lines that a spec with a base should not exceed: the config's own file is then the better base."""

_FEW = 5  # overrides that a plain spec may have where the tree offers a base instead
_NEEDED = ("name", "model.family", "hardware.cards")
_LENGTHS = ("train.steps", "train.epochs")
_OF_THE_BASE = frozenset(("name", "task", "model.family", "hardware.cards"))
"""Fields that name the bundle, or that the base decides: written beside one, they set no key."""


@dataclass(frozen=True)
class Imported:
    """The spec of a configuration, and what a person should know about it."""

    text: str
    form: Literal["plain", "base"]
    draft: Draft
    notes: tuple[str, ...] = ()


def import_config(config: Path, *, tree: Path | None = None, backend: str | None = None) -> Imported:
    """The spec that compiles to what a config says, leaf for leaf.

    `tree` is the RLinf tree that the spec names, by default the one that the config lies in; `backend` (`B[:DEVICE]`)
    is the hardware of a plain spec. Raises SpecError or RefusedError where the config cannot be read, and where no spec
    says the same.
    """
    original = read(config, tree)
    lock = lock_beside(config)
    plain = _plain(original, lock, hardware_of(original.leaves, lock, backend))
    if original.tree is None:
        return _found(original, plain)
    if isinstance(plain, Imported) and len(plain.draft.overrides) <= _FEW:
        return plain
    based = _based(original, original.tree)
    return _found(
        original, based if isinstance(based, Imported) else plain if isinstance(plain, Imported) else based
    )


def _found(original: Original, result: Imported | tuple[Diagnostic, ...]) -> Imported:
    """The result, or the reason why there is none."""
    if isinstance(result, Imported):
        return result
    why = f": {result[0].message}" if result else ""
    hint = (
        "give --rlinf PATH, so that the spec can start from a config of RLinf"
        if original.tree is None
        else None
    )
    raise RefusedError(f"no spec compiles to {original.file}{why}", hint)


def _plain(original: Original, lock: Lock | None, hardware: Hardware) -> Imported | tuple[Diagnostic, ...]:
    """The spec of a family that vlac knows, for the first version that it fits."""
    problems: tuple[Diagnostic, ...] = ()
    for name, version in _versions(original, lock):
        lifted = lift(original.leaves, version, ranks_per_card=hardware.ranks_per_card)
        start = _start(lifted)
        if start is None:
            continue
        head = {"vlac": 1, **_rlinf(original.tree, name), **hardware.fields}
        settled = settle(Draft({**head, **start}), _aim(original, lifted))
        if isinstance(settled, Draft):
            return _finished(settled, original, "plain", hardware)
        problems = problems or settled
    return problems


def _start(lifted: dict[str, Value]) -> dict[str, Value] | None:
    """The fields that a plain spec cannot do without; None where the configuration does not say them."""
    family = FAMILIES.get(str(lifted.get("model.family")))
    if family is None or lifted.get("task") != "sft":
        return None
    wanted = [*_NEEDED, *(("model.weights",) if family.needs_weights else ())]
    wanted += ("data.path", "data.config") if family.needs_data else ()
    lengths = [path for path in _LENGTHS if path in lifted]
    if not lengths or any(path not in lifted for path in wanted):
        return None
    return {path: lifted[path] for path in (*wanted, *lengths)}


def _versions(original: Original, lock: Lock | None) -> tuple[tuple[str, Version], ...]:
    """The versions to try, each with its name in a spec: what the tree or the lock says, else all."""
    if original.tree is not None:
        return (_recognised(original.tree),)
    locked = versions.find(lock.rlinf_version) if lock is not None else None
    return tuple((one.name, one) for one in ((locked,) if locked else versions.VERSIONS.values()))


def _recognised(tree: Path) -> tuple[str, Version]:
    """What a spec calls the version of a tree, and the known version that it is or is nearest to."""
    from vlac.rlinf.trees import recognise

    found = recognise(tree)
    return (found.version.name if found.version else "auto"), found.version or found.nearest.version


def _rlinf(tree: Path | None, version: str) -> dict[str, Value]:
    path: dict[str, Value] = {"rlinf.path": str(tree)} if tree else {}
    return {**path, "rlinf.version": version}


def _aim(original: Original, fields: dict[str, Value], *, base: bool = False) -> Aim:
    fields = {path: value for path, value in fields.items() if not base or path not in _OF_THE_BASE}
    return Aim(original.leaves, fields, frozenset(original.comments), original.tree)


def _based(original: Original, tree: Path) -> Imported | tuple[Diagnostic, ...]:
    """The spec that starts from a config of the tree; from the file itself where no other makes it short."""
    from vlac.importing import shipped

    base = shipped.base_of(original, tree)
    found = _on_base(original, tree, base) if base else ()
    if isinstance(found, Imported) and found.text.count("\n") <= LONGEST:
        return found
    own = shipped.Candidate(original.file, original.leaves)
    return _on_base(original, tree, own) if _lies_in(original, tree) and base != own else found


def _lies_in(original: Original, tree: Path) -> bool:
    return original.file.is_relative_to(tree / "examples")


def _on_base(original: Original, tree: Path, base: Candidate) -> Imported | tuple[Diagnostic, ...]:
    name, version = _recognised(tree)
    file = base.config.relative_to(tree).as_posix()
    head = {"vlac": 1, "name": _name(original.file), "base": file, **_rlinf(tree, name)}
    fields = lift(original.leaves, version)
    settled = settle(Draft(head), _aim(original, fields, base=True), base.leaves)
    return _finished(settled, original, "base", None) if isinstance(settled, Draft) else settled


def _name(config: Path) -> str:
    """The name of the file as one that a bundle can have."""
    name = re.sub(r"\.\.+|[^\w.-]", "-", config.stem)[:64]
    return name if is_name(name) else f"run{name[:61]}"


def _finished(
    draft: Draft, original: Original, form: Literal["plain", "base"], hardware: Hardware | None
) -> Imported:
    comments = _comments(draft, original)
    notes: tuple[str, ...] = ()
    if hardware is not None and hardware.is_assumed:
        what = " ".join(str(value) for value in hardware.fields.values())
        comments["hardware.backend"] = Comment(beside="# assumed: the config does not name it")
        notes = (
            f"the config does not say on which hardware it runs; {what} is assumed (--backend B:DEVICE)",
        )
    draft = replace(draft, comments=comments)
    return Imported(text_of(draft), form, draft, notes)


def _comments(draft: Draft, original: Original) -> dict[str, Comment]:
    """The comments of the config by the field or the override that its keys became."""
    entries = {parse_override_key(text).path: text for text in draft.overrides if not text.startswith("~")}
    found: dict[str, list[Comment]] = {}
    for key, comment in original.comments.items():
        owner = entries.get(key) or _field_in(draft, key)
        if owner:
            found.setdefault(owner, []).append(comment)
    return {owner: joined(comments) for owner, comments in found.items()}


def _field_in(draft: Draft, key: Key) -> str | None:
    owner = field_of(key)
    return owner if owner in draft.fields else None
