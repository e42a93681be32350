import json
import pickle
import zipfile

import pytest

from tests.unit.doctor import makers
from vlac.doctor.safetensors import WeightsError, missing_shards, read_header
from vlac.doctor.subject import Subject
from vlac.doctor.torch_file import names
from vlac.doctor.weights import weights
from vlac.models.openpi_weights import MARKS, TIED, UNUSED, expected_keys

PI0, PI05 = expected_keys("pi0"), expected_keys("pi05")


def examined(folder, family="pi05", **changes):
    model = f"{{family: {family}, weights: ./weights}}"
    data = f"{{path: ./data, config: {family}_libero}}"
    return list(weights(Subject(makers.launch(folder, **{"model": model, "data": data, **changes}))))


def wrong(findings):
    return [(finding.code, finding.state) for finding in findings if finding.state in ("fail", "warning")]


def save(folder, keys, name="model.safetensors", **options):
    return makers.safetensors(folder / "weights" / name, keys, **options)


def torch_save(file, keys):
    """As torch.save writes a state dict: a zip with a pickle of its keys."""
    file.parent.mkdir(parents=True)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("full_weights/data.pkl", pickle.dumps(dict.fromkeys(keys, 0), protocol=2))
        archive.writestr("full_weights/data/0", b"\0" * 8)


def test_whole_weights_are_described_from_their_header(run_folder):
    save(run_folder, PI05 | set(UNUSED))
    first, second = examined(run_folder)
    assert first.what == "model.safetensors: 812 tensors, 0.00 billion parameters (100% BF16)"
    assert second.what == "all 811 parameters of pi05 are there"


def test_shards_are_taken_together(run_folder):
    keys = sorted(PI05)
    save(run_folder, keys[:400], "model-00001-of-00002.safetensors")
    save(run_folder, keys[400:], "model-00002-of-00002.safetensors", dtype="F32")
    (run_folder / "weights/model.safetensors").unlink()
    found = examined(run_folder)
    assert not wrong(found)
    assert "F32), " not in found[0].what and "% F32" in found[0].what


def test_a_shard_that_the_index_names_is_missing(run_folder):
    index = run_folder / "weights/model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}))
    assert missing_shards(index) == ["model-2.safetensors"]
    assert wrong(examined(run_folder)) == [("doctor-weights-broken", "fail")]


@pytest.mark.parametrize("kept", TIED)
def test_a_tied_pair_counts_once(run_folder, kept):
    save(run_folder, (PI05 - set(TIED)) | {kept})
    assert not wrong(examined(run_folder))


def test_the_other_family(run_folder):
    save(run_folder, PI0)
    found = examined(run_folder)
    assert wrong(found)[0] == ("doctor-weights-family", "fail")
    assert "model.family: pi0" in found[1].fix
    assert not wrong(examined(run_folder, "pi0"))


def test_a_prefix_too_much_is_named(run_folder):
    save(run_folder, {f"model.{key}" for key in PI05})
    found = examined(run_folder)
    assert wrong(found) == [("doctor-weights-keys", "fail")]
    assert found[1].what.startswith("0.0% of the 811 parameters of pi05 are in the files")
    assert found[1].fix == "the keys have the prefix `model.` too much: strip it from each"


@pytest.mark.parametrize(("lost", "state"), [(8, "warning"), (9, "fail")])
def test_under_99_percent_fails(run_folder, lost, state):
    """8 of 811 are 0.99 %, 9 are 1.11 %."""
    save(run_folder, set(sorted(PI05)[lost:]))
    assert wrong(examined(run_folder)) == [("doctor-weights-keys", state)]


def empty_weights(folder):
    (folder / "weights/model.safetensors").unlink()


def jax(folder):
    empty_weights(folder)
    (folder / "weights/params").mkdir()
    (folder / "weights/params/_METADATA").write_text('{"tree_metadata": {}}')


def jax_lora(folder):
    jax(folder)
    (folder / "weights/params/_METADATA").write_text("{\"tree_metadata\": {\"('PaliGemma', 'lora_a')\": {}}}")


def lerobot(folder):
    (folder / "weights/policy_preprocessor.json").write_text("{}")


def lerobot_by_config(folder):
    (folder / "weights/config.json").write_text('{"type": "pi05", "input_features": {}}')


def lora(folder):
    (folder / "weights/adapter_config.json").write_text("{}")


def shards(folder):
    empty_weights(folder)
    (folder / "weights/actor/dcp_checkpoint").mkdir(parents=True)
    (folder / "weights/actor/dcp_checkpoint/.metadata").write_text("x")


LAYOUTS = {
    "jax": (jax, "is a JAX checkpoint", "examples/convert_jax_model_to_pytorch.py --checkpoint_dir"),
    "jax with LoRA": (jax_lora, "is a JAX checkpoint", "merge its LoRA leaves first"),
    "lerobot": (lerobot, "is an export of LeRobot", "openpi PyTorch checkpoint"),
    "lerobot by its config": (lerobot_by_config, "is an export of LeRobot", "openpi PyTorch checkpoint"),
    "lora": (lora, "holds a LoRA adapter", "merge it into its base"),
    "shards": (shards, "is a checkpoint in shards", "actor/model_state_dict/full_weights.pt"),
    "nothing": (empty_weights, "holds no weights", "download"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_that_rlinf_does_not_start_from(run_folder, name):
    make, words, cure = LAYOUTS[name]
    make(run_folder)
    found = examined(run_folder)
    assert wrong(found) == [("doctor-weights-layout", "fail")]
    [told] = [finding for finding in found if finding.state == "fail"]
    assert words in told.what
    assert cure in told.fix


@pytest.mark.parametrize("inside", ["", "actor/"])
def test_a_checkpoint_of_rlinf_by_the_names_in_its_pickle(run_folder, inside):
    torch_save(run_folder / f"weights/{inside}model_state_dict/full_weights.pt", PI05)
    found = examined(run_folder)
    assert not wrong(found)
    assert found[0].what == f"RLinf checkpoint {inside}model_state_dict/full_weights.pt"


def test_a_checkpoint_of_rlinf_with_other_names(run_folder):
    torch_save(run_folder / "weights/model_state_dict/full_weights.pt", {f"_fsdp.{key}" for key in PI05})
    assert wrong(examined(run_folder)) == [("doctor-weights-keys", "fail")]


def test_nothing_of_a_pickle_is_executed(tmp_path):
    class Evil:
        def __reduce__(self):
            return (exec, ("raise SystemExit",))

    file = tmp_path / "full_weights.pt"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("full_weights/data.pkl", pickle.dumps({"key": Evil()}))
    assert "key" in names(file)


BROKEN = {
    "empty": (b"", "is empty"),
    "pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "is a Git LFS pointer"),
    "a page": (b"<html>not found</html>", "is no safetensors file"),
    "no JSON": (b"\x02\0\0\0\0\0\0\0{,", "its header is no JSON"),
    "a list": (b"\x02\0\0\0\0\0\0\0[]", "its header is no mapping"),
    "no description": (b'\x0a\0\0\0\0\0\0\0{"a": {}}  ', "is not described"),
    "short": (b"\x05", "is no safetensors file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_are_none(run_folder, name):
    content, words = BROKEN[name]
    file = run_folder / "weights/model.safetensors"
    file.write_bytes(content)
    with pytest.raises(WeightsError, match=words):
        read_header(file)
    assert wrong(examined(run_folder)) == [("doctor-weights-broken", "fail")]


def test_tensors_that_are_cut_off(run_folder):
    file = run_folder / "weights/model.safetensors"
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(WeightsError, match="10 bytes of tensors are missing"):
        read_header(file)


def test_what_is_not_here(run_folder):
    [finding] = examined(run_folder, model='{family: pi05, weights: "${oc.env:NOWHERE}/pi05_base"}')
    assert finding.state == "not checked"
    assert finding.what.startswith("NOWHERE is not set")
    [finding] = examined(run_folder, model="{family: pi05, weights: /nowhere}")
    assert (finding.state, finding.code) == ("fail", "doctor-weights-missing")


def test_the_families_can_be_told_apart():
    for family, marks in MARKS.items():
        assert set(marks) <= expected_keys(family)
        assert not set(marks) & expected_keys({"pi0": "pi05", "pi05": "pi0"}[family])
