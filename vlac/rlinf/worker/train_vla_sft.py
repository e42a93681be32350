"""Entry script for VLA SFT where RLinf comes from PyPI, whose package has no ``examples/``.

    python train_vla_sft.py --config-path DIR --config-name config 'runner.logger.log_path=${oc.env:VLAC_RUN_DIR}'

It starts what RLinf's own examples/sft/train_vla_sft.py starts, and knows one more worker: that of the demo model.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import hydra
from rlinf.config import validate_cfg
from rlinf.runners.sft_runner import SFTRunner
from rlinf.scheduler import Cluster
from rlinf.scheduler.cluster import load_user_extension_module
from rlinf.utils.placement import HybridComponentPlacement

if TYPE_CHECKING:
    from omegaconf import DictConfig

DEFAULT_WORKER = "rlinf.workers.sft.fsdp_vla_sft_worker:FSDPVlaSftWorker"
WORKERS = {"vlac_demo": "vlac_demo.worker:DemoSftWorker"}
"""Worker class by ``actor.model.model_type``, for models that RLinf's own worker cannot feed."""


def worker_class(model_type: str) -> type:
    """Return the RLinf worker class that trains a model type."""
    module, _, name = WORKERS.get(model_type, DEFAULT_WORKER).partition(":")
    found: type = getattr(importlib.import_module(module), name)
    return found


@hydra.main(version_base="1.1", config_path=None, config_name="config")  # type: ignore[untyped-decorator]
def main(cfg: DictConfig) -> None:
    """Validate the configuration, launch the actor's workers and train."""
    # RLinf loads the extension module in workers only; validation needs its model types here too.
    load_user_extension_module()
    cfg = validate_cfg(cfg)
    cluster = Cluster(cluster_cfg=cfg.cluster)
    placement = HybridComponentPlacement(cfg, cluster).get_strategy("actor")
    worker: Any = worker_class(cfg.actor.model.model_type)
    actor = worker.create_group(cfg).launch(cluster, name=cfg.actor.group_name, placement_strategy=placement)
    runner = SFTRunner(cfg=cfg, actor=actor)
    runner.init_workers()
    runner.run()


if __name__ == "__main__":
    main()
