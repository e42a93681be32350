"""The source patches that a run can take: RLinf's own and the backend's; which one its configuration needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vlac.plan.problems import error
from vlac.rlinf.guards import GUARDS, needs_guards

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.adapters import Adapter, PatchVariant, SourcePatch
    from vlac.diagnostics import Diagnostic
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting
    from vlac.rlinf.templates import Key
    from vlac.rlinf.versions import Version


@dataclass(frozen=True, slots=True)
class Offer:
    """A patch beside a run: whether the spec lists it, what it would do there, and why."""

    patch: SourcePatch
    is_listed: bool
    verdict: Literal["needed", "not needed", "optional", "no effect", "not for this tree"]
    why: str


def offered(adapter: Adapter) -> tuple[SourcePatch, ...]:
    """The patches that a spec with this backend can list."""
    return (GUARDS, *adapter.patches)


def trees_of(version: Version) -> tuple[str, ...] | None:
    """The trees that a version means, as `PatchVariant.tree` names them; None for a tree that nobody has seen."""
    return None if version.tree is not None and version.tree.is_own else (version.name,)


def rlinf_variant(patch: SourcePatch, version: Version) -> PatchVariant | None:
    """A patch as RLinf's own files take it; None where it changes none of that version.

    In a tree that nobody has seen, its files decide; where they are those of no version, the nearest version does.
    """
    variants = [variant for variant in patch.variants if variant.project == "rlinf"]
    nearest = next((variant for variant in variants if variant.tree == version.table), None)
    if trees_of(version) is not None:
        return nearest
    return next((variant for variant in variants if not _unknown_in(variant, version)), nearest)


def unknown_files(patch: SourcePatch, version: Version) -> tuple[str, ...]:
    """The files of a tree that was looked at which a patch does not know, so that `vlac patch` will refuse them."""
    variant = rlinf_variant(patch, version)
    return _unknown_in(variant, version) if variant and version.tree is not None else ()


def openpi_variant(patch: SourcePatch) -> PatchVariant | None:
    """A patch as openpi's files take it: of several, as the package that RLinf installs takes it."""
    return next((variant for variant in patch.variants if variant.project == "openpi"), None)


def is_for(patch: SourcePatch, version: Version) -> bool:
    """Whether a patch was made for a version."""
    of_rlinf = any(variant.project == "rlinf" for variant in patch.variants)
    return not of_rlinf or rlinf_variant(patch, version) is not None


def reaches(patch: SourcePatch, model_type: str) -> bool:
    """Whether a patch changes code that runs of a model pass."""
    return not patch.models or model_type in patch.models


def missing_patches(plan: RunPlan, config: Mapping[Key, Setting]) -> Iterator[Diagnostic]:
    """An error for a patch that the configuration needs and the spec does not list."""
    if not needs_guards(config) or GUARDS in plan.patches or trees_of(plan.version) is None:
        return  # of a tree that nobody has seen, its own code tells which keys are missing
    ids = ", ".join([*(patch.id for patch in plan.patches), GUARDS.id])
    message = f"the configuration has no actor.model.is_lora: {GUARDS.evidence}"
    hint = f"add `patches: [{ids}]`, or give the key a value: overrides: {{+actor.model.is_lora: false}}"
    place = "patches" if plan.is_written("patches") else "base"
    yield error(plan.loaded, place, "patch-needed", message, hint)


def offers(plan: RunPlan, config: Mapping[Key, Setting]) -> tuple[Offer, ...]:
    """Every patch that the spec could list, beside its compiled configuration."""
    return tuple(_offer(patch, plan, config) for patch in offered(plan.adapter))


def _offer(patch: SourcePatch, plan: RunPlan, config: Mapping[Key, Setting]) -> Offer:
    is_listed = patch in plan.patches
    if not is_for(patch, plan.version):
        return Offer(patch, is_listed, "not for this tree", f"made for {_trees(patch)}")
    if not reaches(patch, plan.family.model_type):
        return Offer(patch, is_listed, "no effect", f"it changes code of {', '.join(patch.models)} alone")
    if patch is not GUARDS:
        why = f"{patch.purpose}; {patch.evidence}; {patch.unneeded}"
        return Offer(patch, is_listed, "optional", why)
    if needs_guards(config):
        return Offer(
            patch, is_listed, "needed", f"the configuration lacks actor.model.is_lora; {patch.evidence}"
        )
    return Offer(patch, is_listed, "not needed", "the compiled configuration has actor.model.is_lora")


def _unknown_in(variant: PatchVariant, version: Version) -> tuple[str, ...]:
    """The files of a variant that are neither as before nor as after it in the tree that the version is."""
    from vlac.rlinf.trees.files import hash_of

    assert version.tree is not None
    root = version.tree.recognised.tree

    def found(path: str) -> str:
        try:
            return hash_of((root / path).read_bytes())
        except OSError:
            return ""

    return tuple(file.path for file in variant.files if found(file.path) not in (file.before, file.after))


def _trees(patch: SourcePatch) -> str:
    return ", ".join(f"RLinf {variant.tree}" for variant in patch.variants if variant.project == "rlinf")
