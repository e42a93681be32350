"""Asks the installed RLinf what its `validate_cfg` says to configurations, without Ray and without devices.

Reads a JSON list of `{"config": ..., "accelerators": N}` from standard input and writes one verdict for each: null
where it is accepted, else `{"error", "message", "file", "line"}` with the innermost line of RLinf. Cluster, which would
start Ray, is replaced by one that reads its configuration and knows the accelerators of each node.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace

MEGATRON = "rlinf.hybrid_engines.megatron.megatron_model_manager"  # imports Megatron, and says whether FUSCO is there
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")


def main() -> None:
    """Answer the list on standard input."""
    sys.modules[MEGATRON] = SimpleNamespace(HAVE_FUSCO=False)
    import rlinf.config

    asked = json.load(sys.stdin)
    rlinf.config.Cluster = Cluster
    root = Path(rlinf.config.__file__).parent.parent
    answers = [_verdict(rlinf.config.validate_cfg, one, root) for one in asked]
    sys.stdout = sys.__stdout__
    print(json.dumps(answers))


class Cluster:
    """RLinf's Cluster as far as validation asks it."""

    config: object = None
    accelerators = 8

    def __init__(self, cluster_cfg=None, distributed_log_dir=None):  # noqa: ARG002 - RLinf's signature
        from rlinf.scheduler.cluster.config import ClusterConfig

        if cluster_cfg is not None:
            type(self).config = ClusterConfig.from_dict_cfg(cluster_cfg)

    @property
    def num_accelerators(self):
        return self.config.num_nodes * self.accelerators

    def get_node_group(self, label="cluster"):
        labels = [str(group.label) for group in self.config.node_groups or ()]
        nodes = label == "node" or not self.accelerators
        if str(label) not in (*labels, "cluster", "node"):
            return None
        count = self.config.num_nodes if nodes else self.num_accelerators
        kind = None if nodes else "accelerator"
        return SimpleNamespace(label=label, hardware_resource_count=count, hardware_type=kind)


def _verdict(validate, asked, root):
    from omegaconf import OmegaConf

    config = OmegaConf.create(asked["config"])
    OmegaConf.set_struct(config, True)  # as Hydra does
    Cluster.config, Cluster.accelerators = None, asked["accelerators"]
    sys.stdout = sys.stderr
    try:
        validate(config)
    except BaseException as error:  # whatever it is, it ends the run
        return _described(error, root)
    return None


def _described(error, root):
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.startswith(f"{root}/rlinf/")]
    last = inside[-1] if inside else SimpleNamespace(filename="", lineno=0)
    file = os.path.relpath(last.filename, root) if last.filename else ""
    return {"error": type(error).__name__, "message": str(error), "file": file, "line": last.lineno}


if __name__ == "__main__":
    main()
