"""What CUDA, NCCL and torch's CUDA part print when they fail, and what to do about it."""

from __future__ import annotations

from vlac.adapters import Signature

SIGNATURES: tuple[Signature, ...] = (
    Signature(
        "cuda-out-of-memory",
        ("CUDA out of memory. Tried to allocate", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED"),
        "cause",
        "The memory of the GPU does not hold the training.",
        "Lower train.micro_batch (gradient accumulation keeps the global batch), train fewer parameters "
        "(train.tune), or use more cards. Where the model should fit, look with nvidia-smi who else holds memory; JAX "
        "takes three quarters of a card unless JAX_PLATFORMS=cpu is set.",
        "torch c10/cuda/CUDACachingAllocator.cpp; openpi #280, #490, #577; RLinf #285",
    ),
    Signature(
        "cuda-collective-timeout",
        (
            "Watchdog caught collective operation timeout",
            "Some NCCL operations have failed or timed out",
            "ProcessGroupNCCL's watchdog got stuck",
            "NCCL timeout",
        ),
        "consequence",
        "This rank waited in a collective operation for another one that had died or was busy.",
        "Look at the rank that failed first. Where none did, a rank was slow (saving, reading data): compare the last "
        "lines of each.",
        "torch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
        retryable=True,
    ),
    Signature(
        "cuda-peer-lost",
        (
            "ncclRemoteError",
            "remote process exited or there was a network error",
            "NCCL communicator was aborted",
            "Failed to recv, got 0 bytes",
        ),
        "consequence",
        "Another rank of the communicator is gone.",
        "Look at the rank that failed first.",
        "NCCL src/include/nccl.h (ncclRemoteError); torch ProcessGroupNCCL.cpp",
        retryable=True,
    ),
    Signature(
        "cuda-nccl-system",
        ("ncclSystemError", "ncclUnhandledCudaError", "NCCL error in:"),
        "consequence",
        "NCCL could not set up or keep a connection, often because a peer or the network is gone.",
        "Look at the rank that failed first; else set NCCL_DEBUG=INFO in env: and look at the network that it chose "
        "(NCCL_SOCKET_IFNAME), and at the size of /dev/shm.",
        "NCCL user guide, Troubleshooting; torch torch/csrc/cuda/nccl.cpp",
        retryable=True,
    ),
    Signature(
        "cuda-hardware",
        ("uncorrectable ECC error", "GPU is lost", "fallen off the bus", "NVLink error"),
        "cause",
        "The GPU has a hardware fault.",
        "Take the card or the node out (nvidia-smi -q, dmesg for Xid), and go on elsewhere.",
        "CUDA Runtime API, cudaErrorECCUncorrectable; NVIDIA Xid errors 48, 79",
    ),
    Signature(
        "cuda-device-assert",
        ("CUDA error: device-side assert triggered",),
        "cause",
        "A kernel found an index out of its range (a token or class number above its table).",
        "Run once with CUDA_LAUNCH_BLOCKING=1 in env: so that the traceback shows the operation.",
        "CUDA Runtime API, cudaErrorAssert",
    ),
    Signature(
        "cuda-illegal-access",
        ("CUDA error: an illegal memory access was encountered", "CUDA error: unspecified launch failure"),
        "cause",
        "A kernel read or wrote outside its memory.",
        "Run once with CUDA_LAUNCH_BLOCKING=1 in env: so that the traceback shows the operation; update the "
        "driver and torch.",
        "CUDA Runtime API, cudaErrorIllegalAddress, cudaErrorLaunchFailure",
        retryable=True,
    ),
    Signature(
        "cuda-driver-too-old",
        (
            "CUDA driver version is insufficient for CUDA runtime version",
            "The NVIDIA driver on your system is too old",
        ),
        "cause",
        "The driver is older than the CUDA that torch was built with.",
        "Update the driver, or install torch for an older CUDA.",
        "CUDA compatibility guide; torch/cuda/__init__.py (_check_driver)",
    ),
    Signature(
        "cuda-no-driver",
        ("Found no NVIDIA driver on your system", "No CUDA GPUs are available"),
        "cause",
        "This process sees no GPU.",
        "Run nvidia-smi in the same container; start it with the GPUs (--gpus all), and look at "
        "CUDA_VISIBLE_DEVICES.",
        "torch/cuda/__init__.py (_check_driver, _lazy_init)",
    ),
    Signature(
        "cuda-not-in-torch",
        ("Torch not compiled with CUDA enabled",),
        "cause",
        "The torch in this interpreter was built without CUDA.",
        "Install torch for CUDA in the interpreter that trains (rlinf.python), and look which package replaced it.",
        "torch/cuda/__init__.py (_lazy_init)",
    ),
    Signature(
        "cuda-architecture",
        ("no kernel image is available for execution on the device",),
        "cause",
        "torch or an extension was built for other GPUs than this one.",
        "Install a torch that lists this GPU (torch.cuda.get_arch_list()); build extensions for it anew.",
        "CUDA Runtime API, cudaErrorNoKernelImageForDevice",
    ),
    Signature(
        "cuda-device-number",
        ("CUDA error: invalid device ordinal",),
        "cause",
        "A card was named that this machine or container does not have.",
        "Compare hardware.cards and CUDA_VISIBLE_DEVICES with `nvidia-smi -L`.",
        "CUDA Runtime API, cudaErrorInvalidDevice",
    ),
    Signature(
        "cuda-library-missing",
        (
            "libnvrtc.so...: cannot open shared object file",
            "libcudart.so...: cannot open shared object file",
            "libcudnn...so...: cannot open shared object file",
            "libcuda.so...: cannot open shared object file",
        ),
        "cause",
        "A package that was built for CUDA does not find its libraries; on a machine without CUDA it is the wrong "
        "package.",
        "Install the build that fits this machine (torchcodec: the CPU one), or the CUDA libraries it names.",
        "lerobot #3976; torchcodec #637; RLinf requirements/install.sh",
    ),
)
"""In order: where two fit a line, the first is it."""
