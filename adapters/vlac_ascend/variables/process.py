"""Devices, Ray, threads and the libraries beside torch."""

from __future__ import annotations

from vlac.adapters import Variable
from vlac.variable_values import Choice, Form, Integer

_RAY = "Ray 2.47, ray/_private/accelerators/npu.py"
_RLINF_NPU = "RLinf v0.3, rlinf/scheduler/hardware/accelerators/ascend_npu.py"
_RLINF_NODE = "RLinf v0.3, rlinf/scheduler/cluster/node.py"
_TUNING = "vllm-ascend documentation, performance tuning"

PROCESS: tuple[Variable, ...] = (
    Variable(
        "RAY_EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES",
        "1",
        scope="node",
        why="Ray would hide all NPUs from processes that ask it for none; RLinf hands out the cards itself",
        source=f"{_RAY}; {_RLINF_NPU}",
        required=True,
        takes=Choice(("0", "1"), "1: Ray leaves the visible devices alone"),
    ),
    Variable(
        "ASCEND_RT_VISIBLE_DEVICES",
        None,
        scope="node",
        by_node="may differ",
        why="RLinf sets it in each worker to the number of its device, counted from 0 whatever the node's list says",
        source=f"CANN environment variable reference, envref_07_0028; {_RLINF_NPU}",
        takes=Form(
            r"(\d+(,\d+)*)?", "device numbers that ascend, separated by commas without blanks: 0,1,2,3"
        ),
    ),
    Variable(
        "ASCEND_VISIBLE_DEVICES",
        None,
        scope="node",
        why="the Ascend Docker Runtime reads it to choose the cards of a container; nothing in a container does",
        source="MindCluster documentation, Ascend Docker Runtime",
        takes=Form(r"\d+(-\d+)?(,\d+(-\d+)?)*|void", "card numbers and ranges: 0-7 or 0,2"),
    ),
    Variable(
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO",
        None,
        scope="node",
        why="RLinf sets it to 0, so that newer Rays leave the visible devices of processes without cards alone",
        source="RLinf v0.3, Cluster in rlinf/scheduler/cluster",
        takes=Choice(("0", "1")),
    ),
    Variable(
        "RLINF_NODE_RANK",
        None,
        scope="node",
        why="on several nodes, exported on each before `ray start`: 0 on the head, then counted on",
        source=_RLINF_NODE,
        by_node="differs",
        takes=Integer(0),
    ),
    Variable(
        "OMP_NUM_THREADS",
        "8",
        scope="driver",
        why="eight ranks with a thread a core would fight for the host; 8 threads a rank fit 192 cores",
        source=f"OpenMP 5.2, OMP_NUM_THREADS; {_TUNING}",
        takes=Form(r"[1-9]\d*(,[1-9]\d*)*", "a number of threads of at least 1"),
        default="all cores",
    ),
    Variable(
        "OMP_PROC_BIND",
        "false",
        scope="driver",
        why="threads bound by OpenMP would undo the binding that CPU_AFFINITY_CONF asks torch_npu for",
        source=f"OpenMP 5.2, OMP_PROC_BIND; {_TUNING}",
        takes=Form(
            r"(?i:true|false|(primary|master|close|spread)(,(primary|master|close|spread))*)",
            "true, false, primary, close or spread",
        ),
    ),
    Variable(
        "JAX_PLATFORMS",
        "cpu",
        scope="driver",
        why="openpi's data loader asks jax for the process count; jax knows no NPU and would look for CUDA",
        source="openpi 15a9616, src/openpi/training/data_loader.py; jax 0.5.3, jax_platforms",
        required=True,
        takes=Choice(("cpu",), "jax has no NPU backend"),
    ),
    Variable(
        "TOKENIZERS_PARALLELISM",
        "false",
        scope="driver",
        why="the tokenizer's threads do not survive the processes of a data loader",
        source="Hugging Face tokenizers, TOKENIZERS_PARALLELISM",
        takes=Form(r"(?i:true|false|on|off|yes|no|[01yntf])", "true or false"),
    ),
    Variable(
        "MUJOCO_GL",
        "osmesa",
        scope="driver",
        why="an NPU draws nothing and the node has no EGL device; the simulator renders on the CPU",
        source="MuJoCo documentation, Python bindings, rendering",
        takes=Form(
            r"(?i:osmesa|egl|glfw|disable|disabled|off|false|0|no|)", "osmesa, or disable; egl needs a GPU"
        ),
    ),
    Variable(
        "PYOPENGL_PLATFORM",
        "osmesa",
        scope="driver",
        why="PyOpenGL has to load the same library as MUJOCO_GL names",
        source="PyOpenGL documentation, OpenGL.platform",
        takes=Form(r"(?i:osmesa|egl|glx|x11|linux|wayland)", "osmesa; egl and glx need a GPU"),
    ),
    Variable(
        "VLLM_WORKER_MULTIPROC_METHOD",
        None,
        scope="driver",
        why="fine-tuning starts no vLLM; where an NPU is in use, vLLM needs spawn: a fork cannot take it along",
        source="vLLM documentation, environment variables; torch_npu 2.6.0, torch_npu/npu/__init__.py",
        takes=Choice(("fork", "spawn")),
        default="fork",
    ),
)
