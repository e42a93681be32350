"""For each signature, what a process prints in that case.

A line `@file:line function: code` is a frame of a traceback; the others stand as they are.
"""

# ruff: noqa: E501  lines of logs, as they are printed
from __future__ import annotations

_SITE = "/opt/venv/lib/python3.11/site-packages/"


def printed(sample: str) -> list[str]:
    """The lines of a sample, with its tracebacks written out."""
    lines: list[str] = []
    in_frames = False
    for line in sample.strip("\n").split("\n"):
        if not line.startswith("@"):
            lines.append(line)
            in_frames = False
            continue
        place, _, code = line[1:].partition(": ")
        place, function = place.rsplit(" ", 1)
        path, number = place.rsplit(":", 1)
        if not in_frames:
            lines.append("Traceback (most recent call last):")
        in_frames = True
        root = "" if path.startswith("/") else _SITE
        lines += [f'  File "{root}{path}", line {number}, in {function}', f"    {code}"]
        if len(code) % 2:
            lines.append("    " + "^" * len(code))
    return lines


SAMPLES = {
    # --- Ascend
    "ascend-out-of-memory": """
@rlinf/workers/sft/fsdp_sft_worker.py:160 run_training: losses = self.get_train_model_output(batch)
@openpi/models_pytorch/pi0_pytorch.py:331 forward: (prefix_out, suffix_out), _ = self.paligemma_with_expert.forward(
@transformers/models/gemma/modeling_gemma.py:98 forward: down_proj = self.down_proj(self.act_fn(self.gate_proj(x)))
torch.OutOfMemoryError: NPU out of memory. Tried to allocate 1.53 GiB (NPU 3; 60.97 GiB total capacity; 58.02 GiB already allocated; 58.02 GiB current active; 811.52 MiB free; 59.10 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.
""",
    "ascend-link-timeout": """
@torch/distributed/distributed_c10d.py:4812 barrier: work = group.barrier(opts=opts)
RuntimeError: [1] HCCL error in: torch_npu/csrc/distributed/ProcessGroupHCCL.cpp:64
[ERROR] 2026-08-01-12:04:58 (PID:1041, Device:1, RankID:1) ERR02200 DIST call hccl api failed.
EI0006: [PID: 1041] 2026-08-01-12:04:58.331.412 Getting socket times out. Reason: Remote Rank did not send the data in time.
        Solution: 1. Check the rank service processes with other errors or no errors in the cluster.
        TraceBack (most recent call last):
        Alloc transports failed, tag: AllReduce[FUNC:Alloc][FILE:coll_comm_executor.cc]
""",
    "ascend-execution-timeout": """
@torch_npu/npu/utils.py:58 synchronize: torch_npu._C._npu_synchronize()
RuntimeError: ACL stream synchronize failed, error code:107020
[ERROR] 2026-08-01-13:11:02 (PID:880, Device:4, RankID:4) NPU error, error code is 107020
EI9999: Inner Error!
        hccl fftsplus task timeout occurred, stream id:5, task id:12[FUNC:PrintTaskExceptionHandle]
""",
    "ascend-port-in-use": """
@torch/distributed/distributed_c10d.py:2806 all_reduce: work = group.allreduce([tensor], opts)
RuntimeError: create:build/CMakeFiles/torch_npu.dir/compiler_depend.ts:102 HCCL function error: HcclGetRootInfo(&hcclID), error code is 7
[ERROR] 2026-08-01-09:00:14 (PID:733, Device:0, RankID:0) ERR02200 DIST call hccl api failed.
EJ0003: [PID: 733] 2026-08-01-09:00:14.100.210 Failed to bind the IP port. Reason: The IP address and port have been bound already.
        Possible Cause: N/A
        Solution: Release the port 60000 and try again.
""",
    "ascend-stale-process": """
@torch_npu/npu/__init__.py:214 _lazy_init: torch_npu._C._npu_init()
RuntimeError: Initialize:torch_npu/csrc/core/npu/sys_ctrl/npu_sys_ctrl.cpp:217 NPU function error: aclrtSetDevice(device_id_), error code is 507033
EJ0001: [PID: 91] 2026-08-01-08:12:40.914.201 Failed to initialize the HCCP process. Reason: Maybe the last training process is running.
        Solution: Wait for 10s after killing the last training process and try again.
""",
    "ascend-cann-not-sourced": """
@torch_npu/__init__.py:17 <module>: import torch_npu.npu
@torch_npu/_C/__init__.py:5 <module>: from torch_npu._C import *
ImportError: libhccl.so: cannot open shared object file: No such file or directory
""",
    "ascend-version-mismatch": """
@torch_npu/__init__.py:9 <module>: from . import _C
ImportError: /opt/venv/lib/python3.11/site-packages/torch_npu/lib/libtorch_npu.so: undefined symbol: _ZNK5torch8autograd4Node4nameEv
""",
    "ascend-backend-not-loaded": """
@torch/__init__.py:2834 _import_device_backends: entrypoint()
RuntimeError: Failed to load the backend extension: torch_npu. You can disable extension auto-loading with TORCH_DEVICE_BACKEND_AUTOLOAD=0.
""",
    "ascend-transfer-missing": """
@rlinf/hybrid_engines/fsdp/fsdp_model_manager.py:150 setup_model: module.to(0)
@torch/cuda/__init__.py:522 _lazy_init: raise AssertionError("Torch not compiled with CUDA enabled")
AssertionError: Torch not compiled with CUDA enabled
""",
    "ascend-two-accelerators": """
@torch_npu/__init__.py:33 <module>: raise RuntimeError(
RuntimeError: Two accelerators cannot be used at the same time in PyTorch: npu and gpu. You can install the cpu version of PyTorch to use your npu device
[ERROR] 2026-08-01-10:00:01 (PID:12, Device:-1, RankID:-1) ERR00007 PTA feature not supported
""",
    "ascend-init-failed": """
@torch_npu/npu/__init__.py:214 _lazy_init: torch_npu._C._npu_init()
RuntimeError: Initialize:torch_npu/csrc/core/npu/sys_ctrl/npu_sys_ctrl.cpp:274 NPU function error: at_npu::native::AclSetCompileopt(aclCompileOpt::ACL_PRECISION_MODE, precision_mode), error code is 500001
[ERROR] 2026-08-01-10:44:35 (PID:2012, Device:6, RankID:6) ERR00100 PTA call acl api failed.
""",
    "ascend-operator-binary": """
@torch/nn/modules/linear.py:125 forward: return F.linear(input, self.weight, self.bias)
RuntimeError: call aclnnCast failed, detail:EZ1001: [PID: 501] 2026-08-01-11:00:00.101.000 Cannot find bin of op Cast, integral key 0/1/|float16/ND/bfloat16/ND/.
""",
    "ascend-fork": """
@torch/utils/data/_utils/worker.py:349 _worker_loop: data = fetcher.fetch(index)
@torch_npu/npu/__init__.py:204 _lazy_init: raise RuntimeError(
RuntimeError: Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use the 'spawn' start method
""",
    "ascend-device-number": """
@torch_npu/npu/utils.py:62 set_device: torch_npu._C._npu_setDevice(device_id)
RuntimeError: SetDevice:torch_npu/csrc/core/npu/NPUFunctions.cpp:89 NPU function error: aclrtSetDevice(device), error code is 107001
        set ASCEND_RT_VISIBLE_DEVICES:4 error, input data rang[0-2)[FUNC:GetVisibleDevices]
""",
    "ascend-wrong-device": """
@torch/distributed/fsdp/_init_utils.py:850 _move_module_to_device: raise RuntimeError(
RuntimeError: Expects tensor to be on the compute device npu:5, was on npu:0
""",
    "ascend-driver": """
[ERROR] 2026-08-01-07:01:00 (PID:31, Device:0, RankID:-1) dcmi module initialize failed. ret is -8005
""",
    "ascend-flash-attention": """
@transformers/modeling_utils.py:2120 _flash_attn_2_can_dispatch: raise ImportError(
ImportError: FlashAttention2 has been toggled on, but it cannot be used due to the following error: the package flash_attn seems to be not installed.
""",
    "ascend-data-type": """
@openpi/models_pytorch/pi0_pytorch.py:33 create_sinusoidal_pos_embedding: fraction = torch.linspace(0.0, 1.0, dimension // 2, dtype=dtype, device=device)
RuntimeError: call aclnnSin failed, detail:EZ1001: Tensor self not implemented for DT_DOUBLE, should be in dtype support list; DT_DOUBLE is not support
""",
    "ascend-mixed-devices": """
@rlinf/models/embodiment/openpi/openpi_action_model.py:288 sft_forward: loss = F.mse_loss(u_t, v_t, reduction="none")
RuntimeError: Expected all tensors to be on the same device. Expected NPU tensor, please check whether the input tensor device is correct.
[ERROR] 2026-08-01-12:30:00 (PID:9, Device:2, RankID:2) ERR01002 OPS invalid type
""",
    "ascend-not-contiguous": """
@torch/distributed/distributed_c10d.py:2421 broadcast: work = group.broadcast([tensor], opts)
RuntimeError: Tensors must be contiguous
[ERROR] 2026-08-01-12:31:00 (PID:10, Device:3, RankID:3) ERR02002 DIST invalid type
""",
    "ascend-cast-after-shard": """
@rlinf/hybrid_engines/fsdp/strategy/fsdp2.py:88 wrap_model: model.to(torch.float32)
NotImplementedError: Operator npu._npu_dtype_cast.default does not have a sharding strategy registered.
""",
    "ascend-compile": """
@torch/_dynamo/eval_frame.py:655 _fn: return fn(*args, **kwargs)
@torch_npu/_inductor/codegen/triton.py:931 codegen_kernel: raise ValueError(
ValueError: unsupported axis order in torch_npu/_inductor/codegen
""",
    "ascend-allocator-flags": """
@torch_npu/npu/memory.py:120 memory_stats: return torch_npu._C._npu_memoryStats(device)
RuntimeError: expandable_segments with max_split_size_mb cannot be used with garbage_collection_threshold
""",
    "ascend-inner-error": """
@torch/autograd/graph.py:824 _engine_run_backward: return Variable._execution_engine.run_backward(
RuntimeError: The Inner error is reported as above. The process exits for this inner error
EZ9999: Inner Error!
EZ9999: [PID: 44] 2026-08-01-14:00:01.010.101 The error from device(chipId:1, dieId:0), serial number is 9, there is an aivec error exception
        TraceBack (most recent call last):
""",
    "ascend-collective-failed": """
@torch/distributed/fsdp/_flat_param.py:1442 _all_gather_flat_param: dist.all_gather_into_tensor(
RuntimeError: [ERROR] HCCL error in: torch_npu/csrc/distributed/ProcessGroupHCCL.cpp:1210
[ERROR] 2026-08-01-12:05:01 (PID:1042, Device:2, RankID:2) ERR02200 DIST call hccl api failed.
""",
    "ascend-call-failed": """
@torch_npu/npu/streams.py:75 synchronize: super().synchronize()
RuntimeError: copy_between_host_and_device:torch_npu/csrc/aten/ops/op_api/CopyKernelOpApi.cpp:52 NPU function error: aclrtSynchronizeStream, error code is 507015
[ERROR] 2026-08-01-15:05:01 (PID:77, Device:5, RankID:5) ERR00100 PTA call acl api failed
""",
    "ascend-nvtx": """
@rlinf/utils/profiler.py:41 nvtx_range: torch.cuda.nvtx.range_push(name)
@torch/cuda/nvtx.py:11 _fail: raise RuntimeError(
RuntimeError: NVTX functions not installed. Are you sure you have a CUDA build?
""",
    "ascend-cpu-fallback": """
/opt/venv/lib/python3.11/site-packages/torch/nn/functional.py:3021: UserWarning: The operator 'aten::_linalg_eigh' is not currently supported on the NPU backend and will fall back to run on the CPU. This may have performance implications.
""",
    "ascend-autocast-off": """
/opt/venv/lib/python3.11/site-packages/torch/amp/autocast_mode.py:287: UserWarning: CUDA is not available or torch_xla is imported. Disabling autocast.
""",
    "ascend-dying-compiler": """
[ERROR] TBE Subprocess[task_distribute] raise error[], main process disappeared!
[ERROR] TBE Subprocess[task_distribute] raise error[], main process disappeared!
""",
    "ascend-transfer-banner": """
/opt/venv/lib/python3.11/site-packages/torch_npu/contrib/transfer_to_npu.py:422: ImportWarning:
    The torch.Tensor.cuda and torch.nn.Module.cuda are replaced with torch.Tensor.npu and torch.nn.Module.npu now..
    The torch.cuda.DoubleTensor is replaced with torch.npu.FloatTensor cause the double type is not supported now..
    The backend in torch.distributed.init_process_group set to hccl now..
""",
    # --- CUDA
    "cuda-out-of-memory": """
@rlinf/hybrid_engines/fsdp/fsdp_model_manager.py:435 optimizer_step: self.optimizer.step()
@torch/optim/adamw.py:176 _init_group: state["exp_avg_sq"] = torch.zeros_like(
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 502.00 MiB. GPU 2 has a total capacity of 79.11 GiB of which 311.94 MiB is free. Including non-PyTorch memory, this process has 78.79 GiB memory in use.
""",
    "cuda-collective-timeout": """
[rank5]:[E801 12:14:58.991214118 ProcessGroupNCCL.cpp:616] [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4113, OpType=_ALLGATHER_BASE, NumelIn=65536, NumelOut=524288, Timeout(ms)=600000) ran for 600042 milliseconds before timing out.
""",
    "cuda-peer-lost": """
@torch/distributed/distributed_c10d.py:2806 all_reduce: work = group.allreduce([tensor], opts)
torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, remote process exited or there was a network error, NCCL version 2.26.2
ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.
""",
    "cuda-nccl-system": """
@torch/distributed/distributed_c10d.py:4812 barrier: work = group.barrier(opts=opts)
torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.cpp:77, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2
ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
""",
    "cuda-hardware": """
@torch/autograd/graph.py:824 _engine_run_backward: return Variable._execution_engine.run_backward(
torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
""",
    "cuda-device-assert": """
/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553: indexSelectLargeIndex: block: [194,0,0], thread: [63,0,0] Assertion `srcIndex < srcSelectDimSize` failed.
@transformers/models/gemma/modeling_gemma.py:412 forward: inputs_embeds = self.embed_tokens(input_ids)
torch.AcceleratorError: CUDA error: device-side assert triggered
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
""",
    "cuda-illegal-access": """
@torch/nn/utils/clip_grad.py:104 _get_total_norm: norms.extend(torch._foreach_norm(device_tensors, norm_type))
RuntimeError: CUDA error: an illegal memory access was encountered
""",
    "cuda-driver-too-old": """
@torch/cuda/__init__.py:412 _lazy_init: torch._C._cuda_init()
RuntimeError: The NVIDIA driver on your system is too old (found version 11080). Please update your GPU driver.
""",
    "cuda-no-driver": """
@torch/cuda/__init__.py:412 _lazy_init: torch._C._cuda_init()
RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver.
""",
    "cuda-not-in-torch": """
@rlinf/workers/sft/fsdp_sft_worker.py:44 init_worker: torch.cuda.set_device(self._local_rank)
@torch/cuda/__init__.py:522 _lazy_init: raise AssertionError("Torch not compiled with CUDA enabled")
AssertionError: Torch not compiled with CUDA enabled
""",
    "cuda-architecture": """
@torch/nn/modules/normalization.py:229 forward: return F.layer_norm(
RuntimeError: CUDA error: no kernel image is available for execution on the device
""",
    "cuda-device-number": """
@torch/cuda/__init__.py:567 set_device: torch._C._cuda_setDevice(device)
RuntimeError: CUDA error: invalid device ordinal
""",
    "cuda-library-missing": """
@torchcodec/_core/ops.py:64 load_torchcodec_shared_libraries: torch.ops.load_library(core_library_path)
OSError: libnvrtc.so.13: cannot open shared object file: No such file or directory
""",
    # --- configuration, placement, checkpoints
    "rlinf-dead-api-server": """
Error executing job with overrides: []
@ray/util/state/api.py:224 _make_http_get_request: raise ServerUnavailable(err_str)
ray.util.state.exception.ServerUnavailable: Failed to make request to http://127.0.0.1:8265/api/v0/actors. Failed to connect to API server.
""",
    "rlinf-save-interval": """
@rlinf/runners/sft_runner.py:118 run: run_val, save_model, is_train_end = check_progress(
@rlinf/utils/runner_utils.py:45 check_progress: f"{save_interval=} must be divisible by {val_check_interval=}"
AssertionError: save_interval=500 must be divisible by val_check_interval=300
""",
    "rlinf-batch-indivisible": """
Error executing job with overrides: []
@rlinf/config.py:1376 validate_cfg: assert (
AssertionError: actor.global_batch_size (128) must be divisible by (actor.micro_batch_size (4) * actor_world_size (6))
""",
    "rlinf-indivisible": """
@rlinf/config.py:1366 validate_cfg: assert (
AssertionError: padded_vocab_size (257153) must be divisible by tensor_model_parallel_size (8)
""",
    "rlinf-missing-key": """
@rlinf/models/__init__.py:268 get_model: if cfg.is_lora:
@omegaconf/_utils.py:899 format_and_raise: _raise(ex, cause)
omegaconf.errors.ConfigAttributeError: Key 'is_lora' is not in struct
    full_key: actor.model.is_lora
    object_type=dict
""",
    "rlinf-unknown-override": """
Could not override 'runner.max_stepz'.
To append to your config use +runner.max_stepz=10
Key 'max_stepz' is not in struct
    full_key: runner.max_stepz
    object_type=dict
""",
    "rlinf-override-syntax": """
@hydra/core/override_parser/overrides_parser.py:99 parse_overrides: raise OverrideParseException(
hydra.errors.OverrideParseException: mismatched input '=' expecting <EOF>
See https://hydra.cc/docs/1.2/advanced/override_grammar/basic for details
""",
    "rlinf-config-group": """
In 'libero_sft_openpi': Could not find 'training_backend/fsdp'

Available options in 'training_backend':
	megatron
""",
    "rlinf-config-not-found": """
Cannot find primary config 'maniskill_ppo_openvlaoft'. Check that it's in your config search path.

Config search path:
	provider=hydra, path=pkg://hydra.conf
""",
    "rlinf-variable-missing": """
@omegaconf/base.py:736 resolve_parse_tree: raise InterpolationResolutionError(
omegaconf.errors.InterpolationResolutionError: KeyError raised while resolving interpolation: "Environment variable 'EMBODIED_PATH' not found"
    full_key: hydra.searchpath[0]
""",
    "rlinf-number-as-text": """
@torch/optim/adamw.py:40 __init__: super().__init__(params, lr, betas, eps, weight_decay, amsgrad)
@torch/optim/adam.py:54 __init__: if not 0.0 <= lr:
TypeError: '<=' not supported between instances of 'float' and 'str'
""",
    "rlinf-training-backend": """
@rlinf/config.py:1350 validate_cfg: assert cfg.actor.training_backend in SUPPORTED_TRAINING_BACKENDS, (
AssertionError: Unsupported training_backend fsdp2. Supported training backends are ['megatron', 'fsdp'].
""",
    "rlinf-data-keys": """
@rlinf/config.py:1167 validate_sft_cfg: assert cfg.data.get("val_data_paths", None) is not None, (
AssertionError: the data.train_data_paths is None, so data.val_data_paths is required
""",
    "rlinf-no-validation": """
@rlinf/workers/sft/fsdp_vla_sft_worker.py:83 get_eval_model_output: raise NotImplementedError(
NotImplementedError: eval is not supported for embodied sft right now.
""",
    "rlinf-mixed-precision": """
@rlinf/config.py:412 validate_fsdp_cfg: assert False, (
AssertionError: amp_autocast should not be enabled when fsdp mixed_precision is enabled
""",
    "rlinf-logger": """
@rlinf/utils/metric_logger.py:61 __init__: assert all(
AssertionError: Unsupported logger backend: ['mlflow']
""",
    "rlinf-resume-form": """
@rlinf/runners/sft_runner.py:72 init_workers: self.global_step = int(resume_dir.split("global_step_")[-1])
ValueError: invalid literal for int() with base 10: '400/actor'
""",
    "rlinf-resume-missing": """
@rlinf/runners/sft_runner.py:66 init_workers: assert os.path.exists(actor_checkpoint_path), (
AssertionError: resume_dir /results/pi05/checkpoints/global_step_400/actor does not exist.
""",
    "rlinf-checkpoint-incomplete": """
@rlinf/hybrid_engines/fsdp/strategy/base.py:339 load_checkpoint: raise FileNotFoundError(
FileNotFoundError: Could not find a valid DCP checkpoint under '/results/pi05/checkpoints/global_step_900/actor'.
""",
    "rlinf-checkpoint-strategy": """
@rlinf/hybrid_engines/fsdp/strategy/checkpoint.py:109 load_state_dict: f"FSDP version mismatch: {ckpt_fsdp_version} != {self.fsdp_version}"
ValueError: FSDP version mismatch: FSDPVersion.FSDP2 != FSDPVersion.FSDP
""",
    "rlinf-placement": """
@rlinf/scheduler/cluster/utils.py:515 parse_rank_config: raise ValueError(
ValueError: End rank 7 in rank config string "0-7" must be within the available  ranks [0, 1, 2, 3].
""",
    "rlinf-no-accelerator": """
RuntimeError: Platform 'huawei' registered but not available on node 0
""",
    "rlinf-device-list": """
@rlinf/scheduler/hardware/accelerators/ascend_npu.py:86 get_visible_devices: f"Invalid visible device IDs: {visible_devices}. "
ValueError: Invalid visible device IDs: NPU0,NPU1. Please ensure that the IDs are integers.
""",
    "rlinf-ray-first": """
@rlinf/scheduler/cluster/cluster.py:280 _init_and_launch_managers: raise RuntimeError(
RuntimeError: You have initialized Ray before creating the Cluster instance. Please create the Cluster first.
""",
    "rlinf-waits-for-nodes": """
[WARNING 12:00:31 RLinf] Waiting for 4 nodes to be ready, currently 3 nodes available.
""",
    "rlinf-waits-for-rank": """
[WARNING 12:00:35 ActorGroup-Rank-1][worker.py:1441] Waiting for rank 0 of group ActorGroup to be up for 60 seconds
""",
    "rlinf-extension-module": """
[WARNING 12:00:20 RLinf] Failed to import extension module 'vlac_worker': No module named vlac_worker
""",
    # --- data
    "data-norm-stats": """
@openpi/training/data_loader.py:180 transform_dataset: raise ValueError(
ValueError: Normalization stats not found. Make sure to run `scripts/compute_norm_stats.py --config-name=<your-config>`.
""",
    "data-norm-stats-skipped": """
[INFO] Norm stats not found in /data/libero10/physical-intelligence/libero, skipping.
""",
    "data-format": """
@lerobot/datasets/lerobot_dataset.py:100 load_metadata: check_version_compatibility(self.repo_id, self._version, CODEBASE_VERSION)
lerobot.datasets.backward_compatibility.BackwardCompatibilityError:
The dataset you requested (/data/libero10) is in 2.1 format.

We introduced a new format since v3.0 which is not backward compatible with v2.1.
""",
    "data-format-old-reader": """
@lerobot/common/datasets/utils.py:228 load_jsonlines: with jsonlines.open(fpath, "r") as reader:
FileNotFoundError: [Errno 2] No such file or directory: '/data/libero10/meta/episodes.jsonl'
""",
    "data-missing": """
@lerobot/common/datasets/utils.py:207 load_info: info = load_json(local_dir / INFO_PATH)
FileNotFoundError: [Errno 2] No such file or directory: '/data/libero01/meta/info.json'
""",
    "data-datasets-version": """
@lerobot/common/datasets/lerobot_dataset.py:511 _load_hf_dataset: timestamps = torch.stack(self.hf_dataset["timestamp"]).numpy()
TypeError: stack(): argument 'tensors' (position 1) must be tuple of Tensors, not Column
""",
    "data-timestamps": """
KeyError: Caught AssertionError in DataLoader worker process 1.
Original Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/lerobot/common/datasets/video_utils.py", line 241, in decode_video_frames_torchvision
    assert is_within_tol.all(), (
AssertionError: One or several query timestamps unexpectedly violate the tolerance (tensor([0.0333]) > tolerance_s=0.0001).It means that the closest frame is too far away.
""",
    "data-parquet": """
@pyarrow/parquet/core.py:1480 __init__: [fragment], schema=schema or fragment.physical_schema,
pyarrow.lib.ArrowInvalid: Could not open Parquet input source 'episode_000012.parquet': Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file.
""",
    "data-hub-name": """
@huggingface_hub/utils/_validators.py:154 validate_repo_id: raise HFValidationError(
huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/data/libero_1O'. Use `repo_type` argument if needed.
""",
    "data-hub-unreachable": """
@huggingface_hub/utils/_http.py:107 send: raise OfflineModeIsEnabled(
huggingface_hub.errors.OfflineModeIsEnabled: Cannot reach https://huggingface.co/api/datasets/physical-intelligence/libero/revision/main: offline mode is enabled. To disable it, please unset the `HF_HUB_OFFLINE` environment variable.

The above exception was the direct cause of the following exception:

@huggingface_hub/_snapshot_download.py:236 snapshot_download: raise LocalEntryNotFoundError(
huggingface_hub.errors.LocalEntryNotFoundError: Cannot find an appropriate cached snapshot folder for the specified revision on the local disk and outgoing traffic has been disabled.
""",
    "data-tokenizer": """
@openpi/shared/download.py:109 _download_fsspec: fs, _ = fsspec.core.url_to_fs(url, **kwargs)
@gcsfs/retry.py:126 validate_response: raise HttpError(error)
gcsfs.retry.HttpError: Anonymous caller does not have storage.objects.get access to the Google Cloud Storage object. Permission denied on resource (or it may not exist)., 401
""",
    "data-tokenizer-download": """
[INFO 12:01:07 ActorGroup-Rank-0][download.py:77] Downloading gs://big_vision/paligemma_tokenizer.model to /root/.cache/openpi/big_vision/paligemma_tokenizer.model
""",
    "data-openpi-cache": """
@openpi/shared/download.py:146 _ensure_permissions: path.chmod(0o777)
PermissionError: [Errno 1] Operation not permitted: '/home/other/.cache/openpi'
""",
    "data-prompt": """
@openpi/transforms.py:257 __call__: raise ValueError("Prompt is required")
ValueError: Prompt is required
""",
    "data-feature-key": """
@torch/utils/data/dataloader.py:1567 _process_data: data.reraise()
KeyError: Caught KeyError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 374, in _worker_loop
    data = fetcher.fetch(index)  # type: ignore[possibly-undefined]
  File "/opt/venv/lib/python3.11/site-packages/openpi/transforms.py", line 98, in __call__
    return jax.tree.map(lambda k: flat_item[k], self.structure)
KeyError: 'observation.images.wrist'
""",
    "data-too-few-frames": """
@openpi/training/data_loader.py:411 __init__: raise ValueError(
ValueError: Local batch size (32) is larger than the dataset size (20).
""",
    "data-video-decoder": """
@torchcodec/_core/ops.py:57 load_torchcodec_shared_libraries: raise RuntimeError(
RuntimeError: Could not load libtorchcodec. Likely causes: 1. FFmpeg is not properly installed in your environment.
""",
    # --- weights and models
    "weights-openpi-config": """
@rlinf/models/embodiment/openpi/dataconfig/__init__.py:402 get_openpi_config: raise ValueError(f"Config '{config_name}' not found.{closest_str}")
ValueError: Config 'pi05_liberoo' not found. Did you mean 'pi05_libero'?
""",
    "weights-openpi-loader": """
@rlinf/data/datasets/openpi_rlinf/__init__.py:60 build_dataloader: raise ValueError(
ValueError: No openpi_rlinf SFT dataloader registered matching config_name='pi05_libero'. Known: behavior, dualfranka, robotwin
""",
    "weights-transformers-replace": """
@openpi/models_pytorch/pi0_pytorch.py:117 __init__: raise ValueError(msg) from None
ValueError: transformers_replace is not installed correctly. Please install it with `uv pip install transformers==4.53.2` and `cp -r ./src/openpi/models_pytorch/transformers_replace/* .venv/lib/python3.11/site-packages/transformers/`.
""",
    "weights-transformers-version": """
@openpi/models_pytorch/gemma_pytorch.py:71 forward: prefix_output = self.paligemma.language_model.forward(
@transformers/utils/generic.py:1064 wrapper: outputs = func(self, *args, **kwargs)
TypeError: GemmaModel.forward() got an unexpected keyword argument 'adarms_cond'
""",
    "weights-missing": """
@rlinf/models/embodiment/openpi/__init__.py:155 get_model: model_state_dict = safetensors.torch.load_file(weight_path, device="cpu")
@safetensors/torch.py:359 load_file: with safe_open(filename, framework="pt", device=device) as f:
FileNotFoundError: No such file or directory: /data/pi05_base/model.safetensors
""",
    "weights-torn": """
@safetensors/torch.py:359 load_file: with safe_open(filename, framework="pt", device=device, backend=backend) as f:
safetensors._safetensors_rust.SafetensorError: Error while deserializing header: header too large
""",
    "weights-archive-torn": """
@torch/serialization.py:1525 load: with _open_zipfile_reader(opened_file) as opened_zipfile:
RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory
""",
    "weights-shape": """
@torch/nn/modules/module.py:2638 load_state_dict: raise RuntimeError(
RuntimeError: Error(s) in loading state_dict for PI0Pytorch:
	size mismatch for action_in_proj.weight: copying a param with shape torch.Size([1024, 32]) from checkpoint, the shape in current model is torch.Size([1024, 7]).
""",
    "weights-orbax": """
@orbax/checkpoint/_src/serialization/type_handlers.py:36 <module>: from jax.experimental.layout import DeviceLocalLayout
ImportError: cannot import name 'DeviceLocalLayout' from 'jax.experimental.layout'
""",
    "weights-partly-frozen": """
@torch/distributed/fsdp/_flat_param.py:763 _validate_tensors_to_flatten: raise ValueError(
ValueError: Must flatten tensors with uniform requires_grad when use_orig_params=False
""",
    "weights-gradient-checkpointing": """
@rlinf/hybrid_engines/fsdp/fsdp_model_manager.py:276 setup_model: module.gradient_checkpointing_enable(use_reentrant=False)
TypeError: PI0Pytorch.gradient_checkpointing_enable() got an unexpected keyword argument 'use_reentrant'
""",
    # --- Ray
    "ray-host-memory": """
1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 7d72, IP: 10.0.0.7) over the last time period.
""",
    "kernel-host-memory": """
[3928411.102211] Out of memory: Killed process 25083 (ray::ActorGroup) total-vm:214748364kB, anon-rss:98566144kB, file-rss:0kB
""",
    "ray-worker-registration": """
[2026-08-01 12:10:01,552 E 881 881] (raylet) worker_pool.cc:586: Some workers of the worker process(1190) have not registered within the timeout. The process is dead, probably it crashed during start.
""",
    "ray-environment-too-large": """
@subprocess.py:1955 _execute_child: raise child_exception_type(errno_num, err_msg, err_filename)
OSError: [Errno 7] Argument list too long: '/opt/venv/bin/python'
""",
    "ray-socket-path": """
@ray/_private/node.py:1093 _prepare_socket_file: raise OSError(
OSError: AF_UNIX path length cannot exceed 107 bytes: '/results/pi05-libero10-sft/17/scratch/ray/session_2026-08-01_12-00-00_000000_1/sockets/plasma_store'
""",
    "ray-folder-permission": """
@ray/_private/utils.py:1220 try_to_create_directory: os.makedirs(directory_path, exist_ok=True)
PermissionError: [Errno 13] Permission denied: '/tmp/ray/session_2026-08-01_12-00-00_000000_1'
""",
    "ray-version": """
@ray/_private/utils.py:1445 check_version_info: raise RuntimeError(error_message)
RuntimeError: Version mismatch: The cluster was started with:
    Ray: 2.47.0
    Python: 3.10.14
""",
    "ray-no-connection": """
@ray/_private/node.py:322 __init__: raise ConnectionError(
ConnectionError: Could not find any running Ray instance. Please specify the one to connect to by setting `--address` flag or `RAY_ADDRESS` environment variable.
""",
    "ray-unschedulable": """
(autoscaler +35s) Warning: The following resource request cannot be scheduled right now: {'CPU': 1.0, 'NPU': 8.0}.
""",
    "ray-terminated": """
[ERROR 12:30:00 ActorGroup-Rank-1][worker.py:1533] Received signal 15 (Terminated) in worker ActorGroup:1, traceback is below:
  File "/opt/venv/lib/python3.11/site-packages/ray/_private/worker.py", line 1069, in main_loop
""",
    "ray-worker-lost": """
A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. Lease ID: 0100 Worker ID: d272 Node ID: d722 Worker IP address: 10.0.0.7 Worker port: 10007 Worker PID: 25081 Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file. Some common causes include: (1) the process was killed by the OOM killer due to high memory usage, (2) ray stop --force was called, or (3) the worker crashed unexpectedly due to SIGSEGV or another unexpected error.
""",
    "ray-driver-told": """
Exiting main process due to a failure upon worker execution.
""",
    # --- machine and environment
    "machine-shared-memory": """
@torch/utils/data/_utils/signal_handling.py:73 handler: _error_if_any_worker_fails()
RuntimeError: DataLoader worker (pid 4179) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.

The above exception was the direct cause of the following exception:

@torch/utils/data/dataloader.py:1304 _try_get_data: raise RuntimeError(
RuntimeError: DataLoader worker (pid(s) 4179) exited unexpectedly
""",
    "machine-cache-disk": """
@datasets/arrow_writer.py:721 write_table: self.pa_writer.write_table(pa_table, writer_batch_size)
OSError: [Errno 28] No space left on device: '/root/.cache/huggingface/datasets/parquet/default-1f2e/0.0.0/train.arrow'
""",
    "machine-disk-full": """
@torch/serialization.py:1312 _save: zip_file.write_record(name, storage, num_bytes)
RuntimeError: [enforce fail at inline_container.cc:783] . PytorchStreamWriter failed writing file data/811: file write failed

During handling of the above exception, another exception occurred:

@torch/serialization.py:834 __exit__: self.file_like.write_end_of_file()
RuntimeError: [enforce fail at inline_container.cc:672] . unexpected pos 704 vs 598
""",
    "machine-open-files": """
@torch/utils/data/dataloader.py:1326 _try_get_data: raise RuntimeError(
RuntimeError: Too many open files. Communication with the workers is no longer possible. Please increase the limit using `ulimit -n` in the shell
""",
    "machine-host-memory": """
@rlinf/models/embodiment/openpi/__init__.py:140 get_model: model = OpenPi0ForRLActionPrediction(actor_model_config)
RuntimeError: [enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 4194304000 bytes. Error code 12 (Cannot allocate memory)
""",
    "machine-port-in-use": """
@torch/distributed/rendezvous.py:190 _create_c10d_store: return TCPStore(
torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use
""",
    "machine-jax-platform": """
@openpi/training/data_loader.py:372 __init__: if jax.process_count() > 1:
@jax/_src/xla_bridge.py:900 backends: raise RuntimeError(err_msg)
RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices. (set JAX_PLATFORMS='' to automatically choose an available backend)
""",
    "machine-static-tls": """
@cv2/__init__.py:181 bootstrap: native_module = importlib.import_module("cv2")
ImportError: /opt/venv/lib/python3.11/site-packages/scikit_learn.libs/libgomp-947d5fa1.so.1.0.0: cannot allocate memory in static TLS block
""",
    "machine-lerobot-moved": """
@openpi/training/data_loader.py:10 <module>: import lerobot.common.datasets.lerobot_dataset as lerobot_dataset
ModuleNotFoundError: No module named 'lerobot.common'
""",
    "machine-module-missing": """
@rlinf/models/embodiment/openpi/__init__.py:24 get_model: import openpi.shared.download as download
ModuleNotFoundError: No module named 'openpi'
""",
    "machine-wandb-login": """
@wandb/sdk/wandb_login.py:258 prompt_api_key: raise UsageError("api_key not configured (no-tty). call " + directive)
wandb.errors.errors.UsageError: api_key not configured (no-tty). call wandb.login(key=[your_api_key])
""",
    "machine-rendering": """
@OpenGL/platform/egl.py:70 EGL: self.EGL.eglQueryString
AttributeError: 'NoneType' object has no attribute 'eglQueryString'
""",
    "machine-crash": """
*** SIGSEGV received at time=1796177177 on cpu 1 ***
PC: @     0x7ff9ebf85ad8  (unknown)  (unknown)
Fatal Python error: Segmentation fault

Stack (most recent call first):
  File "/opt/venv/lib/python3.11/site-packages/av/container/input.pyx", line 182 in decode
  File "/opt/venv/lib/python3.11/site-packages/lerobot/common/datasets/video_utils.py", line 90 in decode_video_frames

Extension modules: msgpack._cmsgpack, torch._C (total: 71)
""",
    "machine-data-worker": """
@torch/utils/data/_utils/signal_handling.py:73 handler: _error_if_any_worker_fails()
RuntimeError: DataLoader worker (pid 4165) is killed by signal: Killed.
""",
    "machine-peer-closed": """
@rlinf/workers/sft/fsdp_sft_worker.py:170 run_training: append_to_dict(metrics, all_reduce_dict(step_metrics))
RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:537] Read error [127.0.0.1]:9131: Connection reset by peer. This is typically caused by a remote worker hanging or bugs in the application.
""",
    "machine-rank-missing": """
@torch/distributed/rendezvous.py:190 _create_c10d_store: return TCPStore(
torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 7/8 clients joined.
""",
    "machine-torch-build": """
@torch/xpu/__init__.py:121 _lazy_init: raise AssertionError("Torch not compiled with XPU enabled")
AssertionError: Torch not compiled with XPU enabled
""",
}
