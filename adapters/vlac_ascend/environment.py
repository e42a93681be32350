"""The environment of a training on Ascend cards, each variable with its reason."""

from __future__ import annotations

from vlac.adapters import Variable

VARIABLES: tuple[Variable, ...] = (
    Variable(
        "JAX_PLATFORMS",
        "cpu",
        scope="driver",
        why="openpi's data loader asks jax for the process count; jax has no NPU backend and would look for CUDA",
        source="openpi 15a9616, src/openpi/training/data_loader.py; jax 0.5.3 ends with 'Unable to initialize backend'",
        required=True,
    ),
    Variable(
        "TORCH_TRANSFER_TO_NPU",
        "1",
        scope="driver",
        why="torch_npu maps torch.cuda to the NPU while torch is imported",
        source="torch_npu 26.0.0 and later, environment variable TORCH_TRANSFER_TO_NPU; older ones ignore it",
        required=True,
    ),
)
