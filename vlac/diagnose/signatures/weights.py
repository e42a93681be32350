"""What openpi, transformers, safetensors and FSDP say about models and weights."""

from __future__ import annotations

from vlac.adapters import Signature

SIGNATURES: tuple[Signature, ...] = (
    Signature(
        "weights-openpi-config",
        ("Config '...' not found",),
        "cause",
        "RLinf has no openpi data config of this name; its list differs from openpi's own.",
        "Take one of the names that `vlac compile` accepts for data.config.",
        "RLinf v0.3 rlinf/models/embodiment/openpi/dataconfig/__init__.py",
    ),
    Signature(
        "weights-openpi-loader",
        ("No openpi_rlinf SFT dataloader registered",),
        "cause",
        "The model type openpi_rlinf has no data loader for this data config.",
        "Use the model type openpi.",
        "RLinf main rlinf/data/datasets/openpi_rlinf/__init__.py",
    ),
    Signature(
        "weights-transformers-replace",
        ("transformers_replace is not installed",),
        "cause",
        "openpi's changed files are not in the transformers of the interpreter that trains.",
        "Copy src/openpi/models_pytorch/transformers_replace/* over site-packages/transformers of that interpreter, "
        "again after each change of transformers.",
        "openpi #698, #724, #745",
    ),
    Signature(
        "weights-transformers-version",
        ("got an unexpected keyword argument", "cannot import name '...' from 'transformers"),
        "cause",
        "The transformers in this interpreter is not the version that the model code was written for.",
        "pip install transformers==4.53.2 (openpi), then copy transformers_replace again.",
        "lerobot #1406, #2707; RLinf #367",
        near="transformers",
    ),
    Signature(
        "weights-missing",
        ("No such file or directory...safetensors", "FileNotFoundError...safetensors"),
        "cause",
        "There are no PyTorch weights at model.weights; a folder with params/ holds a JAX checkpoint.",
        "Correct model.weights, or convert: examples/convert_jax_model_to_pytorch.py of openpi.",
        "openpi #729, #985; RLinf rlinf/models/embodiment/openpi",
    ),
    Signature(
        "weights-torn",
        ("Error while deserializing header", "incomplete metadata, file not fully covered"),
        "cause",
        "A safetensors file is cut off, empty, or the pointer text that git-lfs leaves.",
        "Fetch the weights again (git lfs pull; huggingface-cli download) and compare the sizes.",
        "safetensors src/tensor.rs (SafeTensorError)",
    ),
    Signature(
        "weights-archive-torn",
        ("PytorchStreamReader failed", "invalid load key", "Ran out of input"),
        "cause",
        "A file of torch.load is cut off or is no such file.",
        "Use an older, complete checkpoint; look for a full disk when it was written.",
        "torch caffe2/serialize/inline_container.cc; Python pickle",
        near="torch",
    ),
    Signature(
        "weights-shape",
        ("Error(s) in loading state_dict", "size mismatch for"),
        "cause",
        "The weights belong to another architecture: pi0 instead of pi0.5, another action dimension, a LoRA, a prefix "
        "in front of the names.",
        "Compare model.family and data.config with what the weights were trained as.",
        "torch nn/modules/module.py (load_state_dict); openpi #729, #651",
    ),
    Signature(
        "weights-orbax",
        ("DeviceLocalLayout", "cannot import name...orbax"),
        "cause",
        "jax and orbax do not fit each other; converting needs the pinned pair.",
        "pip install jax==0.5.3 orbax-checkpoint==0.11.13 in the environment that converts.",
        "google/orbax #2521; RLinf requirements",
    ),
    Signature(
        "weights-partly-frozen",
        ("Must flatten tensors with uniform requires_grad", "'weight' must be 2-D"),
        "cause",
        "FSDP1 flattens trained and frozen parameters together, which it cannot.",
        "Set use_orig_params: True, or use fsdp.version: 2.",
        "torch distributed/fsdp/_flat_param.py; PyTorch #124019; RLinf #633",
    ),
    Signature(
        "weights-gradient-checkpointing",
        ("gradient_checkpointing_enable() got an unexpected",),
        "cause",
        "openpi's model cannot switch gradient checkpointing on this way.",
        "Leave it off (RLinf's openpi template says so); lower train.micro_batch for memory.",
        "RLinf PR #843; openpi pi0_pytorch.py",
    ),
)
"""In order: where two fit a line, the first is it."""
