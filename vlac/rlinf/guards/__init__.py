"""`guards`: RLinf asks a configuration for `is_lora` in two places without a default; patched, it copes without.

What is true of RLinf whatever the hardware. The diffs lie beside this file, one for each known version; PyPI's package
0.3.0 has the files of v0.3.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vlac.adapters import PatchedFile, PatchVariant, SourcePatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.rlinf.templates import Key

IS_LORA: Key = ("actor", "model", "is_lora")

_MODEL = ("actor", "model")
_BACKEND: Key = ("actor", "training_backend")
_MODELS, _FSDP = "rlinf/models/__init__.py", "rlinf/hybrid_engines/fsdp/strategy/fsdp.py"
# Equal in the three versions.
_FSDP_FILE = PatchedFile(
    _FSDP,
    before="9c9eadea94bd0dc606aa0747e72596b9077c74ef56d7c6ab6bb6e6ae6dd5109f",
    after="bf5e5811472b8a40effc9f9d179694014e32acce5356af1ff4bbf37b90e3750b",
)


def _variant(tree: str, before: str, after: str) -> PatchVariant:
    diff = Path(__file__).with_name(f"guards-{tree}.patch")
    return PatchVariant("rlinf", tree, diff, (PatchedFile(_MODELS, before, after), _FSDP_FILE))


GUARDS = SourcePatch(
    id="guards",
    purpose="a configuration without actor.model.is_lora counts as one without LoRA, instead of ending the run",
    evidence="get_model and FSDP's wrapping read it in struct mode, where a key that is missing ends the run "
    "(rlinf/models/__init__.py:257 at v0.3, :268 at a4b6abe20, :353 at main; "
    "rlinf/hybrid_engines/fsdp/strategy/fsdp.py:163); the engineering note on RLinf with openpi on 910B3 met it",
    unneeded="a configuration that has actor.model.is_lora, as each of vlac's own and of RLinf's, never meets it",
    numbers="none: where the key is there, the same value is read",
    variants=(
        _variant(
            "0.3",
            before="b69209448b426d66d671103ee739f7453dc332a82c81fede3d711c26de4986ee",
            after="955894ddf14a12da488bba63ec7547f5df8a3640d4930e9ffabb2b3b5d6c85e6",
        ),
        _variant(
            "a4b6abe20",
            before="32df7dd4c5b23956905208059df55c144e2dff6d9128b10dc4d365dbd81a2434",
            after="50c0ab1e2fc6f475eefe33262845173875dd283a1a824dd18f48a3055b0017b0",
        ),
        _variant(
            "main",
            before="f4486fd5b8beb3e512bece50a72a44ecd4f2338e4374fef2eecf2fac614ba149",
            after="10ce84b7194592bcb54bc3bd38debaddd9b8631d9f063b0b1c25748b6dc69406",
        ),
    ),
)


def needs_guards(config: Mapping[Key, object]) -> bool:
    """Whether a configuration trains a model with FSDP and has no `actor.model.is_lora`."""
    has_model = any(key[:2] == _MODEL for key in config)
    backend = config.get(_BACKEND)
    return has_model and IS_LORA not in config and getattr(backend, "value", backend) == "fsdp"
