"""The verdict on each thing that a patch sets: rules in the order of the verdicts, the first that holds."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diff.comparison import Judgement, Verdict
from vlac.diff.moved_keys import moves_of
from vlac.diff.worker_imports import brought_by
from vlac.patches.changes import ABSENT, UNKNOWN
from vlac.patches.meaning import same_file
from vlac.rlinf.known_reads import why_unread
from vlac.rlinf.stock_configs import known_layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.diff.target import Target
    from vlac.patches.changes import CodeChange, ConfigChange, Held, Key, VariableChange
    from vlac.rlinf.moves import Move

_PACKAGE = "rlinf"
OFF_THE_RUN = (".github/", "docs/", "tests/", "toolkits/")
"""Folders of a checkout that no run reads."""

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def judge_config(change: ConfigChange, target: Target) -> Judgement:
    """The verdict on a configuration key."""
    key, new = change.key, change.new
    if UNKNOWN in key:
        reason = (
            "the hunk does not show the section above it: make the patch with more context (git diff -U20)"
        )
        return Judgement(Verdict.ONLY_IN_PATCH, reason)
    held, moved = _held(key, target)
    if target.is_openpi and not moved and not target.reads.reads(key):
        return Judgement(Verdict.DEAD, _unread(change, target), held)
    if change.config and equal(change.old, new):
        return Judgement(Verdict.REDUNDANT, _tree_has(change), held)
    if not change.config and target.is_stock(change.file) and equal(new, target.stock_value(key)):
        return Judgement(Verdict.REDUNDANT, _stock_has(new, target), held)
    judged = _compared(new, held, _origin(moved.new if moved else key, target))
    return replace(judged, reason=f"{judged.reason}{_evidence(change, moved)}")


def _held(key: Key, target: Target) -> tuple[Held, Move | None]:
    """The bundle's value of a key, where its version calls it by another name of that."""
    held = target.held(key)
    if held is not ABSENT:
        return held, None
    for now, move in moves_of(key, target.plan.version):
        if (moved := target.held(now)) is not ABSENT:
            return moved, replace(move, new=now)
    return held, None


def _evidence(change: ConfigChange, moved: Move | None) -> str:
    """The place in the tree that decides the value, and what RLinf calls the key otherwise."""
    place = change.new_place or change.old_place
    parts = [f"in the tree: {place}"] if place else []
    if moved:
        parts.append(f"RLinf calls it {'.'.join(moved.new)} since {moved.since} ({moved.source})")
    return f"; {'; '.join(parts)}" if parts else ""


def judge_variable(change: VariableChange, target: Target) -> Judgement:
    """The verdict on an exported variable."""
    held: Held = target.variables.get(change.name, ABSENT)
    if _is_other_script(change.file, target):
        return Judgement(Verdict.DEAD, f"runs like this start with {target.stock.script}", held)
    new: Held = ABSENT if change.new is None else change.new
    is_set = new is not ABSENT and target.stock.exports.get(change.name) == new
    if target.is_stock(change.file) and is_set:
        return Judgement(Verdict.REDUNDANT, f"a stock {target.stock.script} exports it already", held)
    planned = target.planned.get(change.name)
    if planned and planned.value is None:
        return Judgement(Verdict.ONLY_IN_PATCH, "the spec leaves this variable to the shell")
    why = planned.why if planned else "launch.sh sets it"
    return _compared(new, held, why)


def judge_code(change: CodeChange, target: Target, guarded: int) -> Judgement:
    """The verdict on a change of code; `guarded` is how many reads of the same key the patch guards."""
    if change.kind == "guard":
        return _judge_guard(change, target, guarded)
    off = _off_the_run(change.file, target)
    if off:
        return Judgement(Verdict.DEAD, off)
    if change.kind == "import":
        return _judge_import(change, target)
    if not change.old and not change.new:
        reason = "vlac compares configurations, shell scripts and Python; of this file it sees only that it changes"
        return Judgement(Verdict.ONLY_IN_PATCH, reason)
    return Judgement(Verdict.ONLY_IN_PATCH, _WITHOUT)


_WITHOUT = "the bundle runs RLinf's source without this change"


def _off_the_run(file: str, target: Target) -> str:
    """Why no run of this kind has to do with a file, empty where it may."""
    if file.startswith(OFF_THE_RUN):
        return "nothing there takes part in a run"
    if _is_other_script(file, target):
        return f"runs like this start with {target.stock.script}"
    if target.entries and file.endswith(".py") and not target.reads.scanned(file):
        return f"no run of this kind loads the file: nothing that {target.entries} imports does"
    return ""


def _is_other_script(file: str, target: Target) -> bool:
    """Whether a script of a tree is none that starts such a run."""
    is_script = file.endswith((".sh", ".bash"))
    return is_script and bool(target.scripts) and not any(same_file(file, known) for known in target.scripts)


def equal(one: Held, other: Held) -> bool:
    """Whether two values mean the same: 1 is 1.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def _compared(new: Held, held: Held, why: str) -> Judgement:
    if equal(new, held):
        reason = "neither has it" if held is ABSENT else f"the bundle sets it too: {why}"
        return Judgement(Verdict.SAME, reason, held)
    if new is ABSENT:
        return Judgement(Verdict.DIFFERS, f"the patch takes it away, the bundle sets it: {why}", held)
    if held is ABSENT:
        return Judgement(Verdict.ONLY_IN_PATCH, "the bundle does not set it")
    return Judgement(Verdict.DIFFERS, f"the bundle's value: {why}", held)


def _unread(change: ConfigChange, target: Target) -> str:
    reason = f"nothing on the SFT path of {target.version} reads it"
    if target.entries:
        reason = f"nothing that {target.entries} runs reads it, in this tree"
    more = why_unread(change.key)
    return f"{reason}; {more}" if more else reason


def _tree_has(change: ConfigChange) -> str:
    if change.new is ABSENT:
        return f"{change.config} composes to no such key without the patch either"
    return f"{change.config} composes to this value without the patch: {change.old_place}"


def _stock_has(new: Held, target: Target) -> str:
    where = f"{target.stock.path} with its template {target.stock.template}"
    if new is ABSENT:
        return f"a stock checkout of {target.version} has no such key ({where})"
    return f"a stock checkout of {target.version} has this value already ({where})"


def _origin(key: Key, target: Target) -> str:
    setting = target.bundle.config.get(key)
    if setting is None:
        return f"family {target.plan.family.name}" if key[0] == "defaults" else "its component's placement"
    return f"{setting.origin.layer.value}, {setting.origin.reason}"


def _judge_guard(change: CodeChange, target: Target, guarded: int) -> Judgement:
    name, places = change.name, target.reads.strict.get(change.name, ())
    here = target.reads.strict_in(change.file, name)
    keys = [".".join(key) for key in target.config if key[-1] == name]
    is_covered = target.evaluation is not None or any(key[-1] == name for key in known_layout())
    if target.reads.scanned(change.file) and is_covered and not here:
        reason = f"{target.version} reads {name} strictly nowhere in this file"
        return Judgement(Verdict.REDUNDANT, reason)
    if here and keys:
        return Judgement(Verdict.NOT_NEEDED, _cannot_fail(keys, places, guarded))
    if here:
        reason = f"the compiled config has no {name}, and without this guard {here[0]} fails"
        return Judgement(Verdict.ONLY_IN_PATCH, reason)
    return Judgement(Verdict.ONLY_IN_PATCH, f"vlac has no data on who reads {name} in this file")


def _cannot_fail(keys: Sequence[str], places: Sequence[str], guarded: int) -> str:
    count = len(places)
    which = {1: "the one strict read", 2: "neither of the two strict reads"}
    reads = which.get(count, f"none of the {_number(count)} strict reads")
    can = "cannot" if count == 1 else "can"
    start = f"the compiled config has {' and '.join(keys)}, so {reads} ({', '.join(places)}) {can} fail"
    return start if count == 1 else f"{start}; the patch guards {_number(guarded)} of them"


def _number(count: int) -> str:
    return _NUMBERS.get(count, str(count))


def _judge_import(change: CodeChange, target: Target) -> Judgement:
    root = change.name.partition(".")[0]
    if root == _PACKAGE:
        return Judgement(Verdict.ONLY_IN_PATCH, _WITHOUT)
    if root in target.reads.imports or root in sys.stdlib_module_names:
        return Judgement(Verdict.REDUNDANT, f"{target.version} brings {root} into every worker already")
    file = brought_by(change.name, target.imports) or brought_by(root, target.imports)
    if file:
        reason = f"the bundle's bootstrap/{file} imports {root} in every process of the run"
        return Judgement(Verdict.NOT_NEEDED, reason)
    return Judgement(Verdict.ONLY_IN_PATCH, f"nothing in the bundle imports {root}")
