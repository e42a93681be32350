"""The weights: layout, header, family, and the share of the model's parameters that the files hold.

RLinf loads with `strict=False` and says nothing: parameters that no key matches keep their random start.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vlac.doctor import torch_file
from vlac.doctor.finding import fail, ok, some, unchecked, warning
from vlac.doctor.layouts import METADATA, Layout, layout_of
from vlac.doctor.safetensors import WeightsError, missing_shards, read_headers
from vlac.models.openpi_weights import MARKS, TIED, expected_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Set
    from pathlib import Path

    from vlac.doctor.finding import Finding
    from vlac.doctor.safetensors import Tensor
    from vlac.doctor.subject import Subject

LEAST_SHARE = 0.99
# openpi's own configs of these names differ from RLinf's in nothing that shapes a parameter.
_CONVERT_JAX = (
    "python examples/convert_jax_model_to_pytorch.py --checkpoint_dir {folder} --config_name {family}_libero "
    "--output_path {folder}_pytorch"
)


def weights(subject: Subject) -> Iterator[Finding]:
    """Everything about the weights of a run."""
    place = subject.weights
    if place is None and not subject.plan.family.needs_weights and subject.plan.base is None:
        return
    if place is None:
        yield unchecked("weights", "the run starts from no weights")
    elif place.path is None:
        yield unchecked("weights", place.why)
    elif not place.path.is_dir():
        fix = "download them, or correct model.weights; RLinf takes the folder"
        yield fail("weights", "doctor-weights-missing", f"there is no folder {place.path}", fix)
    else:
        yield from _folder(subject, place.path)


def _folder(subject: Subject, folder: Path) -> Iterator[Finding]:
    layout = layout_of(folder)
    try:
        yield from _shards(folder)
        if subject.is_openpi:
            yield from _openpi(subject, folder, layout)
        elif layout.files and layout.kind != "rlinf":
            yield ok("weights", _described(read_headers(layout.files)))
        else:
            yield unchecked("weights", "vlac knows the layouts of pi0 and pi0.5 only")
    except WeightsError as problem:
        fix = "download it again (git lfs pull in a clone)"
        yield fail("weights", "doctor-weights-broken", str(problem), fix)


def _shards(folder: Path) -> Iterator[Finding]:
    index = folder / "model.safetensors.index.json"
    absent = missing_shards(index) if index.is_file() else []
    if absent:
        message = f"{index.name} names files that are not there: {some(absent)}"
        yield fail("weights", "doctor-weights-broken", message, "download the missing files")


def _openpi(subject: Subject, folder: Path, layout: Layout) -> Iterator[Finding]:
    refused = _refused(subject, folder).get(layout.kind)
    if refused:
        yield fail("weights", "doctor-weights-layout", *refused)
        if layout.kind != "lerobot":
            return
    if layout.kind == "rlinf":
        keys: Set[str] = torch_file.names(layout.files[0])
        yield ok("weights", f"RLinf checkpoint {layout.files[0].relative_to(folder)}")
    else:
        tensors = read_headers(layout.files)
        keys = tensors.keys()
        yield ok("weights", f"{layout.files[0].name}: {_described(tensors)}")
    yield from _keys(subject.plan.family.name, keys)


def _refused(subject: Subject, folder: Path) -> dict[str, tuple[str, str]]:
    """Layouts that RLinf cannot start from, each with why and what to do."""
    return {
        "jax": (f"{folder} is a JAX checkpoint; RLinf looks for *.safetensors", _jax_cure(subject, folder)),
        "lerobot": (
            f"{folder} is an export of LeRobot: other key names, no norm_stats.json",
            "take the openpi PyTorch checkpoint, or strip the prefix `model.` of its keys and run vlac norm-stats",
        ),
        "lora": (
            f"{folder} holds a LoRA adapter, not a model",
            "merge it into its base: peft's PeftModel.from_pretrained(...).merge_and_unload()",
        ),
        "shards": (
            f"{folder} is a checkpoint in shards; RLinf starts a run from full_weights.pt",
            _merge(folder),
        ),
        "nothing": (
            f"{folder} holds no weights: no *.safetensors, no model_state_dict/full_weights.pt",
            "download the PyTorch checkpoint into it",
        ),
    }


def _merge(folder: Path) -> str:
    """RLinf's own script; the run could have written the file with `checkpoints.full_weights: true`."""
    actor = folder / "actor" if (folder / "actor").is_dir() else folder
    script = "python rlinf/utils/ckpt_convertor/fsdp_convertor/convert_dcp_to_pt.py"
    paths = f"--dcp_path {actor}/dcp_checkpoint --output_path {actor}/model_state_dict/full_weights.pt"
    return f"in the RLinf checkout: {script} {paths}"


def _jax_cure(subject: Subject, folder: Path) -> str:
    """The converter drops the leaves of LoRA without a word (openpi issues 958 and 960)."""
    command = _CONVERT_JAX.format(folder=folder, family=subject.plan.family.name)
    metadata = next((folder / name for name in METADATA if (folder / name).is_file()), None)
    if metadata and b"lora_a" in metadata.read_bytes():
        return (
            f"merge its LoRA leaves first, which the converter drops; then in a checkout of openpi: {command}"
        )
    return f"in a checkout of openpi: {command}"


def _described(tensors: dict[str, Tensor]) -> str:
    count = sum(tensor.parameters for tensor in tensors.values())
    by_dtype: Counter[str] = Counter()
    for tensor in tensors.values():
        by_dtype[tensor.dtype] += tensor.parameters
    dtypes = ", ".join(f"{number / max(1, count):.0%} {dtype}" for dtype, number in by_dtype.most_common())
    return f"{len(tensors)} tensors, {count / 1e9:.2f} billion parameters ({dtypes})"


def _keys(family: str, keys: Set[str]) -> Iterator[Finding]:
    """Which family the keys are of, and the share of the expected ones."""
    keys = keys | {TIED[0]} if TIED[1] in keys else keys
    other = next((name for name in MARKS if name != family and set(MARKS[name]) <= set(keys)), None)
    if other:
        fix = f"write model.family: {other} and a config of it, or take weights of {family}"
        yield fail("weights", "doctor-weights-family", f"these are weights of {other}, not of {family}", fix)
    expected = expected_keys(family)
    share = len(expected & keys) / len(expected)
    if share >= LEAST_SHARE:
        yield from _nearly(family, expected, keys, share)
        return
    message = (
        f"{share:.1%} of the {len(expected)} parameters of {family} are in the files; "
        "RLinf would train the rest from random values, without a word"
    )
    yield fail("weights", "doctor-weights-keys", message, _cure(expected, keys))


def _nearly(family: str, expected: frozenset[str], keys: Set[str], share: float) -> Iterator[Finding]:
    if share == 1:
        yield ok("weights", f"all {len(expected)} parameters of {family} are there")
        return
    absent = sorted(expected - keys)
    message = f"{share:.1%} of the {len(expected)} parameters of {family} are there; not {some(absent, 3)}"
    yield warning("weights", "doctor-weights-keys", message, "they start at random: check that this is meant")


def _cure(expected: frozenset[str], keys: Set[str]) -> str:
    """The prefix that is too much, where stripping it makes the keys fit."""
    for key in keys:
        for size in range(1, key.count(".") + 1):
            start = ".".join(key.split(".")[:size]) + "."
            fitting = {name.removeprefix(start) for name in keys if name.startswith(start)} & expected
            if len(fitting) >= LEAST_SHARE * len(expected):
                return f"the keys have the prefix `{start}` too much: strip it from each"
        break
    return "take the PyTorch checkpoint of this model, or convert it again"
