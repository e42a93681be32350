"""The environment of a training on CPUs, each variable with its reason.

A machine with accelerators has to run this backend on its CPUs all the same, so what would reach for one
is switched off. RLinf hands the driver's environment to every worker; what Ray counts belongs to the node.
"""

from __future__ import annotations

from vlac.adapters import Variable

VARIABLES: tuple[Variable, ...] = (
    Variable(
        "CUDA_VISIBLE_DEVICES",
        "",
        scope="node",
        why="a GPU that is in the machine stays out of it: Ray counts none, torch.cuda is not available",
        source="CUDA programming guide, environment variables; Ray 2.47, _private/accelerators/nvidia_gpu.py",
        required=True,
    ),
    Variable(
        "TORCH_DEVICE_BACKEND_AUTOLOAD",
        "0",
        scope="node",
        why="torch loads the plug-ins of other accelerators; one without its driver ends `import torch`",
        source="PyTorch 2.5 and later, torch/__init__.py, TORCH_DEVICE_BACKEND_AUTOLOAD",
    ),
    Variable(
        "JAX_PLATFORMS",
        "cpu",
        scope="driver",
        why="jax would take an accelerator that is in the machine, or fail where its driver is missing",
        source="jax documentation, configuration option jax_platforms",
        required=True,
    ),
    Variable(
        "OMP_NUM_THREADS",
        "1",
        scope="driver",
        why="the ranks share the cores of one machine; more threads a rank would fight for them",
        source="torchrun sets the same (torch 2.7, torch/distributed/run.py)",
    ),
    Variable(
        "TORCHDYNAMO_DISABLE",
        "1",
        scope="driver",
        why="nothing is compiled here; without its compiler torch is imported a fifth faster, in each rank",
        source="PyTorch 2.1 and later, torch/_dynamo/config.py, TORCHDYNAMO_DISABLE; measured with 2.13 on two cores",
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
        "osmesa",
        scope="driver",
        why="the simulator renders on the CPU",
        source="MuJoCo documentation, Python bindings, rendering",
    ),
    Variable(
        "PYOPENGL_PLATFORM",
        "osmesa",
        scope="driver",
        why="PyOpenGL has to load the same library as MUJOCO_GL names",
        source="PyOpenGL documentation, OpenGL.platform",
    ),
)
