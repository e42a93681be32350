"""What a process of the run says about its device; the last of the worker hooks, in driver and workers alike.

It changes nothing: it looks when the process starts, within the first forward pass, and before the first step of the
optimizer, and writes what it saw to <run>/facts/<name>.json.
"""

import functools
import importlib.util
import json
import os
from pathlib import Path


def register() -> None:
    """Called in the driver once its imports are done, and in each worker when RLinf has given it a device."""
    facts = at_start()
    write(facts)
    if "WORKER_NAME" in os.environ:
        look_while_it_trains(facts)


def at_start() -> dict[str, object]:
    """What torch and jax say about this process."""
    import torch

    return {
        "visible": os.environ.get("ASCEND_RT_VISIBLE_DEVICES"),
        "device_count from": torch.cuda.device_count.__module__,
        "device_count": torch.cuda.device_count(),
        "cuda:0 is": str(torch.zeros(2, device="cuda:0").device),
        "copy": torch.arange(4).to("cuda:0").to("cpu").tolist(),
        "JAX_PLATFORMS": os.environ.get("JAX_PLATFORMS"),
        "jax": jax_process_count(),
    }


def jax_process_count() -> object:
    """What openpi's data loader asks jax; "not installed" where there is none."""
    if importlib.util.find_spec("jax") is None:
        return "not installed"
    import jax

    return jax.process_count()


def write(facts: dict[str, object]) -> None:
    folder = Path(os.environ["VLAC_RUN_DIR"]) / "facts"
    folder.mkdir(exist_ok=True)
    (folder / f"{os.environ.get('WORKER_NAME', 'driver')}.json").write_text(json.dumps(facts))


def look_while_it_trains(facts: dict[str, object]) -> None:
    from rlinf.hybrid_engines.fsdp.fsdp_model_manager import FSDPModelManager
    from vlac_demo.model import FlowMatchingVLA

    def forward(model) -> None:
        import torch

        facts["autocast"] = [torch.is_autocast_enabled("npu"), str(torch.get_autocast_dtype("npu"))]
        facts["a matrix product is"] = str(
            (torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")).dtype
        )

    def before_step(manager) -> None:
        facts.update(in_training(manager.model))
        write(facts)

    FlowMatchingVLA.flow_matching_loss = after(forward, FlowMatchingVLA.flow_matching_loss)
    FSDPModelManager.optimizer_step = after(before_step, FSDPModelManager.optimizer_step)


def after(look, function):
    """The function, with a look at its first argument before it."""

    @functools.wraps(function)
    def looked_at(self, *arguments, **named):
        look(self)
        return function(self, *arguments, **named)

    return looked_at


def in_training(model) -> dict[str, object]:
    """What torch.distributed, Ray and RLinf say, and where parameters and gradients are."""
    import ray
    import torch.distributed
    from rlinf.scheduler import Cluster

    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    node = Cluster().get_node_info(0)
    return {
        "process group": torch.distributed.get_backend(),
        "ranks": torch.distributed.get_world_size(),
        "model": type(model).__name__,
        "parameters on": sorted({str(parameter.device) for parameter in model.parameters()}),
        "gradients on": sorted({str(gradient.device) for gradient in gradients}),
        "gradients": len(gradients),
        "parameters": len([parameter for parameter in model.parameters() if parameter.requires_grad]),
        "NPUs of Ray": ray.cluster_resources().get("NPU"),
        "NPUs of RLinf": [node.num_accelerators, node.accelerator_model],
    }
