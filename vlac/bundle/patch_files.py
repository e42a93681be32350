"""rlinf.patch and openpi.patch: the source patches that the spec lists, for `git apply`; no compile applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.source_patches import openpi_variant, rlinf_variant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vlac.adapters import PatchVariant, SourcePatch
    from vlac.plan.ir import RunPlan

RLINF, OPENPI = "rlinf.patch", "openpi.patch"


def patch_files(plan: RunPlan) -> Mapping[str, bytes]:
    """The patch files of a bundle by name; none where the spec lists no patch."""
    pairs = [(patch, rlinf_variant(patch, plan.version)) for patch in plan.patches]
    own = [(patch, variant) for patch, variant in pairs if variant]
    others = [(patch, variant) for patch in plan.patches if (variant := openpi_variant(patch))]
    files = {}
    if own:
        where = "in the folder that holds rlinf/"
        files[RLINF] = _emit(f"RLinf {plan.version.name}", where, own)
    if others:
        where = "in the folder that holds openpi/; in a checkout of openpi with --directory=src"
        files[OPENPI] = _emit("openpi", where, others)
    return files


def _emit(target: str, where: str, pairs: Sequence[tuple[SourcePatch, PatchVariant]]) -> bytes:
    """A head for people, which `git apply` and `patch -p1` pass over, and the diffs."""
    told = "".join(f"\n* {patch.id}: {patch.purpose}\n  numbers: {patch.numbers}\n" for patch, _ in pairs)
    how = f"Apply with `vlac patch SPEC apply`, or {where}: git apply FILE"
    diffs = b"".join(variant.diff.read_bytes() for _, variant in pairs)
    return f"Changes to {target} that the spec lists under `patches`.\n{how}\n{told}\n".encode() + diffs
