"""The RLinf versions that vlac compiles for, as data.

Sources: the trees at tag v0.3, commit a3816b596 (main, 2026-08-22) and commit a4b6abe20 (2026-06-30):
`rlinf/hybrid_engines/fsdp/utils.py` (schedulers), `rlinf/workers/sft/fsdp_vla_sft_worker.py` and
`rlinf/models/embodiment/openpi/__init__.py` (where openpi_data is read), `rlinf/utils/metric_logger.py` (backends).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.models.data_configs import DATA_CONFIGS
from vlac.rlinf.templates import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.models import DataConfig
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key
    from vlac.rlinf.trees.target import TreeTarget


@dataclass(frozen=True, slots=True)
class Version:
    """One RLinf version.

    `schedules` are the spec's words for schedules that its `lr_scheduler` knows under the same name.
    `data_option_sections` are the sections that `data.options` must be written to, because loader and model builder
    each read their own copy. `has_main_options` tells whether its data configs take the options that main added.
    `loggers` are those of the spec's loggers that it accepts. `tree` is the tree that was looked at for
    `rlinf.version: auto`; one that nobody has seen brings its own data configs and template.
    """

    name: str
    commit: str
    described: str
    aliases: tuple[str, ...]
    schedules: tuple[str, ...]
    data_option_sections: tuple[tuple[str, ...], ...]
    has_main_options: bool = False
    loggers: tuple[str, ...] = ("tensorboard", "wandb", "swanlab")
    tree: TreeTarget | None = field(default=None, compare=False, repr=False)

    @property
    def table(self) -> str:
        """The known version whose tables hold for this one: itself, or the nearest to a tree that nobody has seen."""
        return self.tree.nearest if self.tree else self.name

    @property
    def data_configs(self) -> Mapping[str, DataConfig]:
        """The openpi data configs that it registers, by name."""
        if self.tree and self.tree.data_configs is not None:
            return self.tree.data_configs
        return {name: config for name, config in DATA_CONFIGS.items() if self.table in config.versions}

    def template(self, name: str) -> Mapping[Key, Value]:
        """The leaves that a run starts from, with the model template `name`. KeyError where there is none."""
        return self.tree.template if self.tree and self.tree.template is not None else TEMPLATES[name]


_MODEL_SECTION = ("actor", "model", "openpi_data")
_LOADER_SECTION = ("actor", "openpi_data")

SCHEDULES = ("cosine", "constant", "openpi_cosine")
"""The spec's words for schedules, which a version knows under the same name or not at all."""

DATA_OPTION_SECTIONS = (_LOADER_SECTION, _MODEL_SECTION)
"""The sections that data options were ever read from: by the loader, and by the model builder."""

V0_3 = Version(
    name="0.3",
    commit="0505431899574619da86f551bad70b71e0ea2177",
    described="tag v0.3, the release 0.3.0 on PyPI",
    aliases=(),
    schedules=("cosine", "constant"),
    data_option_sections=(_LOADER_SECTION, _MODEL_SECTION),
)

A4B6ABE20 = Version(
    name="a4b6abe20",
    commit="a4b6abe205d7942f45cf3e8843c3e72ce818729d",
    described="commit a4b6abe20 of 2026-06-30",
    aliases=(),
    schedules=("cosine", "constant"),
    data_option_sections=(_LOADER_SECTION, _MODEL_SECTION),
)

MAIN = Version(
    name="main",
    commit="a3816b596478dcd8a5c69a6ec1468c9519f77b5b",
    described="main at commit a3816b596 of 2026-08-22",
    aliases=("main@a3816b596",),
    schedules=("cosine", "constant", "openpi_cosine"),
    data_option_sections=(_MODEL_SECTION,),
    has_main_options=True,
)

VERSIONS = {version.name: version for version in (V0_3, MAIN, A4B6ABE20)}


def find(text: str) -> Version | None:
    """The version that a spec's `rlinf.version` names, None where vlac has no data for it."""
    for version in VERSIONS.values():
        if text == version.name or text in version.aliases:
            return version
    return None
