"""The environment of a training on NVIDIA GPUs, each variable with its reason."""

from __future__ import annotations

from vlac.adapters import Variable

VARIABLES: tuple[Variable, ...] = (
    Variable(
        "JAX_PLATFORMS",
        "cpu",
        scope="driver",
        why="openpi's data loader only asks jax for the process count; on the GPU jax would take memory that torch needs",
        source="openpi 15a9616, src/openpi/training/data_loader.py; jax documentation, GPU memory allocation",
    ),
)
