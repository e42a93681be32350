"""What a compiled configuration meets in a tree that nobody has seen: keys that it would miss, keys that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.plan.problems import error, warning
from vlac.rlinf.lower import keys_of
from vlac.rlinf.reads import Run, Tree, read_for
from vlac.rlinf.reads.cache import default_folder
from vlac.rlinf.trees.own import difference_of
from vlac.rlinf.trees.template import CONFIG
from vlac.rlinf.trees.version_reads import RUNS
from vlac.spec.fields import BY_PATH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting, Value
    from vlac.rlinf.reads import Read
    from vlac.rlinf.templates import Key
    from vlac.rlinf.trees.difference import Difference
    from vlac.rlinf.trees.key_reads import Kinds
    from vlac.rlinf.trees.target import TreeTarget

_FIELD = "rlinf.version"
_STRICT = "strict"
_MOST_KEYS = 8  # named in a message; the rest is counted
_RUN: tuple[Key, ...] = (
    ("runner", "task_type"),
    ("actor", "model", "model_type"),
    ("actor", "training_backend"),
)


def tree_problems(plan: RunPlan, config: Mapping[Key, Setting]) -> tuple[Diagnostic, ...]:
    """Errors for strict reads that the configuration has no key for; warnings for fields that the tree does not read,
    and for what differs from the nearest version. Nothing for a known version: its tables were made for it.
    """
    target = plan.version.tree
    if target is None or not target.is_own:
        return ()
    if not target.recognised.has_code:
        message = "the tree has configs and no code: which keys its code reads is not known"
        return (
            warning(
                plan.loaded, _FIELD, "target-tree-keys", message, f"those of {target.nearest} are assumed"
            ),
        )
    values = {key: setting.value for key, setting in config.items()}
    try:
        found = _difference(target, values)
        missing = _missing(plan, target, values, found)
        return (*_keys(plan, target, found), *_unread_fields(plan, found), *missing) if found else (*missing,)
    except RefusedError as problem:
        return (error(plan.loaded, _FIELD, "target-tree-unfit", problem.message, problem.hint),)


def _difference(target: TreeTarget, values: Mapping[Key, Value]) -> Difference | None:
    """None where the reads of such a run are not kept; what would be missing can still be told."""
    run = Run(*(str(values.get(key, "")) for key in _RUN))
    return difference_of(target.recognised, run) if run in RUNS else None


def _missing(
    plan: RunPlan, target: TreeTarget, values: Mapping[Key, Value], found: Difference | None
) -> Iterator[Diagnostic]:
    file = plan.base.name if plan.base else CONFIG
    reads = read_for(Tree(target.recognised.tree), nested(values), file=file, folder=default_folder())
    moved = {move.new: move for move in found.moved} if found else {}
    for read in reads.missing(nested(values)):
        message = f"{read.name} is missing: this tree reads it without a default, in {_places(read)}"
        hint = f'give it a value: overrides: {{"+{read.name}": ...}}'
        if read.key in moved:
            hint += f"; it seems to be what RLinf {target.nearest} calls {'.'.join(moved[read.key].old)}"
        yield error(plan.loaded, _FIELD, "target-key-missing", message, hint)


def _unread_fields(plan: RunPlan, found: Difference) -> Iterator[Diagnostic]:
    """Fields that somebody wrote and whose keys this tree does not read."""
    moved = {move.old: move for move in found.moved}
    for field in plan.loaded.written:
        keys = keys_of(field) if field in BY_PATH else ()
        if keys and all(key in found.gone or key in moved for key in keys):
            names = " and ".join(".".join(key) for key in keys)
            message = f"{field} has no effect: this tree does not read {names}"
            now = [moved[key] for key in keys if key in moved]
            hint = (
                f"set {'.'.join(now[0].new)} under overrides ({now[0].surety}: {now[0].why})"
                if now
                else "leave it out"
            )
            yield warning(plan.loaded, field, "spec-field-ignored", message, hint)


def _places(read: Read) -> str:
    return ", ".join(f"{place.file}:{place.line}" for place in read.places)


def _keys(plan: RunPlan, target: TreeTarget, found: Difference) -> Iterator[Diagnostic]:
    hint = f"vlac reads --rlinf PATH --against {target.nearest} shows all of it, with the places"
    for message in _messages(found, target.nearest):
        yield warning(plan.loaded, _FIELD, "target-tree-keys", message, hint)


def _messages(found: Difference, nearest: str) -> Iterator[str]:
    if found.moved:
        moves = (f"{'.'.join(move.old)} is {'.'.join(move.new)} ({move.surety})" for move in found.moved)
        yield f"keys that moved since RLinf {nearest}: {_some(moves)}"
    if found.new:
        rows = sorted(found.new.items(), key=lambda row: (_STRICT not in row[1], row[0]))
        new = (f"{'.'.join(key)} ({' + '.join(kinds)})" for key, kinds in rows)
        yield f"keys that this tree reads and RLinf {nearest} does not: {_some(new)}"
    if found.gone:
        gone = (".".join(key) for key in sorted(found.gone))
        yield f"keys of RLinf {nearest} that this tree does not read: {_some(gone)}"
    for was, now in ((False, True), (True, False)):
        keys = [
            ".".join(key) for key, kinds in sorted(found.changed.items()) if _strictness(kinds) == (was, now)
        ]
        if keys:
            yield f"keys that this tree {'needs' if now else 'no longer needs'}, unlike RLinf {nearest}: {_some(keys)}"


def _strictness(kinds: tuple[Kinds, Kinds]) -> tuple[bool, bool]:
    """Whether a key was read strictly, and whether it is now."""
    return _STRICT in kinds[0], _STRICT in kinds[1]


def _some(words: Iterable[str]) -> str:
    listed = list(words)
    more = f" and {len(listed) - _MOST_KEYS} more" if len(listed) > _MOST_KEYS else ""
    return ", ".join(listed[:_MOST_KEYS]) + more


def nested(values: Mapping[Key, Value]) -> dict[str, object]:
    """The leaves as mappings in mappings."""
    result: dict[str, object] = {}
    for key, value in values.items():
        inner = result
        for part in key[:-1]:
            inner = inner.setdefault(part, {})  # type: ignore[assignment]  # sections hold mappings only
        inner[key[-1]] = value
    return result
