"""What a stock RLinf checkout trains when nobody changes it, as data.

Source: `examples/sft/config/libero_sft_openpi.yaml` composed by Hydra 1.3.8 and `examples/sft/run_vla_sft.sh`,
the same on v0.3, a4b6abe20 and main@a3816b596.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.rlinf.templates import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.plan.origins import Value

Key = tuple[str, ...]

CONFIG_NAME: Key = ("actor", "model", "openpi", "config_name")
PLACEHOLDER = "/path/to"


@dataclass(frozen=True, slots=True)
class StockConfig:
    """A configuration file that RLinf ships, with all that its `defaults` bring in.

    `template` is the model template of its `defaults`; `script` starts it, and `exports` are the variables
    that the script sets to a fixed text.
    """

    path: str
    template: str
    leaves: Mapping[Key, Value]
    script: str
    exports: Mapping[str, str] = field(default_factory=dict)


LIBERO_SFT_OPENPI = StockConfig(
    path="examples/sft/config/libero_sft_openpi.yaml",
    template="model/pi0",
    leaves={
        **TEMPLATES["model/pi0"],
        ("actor", "model", "model_path"): "/path/to/pi0-model",
        ("data", "train_data_paths"): "/path/to/libero-data",
        ("actor", "optim", "warmup_style"): "cosine",
        ("actor", "optim", "lr_warmup_steps"): 1000,
        ("actor", "optim", "total_training_steps"): 30000,
    },
    script="examples/sft/run_vla_sft.sh",
    exports={"MUJOCO_GL": "egl", "PYOPENGL_PLATFORM": "egl"},
)

# Where Hydra puts the files of a config group that the SFT configs use.
GROUP_FILES: Mapping[str, Key] = {
    "examples/sft/config/model/pi0.yaml": ("actor", "model"),
    "examples/sft/config/model/pi0_5.yaml": ("actor", "model"),
    "examples/sft/config/training_backend/fsdp.yaml": ("actor", "fsdp_config"),
    "examples/sft/config/hybrid_engines/fsdp.yaml": ("actor", "fsdp_config"),
}


def known_layout() -> frozenset[Key]:
    """The keys of the openpi SFT configurations, to tell which section a line of a patch belongs to."""
    openpi = (TEMPLATES["model/pi0"], TEMPLATES["model/pi0_5"], LIBERO_SFT_OPENPI.leaves)
    return frozenset(key for leaves in openpi for key in leaves)
