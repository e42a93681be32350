"""The environment of a training on one or more Ascend nodes, each variable with its reason.

What RLinf sets by itself in each worker (ASCEND_RT_VISIBLE_DEVICES, the network interface) is not here.
Values that are the same on all nodes belong to the driver, whose environment RLinf hands to every worker;
what Ray itself reads belongs to the node, before `ray start`.
"""

from __future__ import annotations

from vlac.adapters import Variable

_CANN = "CANN environment variable reference, {name}"
_TORCH_NPU = "torch_npu documentation, environment variables, {name}"


def _cann(name: str, value: str, why: str) -> Variable:
    return Variable(name, value, scope="driver", why=why, source=_CANN.format(name=name))


def _torch_npu(name: str, value: str, why: str, required: bool = False) -> Variable:
    return Variable(
        name, value, scope="driver", why=why, source=_TORCH_NPU.format(name=name), required=required
    )


_PROCESS: tuple[Variable, ...] = (
    Variable(
        "RAY_EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES",
        "1",
        scope="node",
        why="Ray would hide all NPUs from processes that ask it for none; RLinf hands out the cards itself",
        source="Ray 2.47, ray/_private/accelerators/npu.py; RLinf v0.3, ascend_npu.py",
        required=True,
    ),
    Variable(
        "JAX_PLATFORMS",
        "cpu",
        scope="driver",
        why="openpi's data loader asks jax for the process count; jax knows no NPU and would look for CUDA",
        source="openpi 15a9616, src/openpi/training/data_loader.py; jax 0.5.3, jax_platforms",
        required=True,
    ),
    Variable(
        "OMP_NUM_THREADS",
        "8",
        scope="driver",
        why="eight ranks with a thread a core would fight for the host; 8 threads a rank fit 192 cores",
        source="OpenMP 5.2, OMP_NUM_THREADS; vllm-ascend documentation, performance tuning",
    ),
    Variable(
        "OMP_PROC_BIND",
        "false",
        scope="driver",
        why="threads bound by OpenMP would undo the binding that CPU_AFFINITY_CONF asks torch_npu for",
        source="OpenMP 5.2, OMP_PROC_BIND; vllm-ascend documentation, performance tuning",
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
        why="an NPU draws nothing and the node has no EGL device; the simulator renders on the CPU",
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

_TORCH: tuple[Variable, ...] = (
    _torch_npu(
        "TORCH_TRANSFER_TO_NPU",
        "1",
        "torch.cuda becomes the NPU while torch is imported; before 26.0.0 the hook in bootstrap/ does it",
        required=True,
    ),
    _torch_npu(
        "TORCH_NPU_DEVICE_CAPABILITY",
        "8.0",
        "code for CUDA indexes the compute capability, which is None on an NPU; 8.0: bf16, no fp8",
    ),
    _torch_npu(
        "PYTORCH_NPU_ALLOC_CONF",
        "expandable_segments:True",
        "full shard gathers and frees blocks of changing size; segments that grow leave fewer unusable gaps",
    ),
    _torch_npu(
        "TASK_QUEUE_ENABLE",
        "1",
        "a second thread queues the kernels; level 2 may be faster but takes more memory",
    ),
    _torch_npu(
        "CPU_AFFINITY_CONF",
        "1",
        "each rank's threads stay on the cores beside its NPU instead of crossing NUMA nodes",
    ),
)

_COLLECTIVES: tuple[Variable, ...] = (
    _cann(
        "HCCL_CONNECT_TIMEOUT",
        "1800",
        "seconds; ranks load gigabytes of weights and compile operators at their own pace, 120 s are too few",
    ),
    _cann(
        "HCCL_EXEC_TIMEOUT",
        "3600",
        "seconds; the other ranks wait in a collective while rank 0 gathers and writes a checkpoint",
    ),
    Variable(
        "HCCL_EVENT_TIMEOUT",
        "3660",
        scope="driver",
        why="seconds; has to be longer than HCCL_EXEC_TIMEOUT, or the event ends before HCCL names the rank",
        source=_TORCH_NPU.format(name="HCCL_EVENT_TIMEOUT"),
    ),
    _cann(
        "HCCL_HOST_SOCKET_PORT_RANGE",
        "auto",
        "the fixed ports from 60000 on are taken when another job or an old process is on the host",
    ),
    _cann(
        "HCCL_NPU_SOCKET_PORT_RANGE",
        "auto",
        "the fixed port 16666 serves one process a card; a second one on the same card cannot bind it",
    ),
    _cann(
        "HCCL_WHITELIST_DISABLE",
        "1",
        "a 0 from the shell would make HCCL ask for a file that lists the allowed peers",
    ),
)

_COMPILER_AND_LOG: tuple[Variable, ...] = (
    Variable(
        "TE_PARALLEL_COMPILER",
        "1",
        scope="driver",
        why="operator compilers in parallel can wait for each other for ever in the first step",
        source=_CANN.format(name="TE_PARALLEL_COMPILER"),
    ),
    _cann(
        "ASCEND_GLOBAL_LOG_LEVEL",
        "3",
        "errors only; a lower level that the shell left behind writes gigabytes below ~/ascend/log",
    ),
)

VARIABLES: tuple[Variable, ...] = (*_PROCESS, *_TORCH, *_COLLECTIVES, *_COMPILER_AND_LOG)
