"""The environment of a training without accelerators, each variable with its reason."""

from __future__ import annotations

from vlac.adapters import Variable

VARIABLES: tuple[Variable, ...] = (
    Variable(
        "OMP_NUM_THREADS",
        "1",
        scope="driver",
        why="every rank is a process of the same CPU; more threads a rank fight for its cores",
        source="torch.distributed.run documentation, the default of torchrun",
    ),
    Variable(
        "JAX_PLATFORMS",
        "cpu",
        scope="driver",
        why="jax must not touch an accelerator that happens to be in the machine",
        source="jax documentation, configuration option jax_platforms",
        required=True,
    ),
)
