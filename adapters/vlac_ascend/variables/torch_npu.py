"""torch and torch_npu at run time."""

from __future__ import annotations

from vlac.adapters import Variable
from vlac.variable_values import Choice, Form

_DOCUMENT = "torch_npu documentation, environment variables, {name}"
_SWITCH = Choice(("0", "1"))
ALLOCATOR_OPTIONS = (
    "max_split_size_mb",
    "garbage_collection_threshold",
    "expandable_segments",
    "base_addr_aligned_kb",
    "page_size",
    "segment_size_mb",
    "roundup_power2_divisions",
    "pinned_use_background_threads",
    "pin_memory_expandable_segments",
    "pinned_mem_register",
)
"""The options in PYTORCH_NPU_ALLOC_CONF (torch_npu documentation, that variable)."""
_OPTION = rf"({'|'.join(ALLOCATOR_OPTIONS)}):(\[[^\]\s]+\]|[^,\s\[\]]+)"

TORCH_NPU: tuple[Variable, ...] = (
    Variable(
        "TORCH_TRANSFER_TO_NPU",
        "1",
        scope="driver",
        why="torch.cuda becomes the NPU while torch is imported; older torch_npu do not read it",
        source=_DOCUMENT.format(name="TORCH_TRANSFER_TO_NPU"),
        required=True,
        takes=Choice(("0", "1"), "anything else: torch does not load"),
        default="0",
        since=("torch_npu", "26.0.0"),
    ),
    Variable(
        "TORCH_DEVICE_BACKEND_AUTOLOAD",
        "1",
        scope="driver",
        why="a 0 from the shell would keep torch from loading torch_npu, and with it torch.npu from RLinf",
        source="PyTorch 2.5, torch/__init__.py, _import_device_backends",
        takes=_SWITCH,
        default="1",
        since=("torch", "2.5"),
    ),
    Variable(
        "TORCH_NPU_DEVICE_CAPABILITY",
        "8.0",
        scope="driver",
        why="code for CUDA indexes the compute capability, which is None on an NPU; 8.0: bf16, no fp8",
        source=_DOCUMENT.format(name="TORCH_NPU_DEVICE_CAPABILITY"),
        takes=Form(r"\d+\.\d+", "two numbers with a dot: 8.0"),
        since=("torch_npu", "26.0.0"),
    ),
    Variable(
        "PYTORCH_NPU_ALLOC_CONF",
        "expandable_segments:True",
        scope="driver",
        why="full shard gathers and frees blocks of changing size; segments that grow leave fewer unusable gaps "
        "(Ascend HDK 23.0.0 or later)",
        source=_DOCUMENT.format(name="PYTORCH_NPU_ALLOC_CONF"),
        takes=Form(f"{_OPTION}(,{_OPTION})*", f"option:value,... of {', '.join(ALLOCATOR_OPTIONS)}"),
        default="expandable_segments:False",
    ),
    Variable(
        "PYTORCH_ALLOC_CONF",
        None,
        scope="driver",
        why="torch_npu from 26.2 on reads it too and ends where PYTORCH_NPU_ALLOC_CONF is set as well",
        source=_DOCUMENT.format(name="PYTORCH_NPU_ALLOC_CONF"),
        since=("torch_npu", "26.2.0"),
    ),
    Variable(
        "TASK_QUEUE_ENABLE",
        "1",
        scope="driver",
        why="a second thread queues the kernels; level 2 may be faster but takes more memory",
        source=_DOCUMENT.format(name="TASK_QUEUE_ENABLE"),
        takes=Choice(("0", "1", "2"), "0: off"),
        default="1",
    ),
    Variable(
        "CPU_AFFINITY_CONF",
        "1",
        scope="driver",
        why="each rank's threads stay on the cores beside its NPU instead of crossing NUMA nodes",
        source=_DOCUMENT.format(name="CPU_AFFINITY_CONF"),
        takes=Form(
            r"[012](,(npu\d+:\d+-\d+|npu_affine:[01]|force:[01]))*",
            "0, 1 (coarse) or 2 (fine), then npu0:0-23, npu_affine:1, force:1 as wanted",
        ),
        default="0",
    ),
    Variable(
        "MULTI_STREAM_MEMORY_REUSE",
        None,
        scope="driver",
        why="the default reuses memory between streams; 2 may help where FSDP is short of it",
        source=_DOCUMENT.format(name="MULTI_STREAM_MEMORY_REUSE"),
        takes=Choice(("0", "1", "2", "3"), "0: off"),
        default="1",
    ),
    Variable(
        "ASCEND_LAUNCH_BLOCKING",
        None,
        scope="driver",
        why="1 waits for every kernel, so that an error has its line; for debugging alone",
        source=_DOCUMENT.format(name="ASCEND_LAUNCH_BLOCKING"),
        takes=_SWITCH,
        default="0",
    ),
    Variable(
        "STREAMS_PER_DEVICE",
        None,
        scope="driver",
        why="the default is enough",
        source=_DOCUMENT.format(name="STREAMS_PER_DEVICE"),
        takes=Choice(("8", "32")),
        default="32",
    ),
    Variable(
        "INF_NAN_MODE_ENABLE",
        None,
        scope="driver",
        why="the default lets infinities be seen; 0 saturates them, and a loss that overflows looks sound",
        source=_DOCUMENT.format(name="INF_NAN_MODE_ENABLE"),
        takes=_SWITCH,
        default="1",
    ),
    Variable(
        "TORCH_NPU_FALLBACK_CPU_DISABLE",
        None,
        scope="driver",
        why="1 makes an operator that the NPU does not have an error; by default it runs slowly on the CPU, with a "
        "warning",
        source="torch_npu documentation, TORCH_NPU_FALLBACK_CPU_DISABLE",
        takes=_SWITCH,
        default="0",
    ),
    Variable(
        "TORCH_NPU_COMPACT_ERROR_OUTPUT",
        None,
        scope="driver",
        why="1 moves CANN's call stack out of error messages, where it helps to find the cause",
        source=_DOCUMENT.format(name="TORCH_NPU_COMPACT_ERROR_OUTPUT"),
        takes=_SWITCH,
        default="0",
    ),
    Variable(
        "TORCH_NPU_DISABLED_WARNING",
        None,
        scope="driver",
        why="1 hides torch_npu's warnings, those of operators that run on the CPU among them",
        source=_DOCUMENT.format(name="TORCH_NPU_DISABLED_WARNING"),
        takes=_SWITCH,
        default="0",
    ),
    Variable(
        "PYTORCH_CUDA_ALLOC_CONF",
        None,
        scope="driver",
        why="the allocator of the NPU does not read it; PYTORCH_NPU_ALLOC_CONF is its variable",
        source=_DOCUMENT.format(name="PYTORCH_NPU_ALLOC_CONF"),
    ),
)
