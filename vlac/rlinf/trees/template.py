"""The leaves that a run of a tree nobody has seen starts from: the tree's own openpi SFT config, composed by Hydra."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import RefusedError

if TYPE_CHECKING:
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key

CONFIG = "examples/sft/config/libero_sft_openpi.yaml"
"""The config that vlac's own templates are made from, in every version that has supervised fine-tuning of openpi."""

_MODEL = re.compile(r"^(\s*-\s*)model/[\w.-]+(@actor\.model\b)", re.MULTILINE)


def compose_template(tree: Path, template: str) -> dict[Key, Value]:
    """The leaves of a tree's `libero_sft_openpi` with the model group `template` (`model/pi0_5`) in it.

    Raises RefusedError where the tree has no such config or group, where it cannot be composed, and where Hydra is not
    installed.
    """
    from vlac.rlinf.compose import compose

    config = tree / CONFIG
    if not config.is_file():
        raise RefusedError(
            f"the tree has no {CONFIG}, from which a run of openpi's supervised fine-tuning is made",
            hint="start from a config that it has: base: examples/.../config/NAME.yaml",
        )
    text, count = _MODEL.subn(rf"\g<1>{template}\g<2>", config.read_text(encoding="utf-8", errors="replace"))
    if not count:
        raise RefusedError(f"{CONFIG} of the tree names no group model/... for actor.model")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / config.name
        copy.write_text(text, encoding="utf-8")
        return compose(copy, tree).values
