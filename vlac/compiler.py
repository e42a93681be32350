"""The way through the house: text -> LoadedSpec -> RunPlan -> leaves -> Bundle. Data moves one way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.bundle.build import build
from vlac.errors import SpecError
from vlac.plan.passes import PASSES
from vlac.plan.start import start
from vlac.plan.verifier import verify_plan
from vlac.rlinf.adapt import judged
from vlac.rlinf.features import lacking
from vlac.rlinf.figures import with_learning_rates
from vlac.rlinf.lower import can_lower, lower
from vlac.rlinf.overrides import override
from vlac.rlinf.source_patches import missing_patches
from vlac.spec.load import load, load_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan
    from vlac.rlinf.leaves import Leaves
    from vlac.spec.loaded import LoadedSpec


def compile_path(
    path: Path,
    *,
    backend: str | None = None,
    sets: Sequence[str] = (),
    tree: Path | None = None,
    watch: Callable[[str, RunPlan], None] | None = None,
) -> Bundle:
    """Compile a spec file. Raises SpecError with all problems.

    `tree` is the RLinf tree that is read instead of the one at `rlinf.path`; `watch` sees the plan after each pass.
    """
    return compile_loaded(load(path, backend=backend, sets=sets, keep_going=True), watch, tree=tree)


def compile_spec_text(
    text: str, folder: Path, *, backend: str | None = None, sets: Sequence[str] = (), tree: Path | None = None
) -> Bundle:
    """Compile a spec given as text that lies, as it were, in `folder`; else as `compile_path`."""
    loaded = load_text(text, folder=folder, backend=backend, sets=sets, keep_going=True)
    return compile_loaded(loaded, tree=tree)


def compile_loaded(
    loaded: LoadedSpec, watch: Callable[[str, RunPlan], None] | None = None, *, tree: Path | None = None
) -> Bundle:
    """Plan, lower and build a spec that was read. Raises SpecError with all problems."""
    plan = make_plan(loaded, watch, tree=tree)
    found = [*loaded.diagnostics, *plan.diagnostics]
    if not can_lower(plan):
        raise SpecError(in_source_order(found))
    config, problems = override(plan, lower(plan))
    found += (*problems, *lacking(plan, config), *judged(plan, config), *_of_tree(plan, config))
    found += missing_patches(plan, config)
    if any(diagnostic.is_error for diagnostic in found):
        raise SpecError(in_source_order(found))
    if plan.base is not None:
        from vlac.rlinf.placeholders import inherited

        found += inherited(plan, config)
    return build(with_learning_rates(plan, config), config, in_source_order(found))


def make_plan(
    loaded: LoadedSpec, watch: Callable[[str, RunPlan], None] | None = None, *, tree: Path | None = None
) -> RunPlan:
    """Run the passes in order, checking the plan between them."""
    plan = start(loaded, tree)
    if plan.base is None and loaded.last("base"):
        return plan  # nothing can be said about a run whose base is not known
    for one_pass in PASSES:
        plan = one_pass(plan)
        verify_plan(plan, one_pass.__name__)
        if watch:
            watch(one_pass.__name__, plan)
    return plan


def _of_tree(plan: RunPlan, config: Leaves) -> tuple[Diagnostic, ...]:
    """What a tree that nobody has seen would miss in a configuration; its code is read for that alone."""
    if plan.version.tree is None:
        return ()
    from vlac.rlinf.trees.problems import tree_problems

    return tree_problems(plan, config)


def in_source_order(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics by file, line and column; those without a place last, equal ones once."""

    def place(diagnostic: Diagnostic) -> tuple[bool, str, int, int]:
        at = diagnostic.position
        return (at is None, at.file if at else "", at.line if at else 0, at.column if at else 0)

    return tuple(sorted(dict.fromkeys(diagnostics), key=place))
