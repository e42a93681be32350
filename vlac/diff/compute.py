"""Compares what a source patch sets with what a bundle sets, by meaning."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diff.comparison import Comparison, Difference
from vlac.diff.judge import judge_code, judge_config, judge_variable
from vlac.diff.lacks import lacks, only_in_bundle
from vlac.diff.target import target_of
from vlac.patches.changes import ABSENT, CodeChange, ConfigChange
from vlac.patches.meaning import changes
from vlac.rlinf.stock_configs import GROUP_FILES, known_layout

if TYPE_CHECKING:
    from vlac.bundle import Bundle
    from vlac.diff.evaluation import Evaluation
    from vlac.diff.target import Target
    from vlac.patches.changes import Change, Held, Key, VariableChange
    from vlac.patches.parse import Patch

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
HIDDEN = "(hidden)"


def compute(patch: Patch, bundle: Bundle) -> Comparison:
    """Judge everything that the patch sets, by the data of the bundle's version.

    Raises `PatchError` where a hunk of a configuration cannot be read as YAML.
    """
    found = changes(patch, GROUP_FILES, known_layout())
    compared = judged(patch.name, found, target_of(bundle))
    return replace(compared, differences=tuple(in_patch(patch, one) for one in compared.differences))


def in_patch(patch: Patch, difference: Difference) -> Difference:
    """The difference with the file of the patch that its line is in."""
    if not difference.line:
        return difference
    position = patch.position(difference.line)
    return replace(difference, source=position.file, line=position.line)


def compute_on(evaluation: Evaluation, bundle: Bundle, name: str) -> Comparison:
    """Judge everything that a change sets on a tree, as a run there sees it; `name` is the change's.

    Raises `PatchError` where a changed config is not YAML.
    """
    from vlac.diff.judge_reads import read_differences
    from vlac.diff.on_tree import code_reads, other_files

    reads = code_reads(evaluation, bundle)
    target = target_of(bundle, evaluation, reads)
    found = evaluation.changes(name)
    compared = judged(name, found, target)
    more = list(other_files(evaluation))
    if reads and reads.after != reads.before:
        more += read_differences(reads.difference(), found, target, evaluation.images)
    return replace(
        compared,
        differences=(*compared.differences, *more),
        undecided=tuple(dict.fromkeys(evaluation.undecided)),
    )


def judged(name: str, found: tuple[Change, ...], target: Target) -> Comparison:
    """The comparison of changes with a target; `name` is that of what they come from."""
    guards = Counter(
        change.name for change in found if isinstance(change, CodeChange) and change.kind == "guard"
    )
    named = {change.name for change in found if not isinstance(change, (ConfigChange, CodeChange))}
    return Comparison(
        patch=name,
        spec=target.bundle.name,
        target=target.version,
        differences=tuple(_difference(change, target, guards[_name(change)]) for change in found),
        config_only_in_bundle={dotted(key): value for key, value in only_in_bundle(found, target).items()},
        variables_only_in_bundle=_own_variables(target, named),
        lacks=tuple(lacks(found, target)),
    )


def _own_variables(target: Target, named: set[str]) -> dict[str, str]:
    """What the bundle sets and neither the patch nor a stock script does."""
    return {
        name: item.value
        for name, item in target.planned.items()
        if item.value is not None and name not in named and target.stock.exports.get(name) != item.value
    }


def dotted(key: Key) -> str:
    """A configuration key as `overrides` writes it: a part with a dot in it is quoted."""
    return ".".join(f'"{part}"' if "." in part and key[0] != "defaults" else part for part in key)


def _hidden(value: Held) -> Held:
    return ABSENT if value is ABSENT else HIDDEN


def _name(change: Change) -> str:
    return change.name if isinstance(change, CodeChange) else ""


def _difference(change: Change, target: Target, guarded: int) -> Difference:
    if isinstance(change, ConfigChange):
        verdict = judge_config(change, target)
        return Difference(
            "config",
            dotted(change.key),
            change.new,
            verdict,
            change.file,
            change.line,
            change.config,
            change.cause,
        )
    if isinstance(change, CodeChange):
        verdict = judge_code(change, target, guarded)
        return Difference("code", change.file, change.new or ABSENT, verdict, change.file, change.line)
    return _variable_difference(change, target)


def _variable_difference(change: VariableChange, target: Target) -> Difference:
    """Values of variables that hold a secret, by the spec or by their name, are not repeated."""
    verdict = judge_variable(change, target)
    new: Held = ABSENT if change.new is None else change.new
    if change.name in target.plan.secrets or _SECRET.search(change.name):
        new = _hidden(new)
        verdict = replace(verdict, bundle=_hidden(verdict.bundle))
    return Difference("variable", change.name, new, verdict, change.file, change.line)
