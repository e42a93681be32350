"""The environment of a training on NVIDIA GPUs, each variable with its reason.

What RLinf sets by itself in each worker (CUDA_VISIBLE_DEVICES, NCCL_CUMEM_ENABLE, the network interface)
is not here. RLinf hands the driver's environment to every worker, so all of these belong to the driver.
"""

from __future__ import annotations

from vlac.adapters import Variable

VARIABLES: tuple[Variable, ...] = (
    Variable(
        "JAX_PLATFORMS",
        "cpu",
        scope="driver",
        why="openpi's data loader only asks jax for the process count; on the GPU it would reserve memory",
        source="openpi 15a9616, src/openpi/training/data_loader.py; jax documentation, GPU memory allocation",
    ),
    Variable(
        "PYTORCH_CUDA_ALLOC_CONF",
        "expandable_segments:True",
        scope="driver",
        why="full shard gathers and frees blocks of changing size; segments that grow leave fewer gaps",
        source="PyTorch documentation, CUDA semantics, PYTORCH_CUDA_ALLOC_CONF",
    ),
    Variable(
        "NCCL_DEBUG",
        "WARN",
        scope="driver",
        why="a collective that fails then names the rank and the link; otherwise only the time-out is seen",
        source="NCCL documentation, environment variables, NCCL_DEBUG",
    ),
    Variable(
        "TOKENIZERS_PARALLELISM",
        "false",
        scope="driver",
        why="the tokenizer's threads do not survive the processes of a data loader",
        source="Hugging Face tokenizers, TOKENIZERS_PARALLELISM",
    ),
    Variable(
        "MUJOCO_GL",
        "egl",
        scope="driver",
        why="the simulator renders on the GPU, without a display",
        source="MuJoCo documentation, Python bindings, rendering",
    ),
    Variable(
        "PYOPENGL_PLATFORM",
        "egl",
        scope="driver",
        why="PyOpenGL has to load the same library as MUJOCO_GL names",
        source="PyOpenGL documentation, OpenGL.platform",
    ),
)
