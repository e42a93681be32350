"""Where a training reads its normalisation statistics; the data loader and the model builder may read two files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vlac.models.data_needs import ASSETS

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "norm_stats.json"


def norm_stats_files(name: str, weights: Path, data: str, options: Mapping[str, object]) -> dict[Path, str]:
    """The files that a training with this config reads, each with who reads it; empty for an unknown config.

    `weights` is `model.weights`, `data` is `data.path` as it is written, `options` are `data.options`.

    Source: RLinf v0.3 and main@a3816b596, `openpi/dataconfig/__init__.py`, `get_openpi_config`: with a data set, which
    the loader gives and the model builder does not, the id of the assets becomes the repo id that the config had
    before; main reads `norm_stats_path` in both. openpi 15a9616, `training/config.py`, `create_base_config`: an empty
    id means the repo id, which by then is the data set.
    """
    assets = ASSETS.get(name)
    if assets is None:
        return {}
    written = options.get("norm_stats_path")
    if isinstance(written, str):
        folder = Path(written)
        folder = folder.parent if folder.suffix == ".json" else folder
        return {folder / FILE: "data loader and model"}
    repo_id = str(options.get("repo_id", assets.repo_id))
    loader = weights / (repo_id or data) / FILE
    model = weights / (assets.asset_id or repo_id) / FILE
    return {loader: "data loader and model"} if loader == model else {loader: "data loader", model: "model"}
