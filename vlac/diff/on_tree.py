"""A change held beside a bundle on a tree: what its code reads, the configs of other runs, and where hunks went."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.diff.code_reads import TreeReads, referred
from vlac.diff.comparison import Difference, Judgement, Verdict
from vlac.diff.compute import compute_on, in_patch
from vlac.diff.evaluation import evaluated
from vlac.diff.inputs import applied
from vlac.errors import RefusedError
from vlac.rlinf.reads import Run
from vlac.rlinf.trees import recognise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.diff.apply import Placement
    from vlac.diff.comparison import Comparison
    from vlac.diff.evaluation import Evaluation
    from vlac.diff.image import Image
    from vlac.patches.parse import Patch

_BACKEND = ("actor", "training_backend")


def compare_patch(patch: Patch, tree: Path, bundle: Bundle) -> Comparison:
    """A patch on a copy of a tree, beside a bundle. Raises PatchError where it does not apply or breaks a config."""
    done = applied(patch, tree)
    compared = compare_images(done.changed, tree, bundle, patch.name)
    differences = tuple(in_patch(patch, one) for one in compared.differences)
    return replace(compared, differences=differences, applies=tuple(placed(done.placements)))


def compare_images(
    images: Sequence[Image], tree: Path, bundle: Bundle, name: str, *, target: str = ""
) -> Comparison:
    """Changed files of a tree beside a bundle; `name` is the change's, `target` what the tree is, in words.

    Raises PatchError where a changed config is not YAML.
    """
    with evaluated(tree, images, bundle) as evaluation:
        compared = compute_on(evaluation, bundle, name)
    return replace(compared, target=f"{compared.target} {target or f'on {tree}{_version_of(tree, bundle)}'}")


def _version_of(tree: Path, bundle: Bundle) -> str:
    """What the tree is, where it is not what the spec is for."""
    try:
        found = recognise(tree)
    except RefusedError:
        return ""
    is_target = found.is_known and bundle.plan.version.table in (
        found.nearest.version.name,
        *(version.name for version in found.alike),
    )
    return "" if is_target else f", which is {found.described}"


def code_reads(evaluation: Evaluation, bundle: Bundle) -> TreeReads | None:
    """What the tree's code reads for the bundle's kind of run; None, noted as undecided, where it cannot be read."""
    backend = bundle.config.get(_BACKEND)
    task, model = (str(part) for part in evaluation.kind)
    run = Run(task, model, str(backend.value) if backend else "")
    changes_code = any(path.endswith(".py") for path in evaluation.images)
    after = evaluation.after if changes_code else evaluation.before
    values = [setting.value for setting in bundle.config.values()]
    for effect in evaluation.effects:
        values += [value for side in (effect.before, effect.after) if side for value in side.values.values()]
    reads = TreeReads(evaluation.before, after, run, bundle.plan.version.table, referred(values))
    try:
        return reads if reads.both else None
    except RefusedError as problem:
        evaluation.undecided.append(f"what the code reads, before or after the change: {problem}")
        return None


def other_files(evaluation: Evaluation) -> Iterator[Difference]:
    """The touched configs that the spec's run does not read, and those that do not compose any more."""
    for effect in evaluation.effects:
        if effect.broken:
            judged = Judgement(Verdict.ONLY_IN_PATCH, f"with the change {effect.broken}")
            yield Difference("file", effect.config, "does not compose", judged, effect.config, 0)
    for other in evaluation.others:
        image = evaluation.images.get(other.config)
        line = next((line.number for line in image.lines if line.number), 0) if image else 0
        judged = Judgement(Verdict.DEAD, f"the run of this spec does not read it: {other.why}")
        yield Difference("file", other.config, "a config of another run", judged, other.config, line)


def placed(placements: list[Placement]) -> Iterator[str]:
    """What `git apply` says of hunks that are not where they say."""
    for one in placements:
        if one.offset:
            lines = "line" if abs(one.offset) == 1 else "lines"
            yield f"{one.path}: hunk {one.hunk} succeeds at line {one.line} (offset {one.offset} {lines})"
