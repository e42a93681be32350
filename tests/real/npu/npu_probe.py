"""What a process of the run says about its device; the last of the worker hooks, in driver and workers alike.

It changes nothing: it looks when the process starts, within the first forward pass, and before the first step of the
optimizer, and writes what it saw to <run>/facts/<name>.json.
"""

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
        "a tensor on cuda:0": there_and_back(torch.arange(4)),
        "JAX_PLATFORMS": os.environ.get("JAX_PLATFORMS"),
        "jax": jax_process_count(),
    }


def there_and_back(tensor) -> object:
    """Where `cuda:0` puts a tensor and what comes back from there, or why it does not."""
    try:
        there = tensor.to("cuda:0")
    except AssertionError as error:  # a torch without CUDA that nobody switched to the NPU
        return str(error)
    return [str(there.device), there.to("cpu").tolist()]


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
    """By torch's own hooks, so that nothing of RLinf or of the model is replaced."""
    from torch.nn.modules.module import register_module_forward_pre_hook
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    models = []

    def forward(module, _) -> None:
        if not models:  # the first module to run is the one that FSDP made
            facts.update(in_forward())
        models.append(module)

    def before_step(*_) -> None:
        if models:  # RLinf makes the optimizer's state by a step without gradients, before any forward pass
            facts.update(in_training(models[0]))
            write(facts)

    register_module_forward_pre_hook(forward)
    register_optimizer_step_pre_hook(before_step)


def in_forward() -> dict[str, object]:
    """Whether RLinf's autocast(device_type="cuda") is active on the NPU."""
    import torch

    matrix = torch.ones(2, 2, device="cuda")
    active = [torch.is_autocast_enabled("npu"), str(torch.get_autocast_dtype("npu"))]
    return {"autocast": active, "a matrix product is": str((matrix @ matrix).dtype)}


def in_training(model) -> dict[str, object]:
    """What torch.distributed, Ray and RLinf say, and where parameters and gradients are."""
    import ray
    import torch.distributed
    from rlinf.scheduler import Cluster

    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    gradients = [parameter.grad for parameter in trained if parameter.grad is not None]
    node = Cluster().get_node_info(0)
    world = torch.distributed.group.WORLD  # made for a device, not by name: get_backend() says "undefined"
    return {
        "process group": world._get_backend(torch.device("npu")).name(),
        "ranks": torch.distributed.get_world_size(),
        "model": type(model).__name__,
        "parameters on": sorted({str(parameter.device) for parameter in trained}),
        "gradients on": sorted({str(gradient.device) for gradient in gradients}),
        "parameters without gradient": len(trained) - len(gradients),
        "NPUs of Ray": ray.cluster_resources().get("NPU"),
        "NPUs of RLinf": [node.num_accelerators, node.accelerator_model],
    }
