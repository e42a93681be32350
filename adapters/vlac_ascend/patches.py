"""Source patches that NPUs ask for. The diffs lie in `numerics/`, one for each tree whose files are known.

The places are those that Ascend's recipe for pi0 (cann-recipes-embodied-intelligence, manipulation/pi0/train) and the
text of the kernels' errors name, in openpi's model and in RLinf's own files around it. PyPI's RLinf 0.3.0 has the files
of v0.3; rlinf-openpi 0.1.1 is what RLinf's installer takes at a3816b596.
"""

from __future__ import annotations

from pathlib import Path

from vlac.adapters import PatchedFile, PatchVariant, SourcePatch

_MANAGER = "rlinf/hybrid_engines/fsdp/fsdp_model_manager.py"
_ACTION_MODEL = "rlinf/models/embodiment/openpi/openpi_action_model.py"
_PI0 = "openpi/models_pytorch/pi0_pytorch.py"


def _diff(name: str) -> Path:
    return Path(__file__).parent / "numerics" / f"{name}.patch"


# The same file at v0.3 and at a4b6abe20.
_OLDER_ACTION_MODEL = PatchedFile(
    _ACTION_MODEL,
    before="6545ec3f0837f8cfc22cfdbfd2bf18889b87d43098612857500806e376f16fae",
    after="5aa6f4e16664e0cafe32015de1c3b935a4c1fdba06e30db9781a91f51346f785",
)

_VARIANTS = (
    PatchVariant(
        "rlinf",
        "0.3",
        _diff("rlinf-0.3"),
        (
            PatchedFile(
                _MANAGER,
                before="ffda066ee94714e80bffb86629d059f2bbd39875eb78b664ecf695f8d0567b75",
                after="1bfb5e5a9640f24c1ef9b7843866cfe91f33c4adc819d32b9941091244acbc45",
            ),
            _OLDER_ACTION_MODEL,
        ),
    ),
    PatchVariant(
        "rlinf",
        "a4b6abe20",
        _diff("rlinf-a4b6abe20"),
        (
            PatchedFile(
                _MANAGER,
                before="7678863d9f262555572310f46b32b42499a751895165032e9a891fd2cd145b71",
                after="9423fe0a75983675360e1bb14a546fb825aeae2cb728636317171cccb1ebcf88",
            ),
            _OLDER_ACTION_MODEL,
        ),
    ),
    PatchVariant(
        "rlinf",
        "main",
        _diff("rlinf-main"),
        (
            PatchedFile(
                _MANAGER,
                before="ab9cec9c11bb3815fb5c4cd1733a3794f806bec7873616222cb2d26e81a5e068",
                after="b09e67b6d1b3b6fb28071450a29d15b41a11ff73e97c97c1aaec7013f94db739",
            ),
            PatchedFile(
                _ACTION_MODEL,
                before="fae5a5266061ae7a2aca0b8a6bb9df2913f349413f446b688f50ab4bca7804a9",
                after="561495034bdc9a1975bd3792e50f6693c7734d4dde6781fe5240bcbf4b784f27",
            ),
        ),
    ),
    PatchVariant(
        "openpi",
        "rlinf-openpi-0.1.1",
        _diff("rlinf-openpi-0.1.1"),
        (
            PatchedFile(
                _PI0,
                before="0c7b9f1de02ed886da49035e3fa1b38efea46eb6209489cb4f594f777f97b70c",
                after="40f81b32991a3520f1e880dd4b6893e3c7c11e2cf4aefd0d95bfde69aa699399",
            ),
        ),
    ),
    PatchVariant(
        "openpi",
        "openpi-15a9616",
        _diff("openpi-15a9616"),
        (
            PatchedFile(
                _PI0,
                before="dcd7b6f508808ce4b7170a1720a4c62c6da04edae3652d16c94a469dca924e16",
                after="bdefe2b203326020c7794493c4125791f10419b7370dbe399d00b4b7e3c08425",
            ),
        ),
    ),
)

NPU_NUMERICS = SourcePatch(
    id="npu-numerics",
    purpose="pi0 and pi0.5 count positions in int32, combine masks as booleans, embed time in float32, and take "
    "autocast for the NPU where they run on one",
    evidence="Ascend's recipe for pi0 on Atlas A2 with CANN 8.3 changes these places, because aclnnCumsum took no "
    "int64 and aclnnBitwiseAndTensor no floats (cann-recipes-embodied-intelligence, manipulation/pi0/train)",
    unneeded="the engineering note on RLinf with openpi trained pi0.5 on a 910B3 with CANN 8.3 without it: try "
    "`vlac run --smoke`; it is needed where the first step ends with `aclnnCumsum failed` or "
    "`aclnnBitwiseAndTensor failed`",
    numbers="none on CPU and CUDA, to the bit; on an NPU the embedding of time is computed in float32 instead of "
    "float64, which differs by about 2e-4 where it differs most",
    variants=_VARIANTS,
    models=("openpi",),
)
"""Opt-in: whether a kernel takes what the unpatched code gives it depends on CANN and its operator package."""
