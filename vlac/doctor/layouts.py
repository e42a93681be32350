"""What kind of folder holds the weights, told by its files.

Sources: RLinf v0.3, rlinf/models/embodiment/openpi/__init__.py (the order in which it looks); openpi 15a9616,
examples/convert_jax_model_to_pytorch.py and src/openpi/training/checkpoints.py; huggingface/lerobot 0.4,
lerobot/configs/policies.py (config.json with `type`); peft (adapter_config.json); orbax (params/_METADATA).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["safetensors", "rlinf", "lerobot", "jax", "lora", "shards", "nothing"]

FULL = ("model_state_dict/full_weights.pt", "actor/model_state_dict/full_weights.pt")
_SHARDS = ("dcp_checkpoint/.metadata", "actor/dcp_checkpoint/.metadata")
METADATA = ("params/_METADATA", "_METADATA")
"""What an orbax checkpoint says of its tree."""
_ORBAX = (*METADATA, "params/manifest.ocdbt", "manifest.ocdbt", "params/_sharding")
_LEROBOT = ("policy_preprocessor.json", "policy_postprocessor.json", "train_config.json")


@dataclass(frozen=True)
class Layout:
    """The kind of a folder, and the files with the weights that RLinf would load."""

    kind: Kind
    files: list[Path] = field(default_factory=list)


def layout_of(folder: Path) -> Layout:
    """Tell the layout. RLinf takes full_weights.pt first, then every *.safetensors of the folder."""
    full = next((folder / name for name in FULL if (folder / name).is_file()), None)
    if full:
        return Layout("rlinf", [full])
    files = sorted(folder.glob("*.safetensors"))
    if (folder / "adapter_config.json").is_file():
        return Layout("lora", files)
    if files and _is_lerobot(folder):
        return Layout("lerobot", files)
    if files:
        return Layout("safetensors", files)
    if any((folder / name).exists() for name in _ORBAX):
        return Layout("jax")
    return Layout("shards" if any((folder / name).is_file() for name in _SHARDS) else "nothing")


def _is_lerobot(folder: Path) -> bool:
    """LeRobot's config.json names the policy under `type`."""
    if any((folder / name).is_file() for name in _LEROBOT):
        return True
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and "type" in config and "input_features" in config
