"""What is known to run on Ascend, and what is known not to: by model, task, algorithm, simulator and engine.

A row permits only what somebody ran on an NPU: RLinf's CI and Ascend guide, merged changes that say so, published
runs. A row refuses only where code or documentation of the part says that it needs CUDA or a graphics card.
Everything else is unknown. Files are RLinf's, at v0.3 and at a3816b596 (main) unless a row says otherwise.
"""

from __future__ import annotations

from vlac.adapters import Variable
from vlac.workloads import Replacement, Support, Workload

_GUIDE = "docs/source-en/rst_source/guides/ascend_cann.rst"
_CI = ".github/workflows/embodied-e2e-tests.yml"
_MUSA = "docs/source-en/rst_source/guides/moore_threads_musa.rst (main)"
_FSDP = {"training": ("fsdp",), "rollout": ("huggingface",)}

_NO_COMPILE = Variable(
    "TORCHDYNAMO_DISABLE",
    "1",
    scope="driver",
    why="the model's code calls torch.compile, whatever the configuration says; Inductor generates no NPU kernels",
    source="torch 2.6, torch/_dynamo/eval_frame.py",
)

_RUNS: tuple[Support, ...] = (
    Support(
        "OpenPI, SFT",
        "works",
        Workload(models=("openpi",), task=("sft",), training=("fsdp",)),
        why="RLinf's own script was seen training pi0.5 on one 910B3 with CANN 8.3, and Ascend's recipe trains pi0 on "
        "eight cards with another trainer; RLinf's installer does not cover openpi on Ascend: install jax without CUDA "
        "beside torch-npu",
        source="RLinf + OpenPI SFT on Ascend 910B3, engineering note; cann-recipes-embodied-intelligence, "
        "manipulation/pi0/train; requirements/embodied/models/openpi.txt",
    ),
    Support(
        "OpenPI, RL on LIBERO",
        "warning",
        Workload(models=("openpi",), task=("rl",), algorithm=("ppo", "grpo"), simulator=("libero",), **_FSDP),
        why="RLinf merged NPU support for exactly this and calls it enabled, but neither its CI nor its Ascend guide "
        "runs it, and the installer does not cover openpi on Ascend; with CANN 8.3 others had to change openpi's "
        "int64 cumsum and float64 embedding",
        source="RLinf PR #742 (merged 2026-03-03); cann-recipes-embodied-intelligence, manipulation/pi0/train",
    ),
    Support(
        "GR00T N1.5, RL on LIBERO",
        "works",
        Workload(models=("gr00t",), task=("rl",), algorithm=("ppo",), simulator=("libero",), **_FSDP),
        why="in RLinf's Ascend guide and CI: flash-attn is skipped, the model takes NPU kernels by itself",
        source=f"{_GUIDE} (main); {_CI}, embodied-gr00t-libero-ascend-test (main); RLinf PR #1357",
        versions=("main",),
    ),
    Support(
        "OpenVLA-OFT, RL on LIBERO",
        "warning",
        Workload(
            models=("openvla_oft",), task=("rl",), algorithm=("ppo", "grpo"), simulator=("libero",), **_FSDP
        ),
        why="in RLinf's Ascend guide and CI, so it runs; but the fused attention of NPUs differs from that of GPUs so "
        "much that others saw a success rate of zero at the start until they computed attention in plain steps, "
        "and no key of RLinf selects that: compare the first evaluation with one on a GPU",
        source=f"{_GUIDE}; {_CI}, embodied-openvlaoft-libero-ascend-test; RLinf PR #1234 (closed), "
        "PR #1582 (merged 2026-09, says that it is still so)",
    ),
    Support(
        "OpenVLA, RL on LIBERO",
        "warning",
        Workload(
            models=("openvla",), task=("rl",), algorithm=("ppo", "grpo"), simulator=("libero",), **_FSDP
        ),
        why="RLinf's Ascend image is built with it, but neither CI nor guide runs it",
        source="docker/Dockerfile, embodied-libero-image (main)",
        versions=("main",),
    ),
    Support(
        "OpenVLA-OFT, RL in the Wan world model",
        "warning",
        Workload(
            models=("openvla_oft",), task=("rl",), algorithm=("ppo", "grpo"), simulator=("wan_wm",), **_FSDP
        ),
        why="it runs, but others measured the world model more than five times slower than with the NPU operators "
        "that came after this version, and a success rate of zero at the start (see OpenVLA-OFT on LIBERO)",
        source="RLinf PR #1234 (closed); PR #1582 (merged 2026-09-18, after a3816b596)",
        versions=("0.3", "a4b6abe20", "main"),
    ),
)

_REFUSED: tuple[Support, ...] = (
    Support(
        "GR00T N1.5 before its NPU patches",
        "refused",
        Workload(models=("gr00t",)),
        why="GR00T N1.5 imports flash-attn, which is CUDA only; the patches that let it load on NPUs came later",
        source="RLinf issue #1277; rlinf/models/embodiment/gr00t/gr00t_n1d5/npu_patches.py (main; not in 0.3)",
        instead="take RLinf main (a3816b596)",
        versions=("0.3", "a4b6abe20"),
    ),
    Support(
        "Megatron",
        "refused",
        Workload(training=("megatron",)),
        why="RLinf's Megatron engine builds on apex and Transformer Engine, which are CUDA only, calls .cuda() itself, "
        "and imports no MindSpeed",
        source="requirements/install.sh, install_apex and install_agentic; requirements/agentic/megatron.txt; "
        "rlinf/workers/actor/megatron_actor_worker.py",
        instead="take a config whose actor trains with FSDP",
    ),
    Support(
        "SGLang and vLLM rollout",
        "refused",
        Workload(rollout=("sglang", "vllm")),
        why="RLinf installs CUDA builds of both, its SGLang scheduler asks for CUDA graphs, and the actor hands "
        "weights over as CUDA memory handles; Ascend support for them is proposed, not merged",
        source="requirements/agentic/sglang_*_cu12.txt (main); rlinf/hybrid_engines/sglang/common/sgl_scheduler.py; "
        "rlinf/workers/actor/fsdp_actor_worker.py, reduce_tensor; RLinf PR #1591 (open, 2026-09)",
        instead="embodied runs take the huggingface rollout",
    ),
    Support(
        "ManiSkill with physics on the GPU",
        "refused",
        Workload(simulator=("maniskill", "maniskill_rlt"), physics=("gpu", "physx_cuda", "auto")),
        why="ManiSkill's parallel physics is SAPIEN's PhysX on CUDA, and its cameras need a Vulkan device; "
        "MUJOCO_GL=osmesa does not help it",
        source=f"{_MUSA}, ManiSkill: CPU physics backend; requirements/sys_deps.sh, no Vulkan driver on Ascend",
        instead="train on LIBERO, or set init_params.sim_backend: cpu for train and eval in overrides, with one "
        "environment a process: RLinf does so on another card, with a SAPIEN that is not on PyPI",
    ),
    Support(
        "ManiSkill with physics on the CPU",
        "unknown",
        Workload(simulator=("maniskill", "maniskill_rlt"), physics=("cpu", "physx_cpu")),
        why="stock SAPIEN finds no device to render on without a graphics card; RLinf runs it on another card with a "
        "vendor's SAPIEN, one environment a process, and nobody reports it on an NPU",
        source=f"{_MUSA}, ManiSkill: CPU physics backend",
    ),
    Support(
        "RoboTwin",
        "refused",
        Workload(simulator=("robotwin",)),
        why="RoboTwin renders through SAPIEN's Vulkan renderer and asks for an NVIDIA or AMD graphics card; "
        "MUJOCO_GL=osmesa does not help it",
        source="robotwin-platform.github.io, usage/robotwin-install, hardware; requirements/sys_deps.sh",
        instead="train on LIBERO, or fine-tune (SFT) on RoboTwin's data, which renders nothing",
    ),
    Support(
        "Isaac Sim (IsaacLab, BEHAVIOR, PolaRiS)",
        "refused",
        Workload(simulator=("isaaclab", "behavior", "polaris")),
        why="Isaac Sim needs an NVIDIA RTX card for physics and rendering",
        source="docs/source-en/rst_source/examples/embodied/isaaclab.rst and behavior.rst; "
        "rlinf/envs/polaris/polaris_env.py; Isaac Sim documentation, requirements",
        instead="train on LIBERO",
    ),
    Support(
        "Genesis",
        "refused",
        Workload(simulator=("genesis",)),
        why="RLinf builds the scene with Genesis's BatchRenderer, which needs its CUDA backend",
        source="rlinf/envs/genesis/genesis_env.py, _build_genesis_scene",
        instead="train on LIBERO",
    ),
)

_UNKNOWN: tuple[Support, ...] = (
    Support(
        "OpenPI as RLinf rewrote it",
        "unknown",
        Workload(models=("openpi_rlinf",)),
        why="its layers are wrapped in torch.compile, which vlac switches off by a variable; nobody reports it "
        "on an NPU",
        source="rlinf/models/embodiment/openpi_rlinf/pi0_model/gemma.py (main)",
        variables=(_NO_COMPILE,),
    ),
    Support(
        "DreamZero",
        "unknown",
        Workload(models=("dreamzero",)),
        why="its attention blocks are wrapped in torch.compile, which vlac switches off by a variable, and its VAE "
        "asks for cuda by name, which transfer_to_npu turns into the NPU; nobody reports it on an NPU",
        source="rlinf/models/embodiment/dreamzero/__init__.py and patch/wan_video_vae.py",
        variables=(_NO_COMPILE,),
    ),
    Support(
        "Vision-language models, SFT",
        "unknown",
        Workload(models=("qwen2.5_vl", "qwen3_vl", "qwen3_vl_moe"), task=("sft",)),
        why="RLinf asks for flash_attention_2 in its code, where no key reaches; transformers 4.57 takes the NPU's own "
        "kernel for that name, an older one fails; nobody reports it with RLinf on an NPU",
        source="rlinf/hybrid_engines/fsdp/fsdp_model_manager.py, model_provider_func; transformers 4.57.6, "
        "modeling_utils.py",
    ),
    Support(
        "CALVIN",
        "unknown",
        Workload(simulator=("calvin",)),
        why="it renders with PyBullet through EGL, which no variable of MuJoCo changes; whether Mesa's EGL on the CPU "
        "will do on an NPU node, nobody reports",
        source="rlinf/envs/calvin/calvin_cfg/.hydra/merged_config.yaml, use_egl",
    ),
    Support(
        "RoboVerse",
        "unknown",
        Workload(simulator=("roboverse",)),
        why="the simulator is built with device cuda by name, which transfer_to_npu turns into the NPU for tensors "
        "alone; nobody reports it on an NPU",
        source="rlinf/envs/roboverse/roboverse_env.py",
    ),
    Support(
        "Other simulators on MuJoCo",
        "unknown",
        Workload(simulator=("metaworld", "robocasa", "robocasa365", "frankasim", "d4rl")),
        why="MuJoCo can render on the CPU (MUJOCO_GL=osmesa, which vlac sets), as LIBERO does; nobody reports this one "
        "on an NPU node",
        source="MuJoCo documentation, Python bindings, rendering",
    ),
    Support(
        "Real robots",
        "unknown",
        Workload(simulator=("realworld",)),
        why="nothing is rendered, but cameras and robots hang on hosts of their own; nobody reports one with NPUs",
        source="docs/source-en/rst_source/guides/hetero.rst",
    ),
)

SUPPORT: tuple[Support, ...] = (*_RUNS, *_REFUSED, *_UNKNOWN)

_NO_INDUCTOR = "torch.compile needs triton-ascend; without it Inductor knows no device npu"
_INDUCTOR_SOURCE = "torch_npu 2.13: InductorError, Device npu not supported"
_NO_FLASH = "flash-attn is CUDA only, and RLinf's installer leaves it out on Ascend"
_FLASH_SOURCE = "requirements/install.sh, configure_ascend"

REPLACEMENTS: tuple[Replacement, ...] = (
    Replacement(
        "attention",
        ("flash_attention_2", "flash_attention_3"),
        "eager",
        f"{_NO_FLASH}; a model that reads the key computes attention in plain steps, which agree with a GPU best",
        f"{_FLASH_SOURCE}; RLinf PR #1234",
    ),
    Replacement("flash_attention", (True,), False, _NO_FLASH, _FLASH_SOURCE),
    Replacement("compile", (True,), False, _NO_INDUCTOR, _INDUCTOR_SOURCE),
    Replacement(
        "device_graphs",
        (True,),
        False,
        "RLinf captures CUDA graphs with torch.cuda.CUDAGraph and its generators, which were not tried on NPUs",
        "rlinf/utils/cuda_graph.py",
    ),
    Replacement(
        "liger_kernel",
        (True,),
        False,
        "Liger's kernels are written in Triton, which brings none to an NPU without triton-ascend",
        "Liger-Kernel README, dependencies",
    ),
    Replacement(
        "fused_layer_norm",
        (True,),
        False,
        "the fused layer norm is apex's, which is CUDA only",
        "requirements/install.sh, install_apex",
    ),
    Replacement(
        "simulator_device",
        ("cuda", "gpu"),
        "cpu",
        "the simulator has no NPU back end; its states are computed on the host",
        "rlinf/envs/embodichain/embodichain_env.py",
    ),
    Replacement(
        "reward_device",
        (True,),
        False,
        "the recogniser of text that scores the images is Paddle's, whose GPU is CUDA",
        "rlinf/envs/diffusion/rewards/visual/ocr.py (main)",
    ),
    Replacement(
        "video_decoder",
        ("torchcodec",),
        "pyav",
        "torchcodec's wheel is built for CUDA, and RLinf's installer leaves it out on Ascend",
        "requirements/install.sh, configure_ascend (main)",
    ),
    Replacement(
        "weight_compression",
        ("nvcomp_lz4",),
        "none",
        "nvcomp compresses CUDA tensors alone",
        "rlinf/hybrid_engines/weight_syncer/compressor.py",
    ),
)
