"""What RLinf's own code does with each kind of finding: run by the interpreter that has RLinf, prints one line.

    python confirm_findings.py KIND CONFIG.json

CONFIG.json is a composed configuration, in which the finding is already. The line is the error that RLinf ends with,
or what it made of the configuration where it ends with none.
"""

import contextlib
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock

from omegaconf import OmegaConf, open_dict


def missing(cfg):
    """The model is built, wrapped, and asked whether it trains adapters."""
    import torch
    from rlinf import models

    models._MODEL_REGISTRY["openpi"] = lambda _cfg, _dtype: torch.nn.Linear(1, 1)
    models.get_model(cfg.actor.model)


def missing_optimizer(cfg):
    """The optimizer of a model that has parameters."""
    import torch
    from rlinf.hybrid_engines.fsdp.fsdp_model_manager import FSDPModelManager

    manager = SimpleNamespace(_cfg=cfg.actor, store_requires_grad_param_name=[])
    FSDPModelManager.build_optimizer(manager, torch.nn.Linear(1, 1))


def missing_evaluation(cfg):
    """What the script that evaluates asks of the configuration first."""
    from rlinf.config import validate_embodied_cfg

    with open_dict(cfg):
        cfg.runner.task_type = "embodied_eval"
    validate_embodied_cfg(cfg)


def missing_rollout(cfg):
    """What a run that evaluates an agent asks of its rollout first."""
    from rlinf.config import validate_rollout_cfg

    OmegaConf.set_struct(cfg.rollout, True)
    validate_rollout_cfg(cfg.rollout, cfg.algorithm)


def missing_judge(cfg):
    """The worker of a second rollout, with the engine that it would start left out."""
    worker = _sglang_worker()
    second = cfg.get("rollout_judge") or cfg.rollout_fixed_worker
    worker.SGLangWorker(cfg, MagicMock(), weight_reload=None, config_rollout=second)


def missing_engine(cfg):
    """The arguments of the engine that a rollout would start."""
    worker = _sglang_worker()
    worker.SGLangWorker._init_engine(MagicMock(_cfg=cfg, _cfg_rollout=cfg.rollout))


def _sglang_worker():
    """RLinf's module, with stand-ins for the engine's package."""
    names = ("entrypoints", "entrypoints.engine", "managers", "managers.io_struct", "server_args", "utils")
    for name in ("sglang", "sglang.srt", *(f"sglang.srt.{name}" for name in names)):
        sys.modules[name] = MagicMock()
    sys.modules["rlinf.workers.rollout.sglang"] = package = ModuleType("rlinf.workers.rollout.sglang")
    import rlinf.workers.rollout as rollout

    package.__path__ = [f"{next(iter(rollout.__path__))}/sglang"]
    package.Engine = package.io_struct = MagicMock()
    from rlinf.scheduler import Worker
    from rlinf.workers.rollout.sglang import sglang_worker

    Worker.__init__ = lambda *_args, **_kwargs: None
    sglang_worker.AutoTokenizer = MagicMock()
    return sglang_worker


def missing_group(cfg):
    """The entry script, with stand-ins for the cluster and the workers that it would start."""
    from importlib.util import module_from_spec, spec_from_file_location

    import rlinf

    script = Path(rlinf.__file__).parents[1] / "examples" / "reasoning" / "main_grpo.py"
    spec = spec_from_file_location("main_grpo", script)
    module = _loaded(spec, module_from_spec)
    for name, value in vars(module).copy().items():
        if getattr(value, "__module__", "").startswith("rlinf."):
            setattr(module, name, MagicMock())
    module.validate_cfg = lambda config: config
    module.main.__wrapped__(cfg)


def _loaded(spec, module_from_spec):
    """A script as a module; packages that are not installed have stand-ins."""
    for _ in range(30):
        module = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError as absent:
            if absent.name.startswith("rlinf"):
                raise
            sys.modules[absent.name] = MagicMock()
        else:
            return module
    raise RuntimeError("too much is not installed")


def dead(cfg):
    """The learning rates of a thousand steps, with the key and without it."""
    import torch
    from rlinf.hybrid_engines.fsdp.fsdp_model_manager import FSDPModelManager

    def rates(optim):
        optimizer = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=optim.lr)
        scheduler = FSDPModelManager.build_lr_scheduler(None, optimizer, optim)
        found = []
        for _ in range(1000):
            optimizer.step()
            scheduler.step()
            found += scheduler.get_last_lr()
        return found

    without = OmegaConf.masked_copy(
        cfg.actor.optim, [key for key in cfg.actor.optim if key != "warmup_style"]
    )
    same = rates(cfg.actor.optim) == rates(without)
    return f"1000 learning rates are {'the same' if same else 'other'} without it: the schedule is not its cosine"


def moved(cfg):
    """The loader of main is built; what it takes as options is shown."""
    taken = {}
    loader = ModuleType("openpi.training.data_loader")
    loader.create_data_loader = MagicMock()
    options = ModuleType("rlinf.models.embodiment.openpi.dataconfig")
    options.get_openpi_config = lambda *_args, **kwargs: taken.update(kwargs)
    sys.modules |= {"openpi": ModuleType("openpi"), "openpi.training": ModuleType("openpi.training")}
    sys.modules |= {loader.__name__: loader, options.__name__: options}
    sys.modules["rlinf.models.embodiment.openpi"] = ModuleType("rlinf.models.embodiment.openpi")
    from rlinf.data.datasets.openpi_rlinf.official_sft_data_loader import build_official_openpi_sft_dataloader

    build_official_openpi_sft_dataloader(cfg, 1, 0, "/data")
    return f"actor.openpi_data is {cfg.actor.openpi_data}, and the loader gets data_kwargs={taken['data_kwargs']}"


def moved_taken_over(cfg):
    """RLinf's validation goes as far as Ray, which is not there; what it made of the old key is shown."""
    import logging

    from rlinf.config import validate_embodied_cfg

    said = []
    logging.getLogger().addFilter(lambda record: said.append(record.getMessage()) or True)
    with contextlib.suppress(Exception):  # at the placement, which needs Ray
        validate_embodied_cfg(cfg)
    return f"{said[0]} env.train.rollout_epoch is {cfg.env.train.rollout_epoch}"


def word(cfg):
    """The model type is looked up."""
    from rlinf.config import SupportedModel

    SupportedModel(cfg.actor.model.model_type)


def interpolation(cfg):
    """The configuration is resolved for the loggers."""
    from rlinf.utils.metric_logger import MetricLogger

    MetricLogger(cfg)


def mandatory(cfg):
    """The model is built."""
    from rlinf import models

    models._MODEL_REGISTRY["openpi"] = lambda _cfg, _dtype: None
    models.get_model(cfg.actor.model)


def placeholder(cfg):
    """The configuration of the model is loaded from where the placeholder points."""
    from rlinf.config import validate_model_cfg_by_hf_config

    validate_model_cfg_by_hf_config(cfg.actor, cfg.actor.model.model_path)


def placement(cfg):
    """The components are placed on a cluster of one node with eight accelerators."""
    from rlinf.scheduler.placement.placement import ComponentPlacement

    ComponentPlacement(cfg, _cluster(8))


def _cluster(accelerators):
    """What a placement asks of a cluster."""
    group = SimpleNamespace(label="cluster", hardware_resource_count=accelerators, hardware_type="GPU")
    labels = {None: group, "cluster": group}
    return SimpleNamespace(get_node_group=lambda label=None: labels.get(label), num_accelerators=accelerators)


def assertion_cluster(cfg):
    """The cluster is described to the scheduler."""
    from rlinf.scheduler.cluster.config import ClusterConfig

    ClusterConfig.from_dict_cfg(cfg.cluster)


def assertion_batch(cfg):
    """The whole validation, on the nodes that the configuration asks for with eight accelerators each."""
    from rlinf import config

    config.Cluster = lambda *_args, **_kwargs: _cluster(8 * cfg.cluster.num_nodes)
    config.validate_cfg(cfg)


def assertion_fsdp(cfg):
    """The validation of FSDP."""
    from rlinf.config import validate_fsdp_cfg

    validate_fsdp_cfg(cfg.actor)


def assertion(cfg):
    """The validation of a supervised run."""
    from rlinf.config import validate_sft_cfg

    validate_sft_cfg(cfg)


def main():
    """Run one of them."""
    kind, file = sys.argv[1:]
    cfg = OmegaConf.create(json.loads(Path(file).read_text(encoding="utf-8")))
    OmegaConf.set_struct(cfg, True)
    try:
        print(globals()[kind](cfg) or "no error")
    except Exception as problem:
        said = " ".join(str(problem).split(" full_key:")[0].split())
        print(f"{type(problem).__name__}: {said[:160]}")


if __name__ == "__main__":
    main()
