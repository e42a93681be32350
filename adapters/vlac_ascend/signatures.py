"""What torch_npu, CANN and HCCL print when they fail, and what to do about it.

Sources: the troubleshooting cases in the documentation of torch_npu (github.com/Ascend/pytorch, docs/zh/user_guide/
troubleshooting), and issues of projects that train on these cards. Texts vary with the CANN version, codes do not, so
codes are matched where there is one.
"""

from __future__ import annotations

from vlac.adapters import Signature

_CASES = "Ascend/pytorch docs/zh/user_guide/troubleshooting/troubleshooting_cases"
_PORTS = "Ascend/pytorch troubleshooting_cases; LLaMA-Factory #9330; vllm-ascend #405, #4725"

SIGNATURES: tuple[Signature, ...] = (
    Signature(
        "ascend-dying-compiler",
        ("TBE Subprocess[task_distribute] raise error", "main process disappeared!"),
        "noise",
        "The operator compiler's helpers notice that their parent process is gone; they print it after good ends too.",
        "Nothing; the reason stands in another line.",
        "vllm-ascend #198, #1044; Ray #49998",
    ),
    Signature(
        "ascend-transfer-banner",
        (
            "transfer_to_npu.py...: ImportWarning",
            "torch.jit.script_method will be disabled by transfer_to_npu",
            "The torch.cuda.DoubleTensor is replaced with torch.npu.FloatTensor",
            "are replaced with torch.Tensor.npu and torch.nn.Module.npu now",
            "The backend in torch.distributed.init_process_group set to hccl now",
            "The torch.cuda.* and torch.cuda.amp.* are replaced with",
        ),
        "noise",
        "transfer_to_npu tells what it replaces when it is imported.",
        "Nothing.",
        "torch_npu/contrib/transfer_to_npu.py",
    ),
    Signature(
        "ascend-out-of-memory",
        ("NPU out of memory. Tried to allocate", "EL0004...Memory_Allocation_Failure"),
        "cause",
        "The memory of the NPU does not hold the training.",
        "Lower train.micro_batch (gradient accumulation keeps the global batch), train fewer parameters "
        "(train.tune), or use more cards. Look with npu-smi whether another process holds memory of the card.",
        "torch_npu c10_npu/NPUCachingAllocator; LLaMA-Factory #5491, #6028",
    ),
    Signature(
        "ascend-link-timeout",
        (
            "EI0006",
            "Getting socket times out",
            "Notify register times out",
            "Heartbeat Lost Occurred",
            "error code is 507048",
            "hcclCommInitRootInfoConfig...error code is 4",
            "hcclCommInitRootInfoConfig...error code is 6",
            "EI0002",
        ),
        "consequence",
        "This rank waited for another one that had died or had not come so far.",
        "Look at the rank that failed first. Where none did: raise HCCL_CONNECT_TIMEOUT in env:, check that "
        "HCCL_SOCKET_IFNAME names the right network and that no firewall stands between the nodes.",
        f"{_CASES} (EI0002, EI0006); vllm-ascend #486; LLaMA-Factory #5071",
        retryable=True,
    ),
    Signature(
        "ascend-execution-timeout",
        (
            "error code is 107020",
            "error code:107020",
            "fftsplus task timeout",
            "error code is 507033",
            "error code is 507046",
        ),
        "consequence",
        "A collective operation did not end in time: another rank was busy (saving, preparing data) or had died.",
        "Look at the rank that failed first. Where none did: raise HCCL_EXEC_TIMEOUT in env: above the time that "
        "the slowest save or preparation takes.",
        "Ascend/pytorch #43, #72, #48; ms-swift #2434",
        retryable=True,
    ),
    Signature(
        "ascend-port-in-use",
        (
            "EJ0003",
            "EI0019",
            "Failed to bind the IP port",
            "HcclGetRootInfo(&hcclID), error code is 7",
            "HcclGetRootInfo(&hcclID), error code is 11",
        ),
        "cause",
        "A port that HCCL uses is taken, by another job on this machine or by processes of an earlier run.",
        "End what is left of earlier runs, wait 10 s, and give this job its own ports in env: "
        "HCCL_IF_BASE_PORT, or HCCL_HOST_SOCKET_PORT_RANGE and HCCL_NPU_SOCKET_PORT_RANGE.",
        _PORTS,
        retryable=True,
    ),
    Signature(
        "ascend-stale-process",
        ("EJ0001", "Failed to initialize the HCCP process"),
        "cause",
        "The process of a training that was just killed still holds the card.",
        "Wait 10 s after a kill; end what `npu-smi info` still lists on the cards; start again.",
        f"{_CASES} (EJ0001)",
        retryable=True,
    ),
    Signature(
        "ascend-cann-not-sourced",
        (
            "libhccl.so: cannot open shared object file",
            "libascendcl.so: cannot open shared object file",
            "libatb.so: cannot open shared object file",
            "ASCEND_HOME_PATH environment variable is not set",
            "No module named 'tbe",
        ),
        "cause",
        "CANN's environment was not loaded in the process that started Ray, so no worker has it.",
        "Source CANN's set_env.sh before `ray start` (launch.sh does; set ASCEND_TOOLKIT_HOME where CANN lies "
        "elsewhere), and the one of nnal/atb for libatb. Do not overwrite the PYTHONPATH that it sets.",
        "Ascend/pytorch troubleshooting_cases (libhccl.so); vllm-ascend #262, #152; vime PR #323",
    ),
    Signature(
        "ascend-version-mismatch",
        (
            "Unsupported soc version",
            "torch_npu...undefined symbol",
            "undefined symbol...torch",
            "module 'torch_npu...' has no attribute",
            "No module named 'torch_npu",
        ),
        "cause",
        "torch, torch_npu, CANN and the driver do not fit each other, or torch_npu is not in this interpreter.",
        "Install torch_npu of exactly torch's version, and the CANN of its compatibility table; look whether a "
        "later `pip install` replaced torch.",
        "Ascend/pytorch COMPATIBILITY.en.md, #35, #37, #99; RLinf #1577",
    ),
    Signature(
        "ascend-backend-not-loaded",
        ("module 'torch' has no attribute 'npu'", "Failed to load the backend extension: torch_npu"),
        "cause",
        "torch did not load torch_npu when it was imported.",
        "Unset TORCH_DEVICE_BACKEND_AUTOLOAD=0; torch 2.5 or newer loads torch_npu by itself. Where loading fails, "
        "the reason stands above: CANN not sourced, or versions that do not fit.",
        "Ascend/pytorch; timm PR #2109; sglang PR #3853",
    ),
    Signature(
        "ascend-transfer-missing",
        ("Torch not compiled with CUDA enabled",),
        "cause",
        "Code asks torch for CUDA in a process where transfer_to_npu was not imported; it has to be in each worker.",
        "Start from the bundle, whose bootstrap/ imports it in each process; RLINF_EXT_MODULE and PYTHONPATH have "
        "to reach the workers, so they must be set before `ray start`.",
        "torch/cuda/__init__.py (_lazy_init); RLinf v0.3 rlinf/scheduler/cluster/utils.py (EXT_MODULE)",
    ),
    Signature(
        "ascend-two-accelerators",
        ("ERR00007", "Two accelerators cannot be used at the same time"),
        "cause",
        "A torch that was built for CUDA and torch_npu are installed together.",
        "Install the CPU build of torch, then torch_npu of the same version.",
        f"{_CASES} (ERR00007)",
    ),
    Signature(
        "ascend-init-failed",
        ("ACL_PRECISION_MODE", "error code is 500001"),
        "cause",
        "The first call into CANN failed: its Python packages or its operator kernels are missing.",
        "Install what CANN needs from Python (decorator, attrs, psutil, scipy, numpy below 2, ...) and the kernels "
        "package for this chip; CANN's own log, ~/ascend/log/debug/plog, names the reason.",
        f"{_CASES} (ERR00100, 500001)",
    ),
    Signature(
        "ascend-operator-binary",
        ("Cannot find bin of op", "does not has any binary"),
        "cause",
        "The compiled operators for this chip are not installed, or are another CANN's.",
        "Install the CANN kernels (opp) package for this chip, of the same version as the toolkit.",
        f"{_CASES} (Cannot find bin of op)",
    ),
    Signature(
        "ascend-fork",
        ("Cannot re-initialize NPU in forked subprocess",),
        "cause",
        "A process that already used the NPU was forked, as data loader workers are by default.",
        "Use the start method spawn for data loader workers.",
        "torch_npu/npu/__init__.py; vllm-ascend #3133; LLaMA-Factory #7447",
    ),
    Signature(
        "ascend-device-number",
        (
            "input data rang[",
            "Invalid device ID",
            "Invalid device id",
            "error code is 107001",
            "error code is 207004",
        ),
        "cause",
        "A card was named that this container does not have; inside a container cards are counted from 0.",
        "Compare ASCEND_RT_VISIBLE_DEVICES and hardware.cards with `npu-smi info -l` in the same container; the "
        "numbers must be ascending.",
        "vllm-ascend #449, #2879; gpustack #3352",
    ),
    Signature(
        "ascend-wrong-device",
        ("Expects tensor to be on the compute device npu:",),
        "cause",
        "A rank works on another card than its own: Ray does not isolate cards where "
        "RAY_EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES is set.",
        "Unset that variable before `ray start`; RLinf sets it for its workers itself.",
        "verl PR #7507; Ray #53044",
    ),
    Signature(
        "ascend-driver",
        ("dcmi module initialize failed", "ret is -8005", "ret is -8020"),
        "cause",
        "The driver does not answer: its devices are not in the container, belong to another one, or the user may "
        "not open them.",
        "Give the container /dev/davinci*, davinci_manager, devmm_svm, hisi_hdc and /usr/local/dcmi; run "
        "`npu-smi info` in it; look whether another container holds the card.",
        "vllm-ascend #2698, #632; gitee ascend/cann-container-image #46",
    ),
    Signature(
        "ascend-flash-attention",
        (
            "FlashAttention2 has been toggled on",
            "flash_attn seems to be not installed",
            "No module named 'flash_attn",
        ),
        "cause",
        "The model asks for flash-attn, which does not exist for the NPU.",
        "Use attention eager or sdpa.",
        "transformers PR #36383; LLaMA-Factory #5674; verl PR #198",
    ),
    Signature(
        "ascend-data-type",
        ("DT_DOUBLE...not support", "aclnnCast...not support"),
        "cause",
        "An operator has no kernel for this data type on the NPU (float64, often).",
        "Keep float64 away from the device: transfer_to_npu maps it to float32.",
        "diffusers #10123; LLaMA-Factory #4165; openpi pi0_pytorch.py (create_sinusoidal_pos_embedding)",
    ),
    Signature(
        "ascend-mixed-devices",
        ("ERR01002", "Expected NPU tensor"),
        "cause",
        "Tensors of the CPU and of the NPU meet in one operation, usually where code still says device='cuda'.",
        "Look at the frame that is named in the traceback; transfer_to_npu must be imported before that module.",
        f"{_CASES} (ERR01002)",
    ),
    Signature(
        "ascend-not-contiguous",
        ("ERR02002", "Tensors must be contiguous"),
        "cause",
        "HCCL takes contiguous tensors only.",
        "Call .contiguous() on the tensor before the collective operation.",
        f"{_CASES} (ERR02002)",
    ),
    Signature(
        "ascend-cast-after-shard",
        ("npu._npu_dtype_cast.default does not have a sharding strategy",),
        "cause",
        "The model was cast to another data type after FSDP2 had sharded it.",
        "Cast before fully_shard.",
        "ms-swift #7871, #7870",
    ),
    Signature(
        "ascend-compile",
        ("torchair...max-autotune", "torch_npu/_inductor", "torch_npu...torchair...Error"),
        "cause",
        "torch.compile failed on the NPU.",
        "Switch it off: pytorch_compile_mode null.",
        "openpi PR #905; sglang-omni PR #1721",
        near="Traceback",
    ),
    Signature(
        "ascend-allocator-flags",
        (
            "expandable_segments...cannot be used with",
            "expandable_segments...not be enabled...max_split_size_mb",
            "max_split_size_mb...expandable_segments",
        ),
        "cause",
        "PYTORCH_NPU_ALLOC_CONF holds settings that exclude each other.",
        "Keep expandable_segments:True alone, or leave it out.",
        "vllm-ascend PR #5855; TouchNet #100",
    ),
    Signature(
        "ascend-inner-error",
        ("EZ9999", "EE9999", "EI9999"),
        "cause",
        "CANN failed inside; the lines that follow the code name the task and the operator.",
        "Read the lines behind the code and CANN's own log, ~/ascend/log/debug/plog; another rank's earlier error "
        "goes first.",
        _CASES,
        is_general=True,
    ),
    Signature(
        "ascend-collective-failed",
        ("ERR02200", "DIST call hccl api failed", "HCCL function error", "HCCL error in"),
        "consequence",
        "A collective operation failed on this rank; the code in the line says in which HCCL call.",
        "Look at the rank that failed first, and at EI and EJ codes above.",
        "Ascend/pytorch ProcessGroupHCCL.cpp; verl #5074",
        retryable=True,
        is_general=True,
    ),
    Signature(
        "ascend-call-failed",
        ("ERR00100", "PTA call acl api failed", "NPU function error"),
        "cause",
        "A call into CANN failed; the number in the line is CANN's.",
        "Look the number up in CANN's error codes, and read ~/ascend/log/debug/plog of that process.",
        f"{_CASES} (ERR00100)",
        is_general=True,
    ),
    Signature(
        "ascend-cpu-fallback",
        ("is not currently supported on the NPU backend and will fall back to run on the CPU", "ERR01007"),
        "warning",
        "An operator runs on the CPU because the NPU has none; it is slow, not wrong.",
        "Nothing where it is rare; else use another operator.",
        f"{_CASES} (ERR01007)",
    ),
    Signature(
        "ascend-autocast-off",
        ("CUDA is not available or torch_xla is imported. Disabling autocast.",),
        "warning",
        "Mixed precision is silently off: code says autocast('cuda') and transfer_to_npu is not active in this "
        "process.",
        "Start from the bundle, whose bootstrap/ imports transfer_to_npu in each process.",
        "torch/amp/autocast_mode.py; RLinf v0.3 fsdp_model_manager.py",
    ),
    Signature(
        "ascend-nvtx",
        ("NVTX functions not installed",),
        "cause",
        "RLinf's profiling ranges call NVTX, which torch has not got here.",
        "Switch profiling off.",
        "torch/cuda/nvtx.py; RLinf nvtx_range",
    ),
)
"""In order: where two fit a line, the first is it."""
