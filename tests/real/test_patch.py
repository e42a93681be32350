"""The source patches on real trees: they apply, come back, and change no number that they say they keep.

VLAC_TEST_RLINF names a folder with the checkouts (tests/real/conftest.py); openpi is looked for there too, as
`openpi-15a9616` (a checkout) and `rlinf-openpi-0.1.1` (the unpacked wheel). All are read, never changed.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.real.conftest import CHECKOUTS
from vlac.compiler import compile_spec_text
from vlac.errors import SpecError
from vlac.patching import change
from vlac.patching.places import find_root
from vlac.patching.work import Job, apply, revert, status
from vlac.rlinf.trees.files import hash_of

pytestmark = pytest.mark.corpus  # minutes: `make corpus`

SPEC = """\
vlac: 1
name: t
rlinf: {{version: "{version}", path: {path}}}
model: {{family: pi05, weights: /w}}
data: {{path: /d, config: pi05_libero}}
hardware: {{backend: ascend, device: 910B3, cards: 8}}
train: {{steps: 1000}}
patches: [guards, npu-numerics]
"""
VERSIONS = list(CHECKOUTS)
OPENPI = ("rlinf-openpi-0.1.1", "openpi-15a9616")
NUMBERS = Path(__file__).with_name("patched_numbers.py")


def bundle_for(version, path="/workspace/RLinf"):
    return compile_spec_text(SPEC.format(version=version, path=path), Path("/"))


def every_variant():
    """Each variant once, as its tree and the files in it."""
    patches = bundle_for("0.3").plan.patches
    return [variant for patch in patches for variant in patch.variants]


VARIANTS = every_variant()


def source_of(variant):
    """A tree that holds the files of a variant; skips, saying so, where it is not at hand."""
    root = Path(os.environ.get("VLAC_TEST_RLINF", ""))
    name = CHECKOUTS[variant.tree] if variant.project == "rlinf" else variant.tree
    folder = root / name / ("src" if (root / name / "src/openpi").is_dir() else "")
    if "VLAC_TEST_RLINF" not in os.environ or not folder.is_dir():
        pytest.skip(f"no tree of {variant.tree}: set VLAC_TEST_RLINF to a folder that holds {name}")
    return folder


def git(folder, *arguments, **options):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, **options).stdout


def content(folder):
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture
def tree(version, tmp_path):
    """A copy of a checkout, as a git tree of its own."""
    root = Path(os.environ.get("VLAC_TEST_RLINF", "")) / CHECKOUTS[version]
    if "VLAC_TEST_RLINF" not in os.environ or not root.is_dir():
        pytest.skip(f"no checkout of RLinf {version}: set VLAC_TEST_RLINF")
    folder = tmp_path / "RLinf"
    folder.mkdir()
    archive = git(root, "-c", "tar.umask=022", "archive", "HEAD", "rlinf", "examples/sft", "pyproject.toml")
    subprocess.run(["tar", "-x"], input=archive, cwd=folder, check=True)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    return folder


@pytest.fixture(params=OPENPI)
def openpi(request, tmp_path):
    """A copy of openpi's PyTorch model in a tree of its shape; the folder that a person would name."""
    variant = next(variant for variant in VARIANTS if variant.tree == request.param)
    source = source_of(variant)
    inside = "src" if source.name == "src" else ""
    shutil.copytree(source / "openpi/models_pytorch", tmp_path / "op" / inside / "openpi/models_pytorch")
    return tmp_path / "op"


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.diff.stem}")
def test_the_hashes_are_those_of_the_tree(variant, tmp_path):
    """Before the patch, and after `git apply` without any offset or fuzz."""
    source = source_of(variant)
    for file in variant.files:
        (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.path).write_bytes((source / file.path).read_bytes())
        assert hash_of((tmp_path / file.path).read_bytes()) == file.before
    command = ["git", "apply", "--verbose", str(variant.diff)]
    told = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    assert "offset" not in told
    for file in variant.files:
        assert hash_of((tmp_path / file.path).read_bytes()) == file.after
        compile((tmp_path / file.path).read_bytes(), file.path, "exec")


def test_vlac_and_git_apply_do_the_same(version, tree):
    bundle = bundle_for(version)
    job = Job(bundle.plan.patches, (find_root("rlinf", tree),), (version,))
    before = content(tree)
    git(tree, "apply", "-", input=bundle.files["rlinf.patch"])
    by_git = content(tree)
    assert status(job).is_applied
    git(tree, "apply", "--reverse", "-", input=bundle.files["rlinf.patch"])
    assert content(tree) == before
    apply(job)
    assert {name: held for name, held in content(tree).items() if ".vlac-patch" not in name} == by_git
    assert git(tree, "status", "--short").count(b"\n") == 4
    revert(job)
    assert content(tree) == before
    assert git(tree, "status", "--short", "--ignored") == b""


def test_openpi_in_a_folder_of_packages_and_in_a_checkout(openpi):
    bundle = bundle_for("0.3")
    roots = (find_root("openpi", openpi),)
    job = Job(bundle.plan.patches, roots, ("0.3",))
    for path in openpi.rglob("*.py"):
        path.chmod(0o644)  # as git makes them
    before = content(openpi)
    assert apply(job).is_applied
    by_vlac = {name: held for name, held in content(openpi).items() if ".vlac-patch" not in name}
    revert(job)
    assert content(openpi) == before
    directory = ["--directory=src"] if (openpi / "src").is_dir() else []
    git(openpi, "apply", *directory, "-", input=bundle.files["openpi.patch"])
    assert content(openpi) == by_vlac


def test_git_apply_reaches_packages_inside_another_repository(tree, version):
    """A virtual environment lies in the checkout, ignored: git must not pass its files over in silence."""
    packages = tree / ".venv/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    (tree / ".gitignore").write_text(".venv\n")
    shutil.copytree(tree / "rlinf", packages / "rlinf")
    bundle = bundle_for(version)
    git(packages, "apply", "-", input=bundle.files["rlinf.patch"])
    job = Job(bundle.plan.patches, (find_root("rlinf", packages),), (version,))
    assert status(job).is_applied


def test_the_package_of_pypi_is_v0_3(training_python, tmp_path):
    code = "import importlib.util as u; print(u.find_spec('rlinf').submodule_search_locations[0])"
    found = subprocess.check_output([training_python, "-c", code], text=True).strip()
    shutil.copytree(found, tmp_path / "rlinf", ignore=shutil.ignore_patterns("__pycache__"))
    job = Job(bundle_for("0.3").plan.patches, (find_root("rlinf", tmp_path),), ("0.3",))
    before = content(tmp_path)
    assert apply(job).is_applied
    revert(job)
    assert content(tmp_path) == before


def test_windows_line_endings_of_a_checkout_come_back(version, tree):
    job = Job(bundle_for(version).plan.patches, (find_root("rlinf", tree),), (version,))
    for seen in job.seen():
        (tree / seen.path).write_bytes(seen.content.replace(b"\n", b"\r\n"))
    before = content(tree)
    assert apply(job).is_applied
    for seen in job.seen():
        assert seen.content.count(b"\n") == seen.content.count(b"\r\n")
    revert(job)
    assert content(tree) == before


def test_another_known_version_is_named(version, tree):
    other = next(name for name in VERSIONS if name != version)
    job = Job(bundle_for(other).plan.patches, (find_root("rlinf", tree),), (other,))
    details = [file.detail for file in status(job).files if file.state == "unknown"]
    assert details
    assert all("as published; expected was" in detail for detail in details)
    assert any(f"RLinf {version}, as published" in detail for detail in details)


def test_an_edited_file_of_a_known_tree_is_told_with_its_lines(version, tree):
    path = tree / "rlinf/models/__init__.py"
    path.write_text(path.read_text().replace("    if cfg.is_lora:\n", "    if cfg.is_lora and True:\n"))
    job = Job(bundle_for(version).plan.patches, (find_root("rlinf", tree),), (version,))
    (told,) = (file for file in status(job).files if file.state == "unknown")
    assert told.detail == "edited by you since the commit; the lines that the patch changes are not there"
    assert told.lines[1:] == ("-    if cfg.is_lora:", "+    if cfg.is_lora and True:")
    shutil.rmtree(tree / ".git")
    (told,) = (file for file in status(job).files if file.state == "unknown")
    assert told.detail.startswith(f"edited by you: the tree is RLinf {version} with ")


@pytest.mark.parametrize("version", ["0.3"], indirect=True)
def test_processes_killed_at_random_moments(tree, tmp_path):
    """Whole processes of the command; afterwards one call, and every file is patched or every file is not."""
    spec = tmp_path / "s.yaml"
    spec.write_text(SPEC.format(version="0.3", path=tree))
    job = Job(bundle_for("0.3").plan.patches, (find_root("rlinf", tree),), ("0.3",))
    before = content(tree)
    code = (
        "import sys; from vlac.cli import main\n"
        "print('.', flush=True)\n"
        "while True: [main(['patch', sys.argv[1], action, '--json']) for action in ('apply', 'revert')]"
    )
    moments = random.Random(seed := random.randrange(1 << 30))
    unsettled = 0
    for number in range(30):
        process = subprocess.Popen([sys.executable, "-c", code, str(spec)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(moments.uniform(0.5, 1.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        unsettled += bool(status(job).interrupted)
        if number % 2:
            assert apply(job).is_applied, f"kill {number}, seed {seed}"
        revert(job)
        assert content(tree) == before, f"kill {number}, seed {seed}"


CASES = [(variant, file) for variant in VARIANTS for file in variant.files]
MUTATIONS = [
    (
        "pi0_pytorch.py",
        "= torch.cumsum(pad_masks.to(torch.int32), dim=1, dtype=torch.int32).long() - 1",
        "= torch.cumsum(pad_masks, 1)",
    ),
    (
        "pi0_pytorch.py",
        "= torch.cumsum(prefix_pad_masks.to(torch.int32), dim=1, dtype=torch.int32).long() - 1",
        "= torch.cumsum(prefix_pad_masks, 1)",
    ),
    ("pi0_pytorch.py", "suffix_positions.long() - 1", "suffix_positions.long()"),
    ("pi0_pytorch.py", "suffix_positions.long() - 1", "suffix_positions - 1.0"),
    ("pi0_pytorch.py", "torch.logical_and(att_2d_masks", "torch.logical_or(att_2d_masks"),
    ("pi0_pytorch.py", "torch.logical_and(pad_masks", "torch.logical_or(pad_masks"),
    ("pi0_pytorch.py", "torch.cumsum(att_masks", "torch.cumsum(1 - att_masks"),
    ("pi0_pytorch.py", 'device_type == "npu" and', 'device_type != "xla" and'),
    ("openpi_action_model.py", "suffix_positions.long() - 1", "suffix_positions.long()"),
    ("openpi_action_model.py", "prefix_positions.long() - 1", "prefix_positions.long()"),
    ("openpi_action_model.py", "prefix_positions.long() - 1", "prefix_positions - 1"),
    ("openpi_action_model.py", "pad_masks.to(torch.int32), dim=1", "pad_masks.to(torch.int32), dim=0"),
    (
        "fsdp_model_manager.py",
        '"npu" if Worker.torch_device_type == "npu" else "cuda"',
        "Worker.torch_device_type",
    ),
    ("models/__init__.py", 'cfg.get("is_lora", False)', 'cfg.get("lora", False)'),
    ("strategy/fsdp.py", '.get("is_lora", False)', '.get("is_lora") is None'),
]
"""Patched code, changed so that it computes something else."""


def patched_text(variant, file):
    return change.after(variant, file, (source_of(variant) / file.path).read_bytes()).decode()


def mutated_text(variant, file, old, new):
    text = patched_text(variant, file)
    assert old in text or variant.tree != "main", f"{old} is not in {file.path}"
    return text.replace(old, new) if old in text else None


@pytest.fixture(scope="module")
def numbers(training_python):
    """What every file computes before its patch, after it, and with each mutation: one process for all."""
    texts = {}
    for variant, file in CASES:
        key = (variant.diff.stem, file.path)
        texts[(*key, "before")] = (source_of(variant) / file.path).read_text(encoding="utf-8")
        texts[(*key, "after")] = patched_text(variant, file)
        for number, (name, old, new) in enumerate(MUTATIONS):
            if file.path.endswith(name) and (text := mutated_text(variant, file, old, new)):
                texts[(*key, number)] = text
    asked = json.dumps([[path, text] for (_, path, _), text in texts.items()])
    made = subprocess.run(
        [training_python, NUMBERS], input=asked, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr[-2000:]
    return dict(zip(texts, json.loads(made.stdout), strict=True))


@pytest.fixture(params=[(v.diff.stem, f.path) for v, f in CASES], ids=" ".join)
def case(request):
    return request.param


def test_patched_code_computes_the_same_to_the_bit(numbers, case):
    before, after = numbers[(*case, "before")], numbers[(*case, "after")]
    assert before["same"], before
    assert after["same"] == before["same"]


@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_a_patch_that_changes_a_value_is_noticed(numbers, number):
    found = [key for key in numbers if key[2] == number]
    assert found
    for key in found:
        assert numbers[key]["same"] != numbers[(*key[:2], "before")]["same"], key


def test_what_is_for_npus_happens_on_npus_alone(numbers, case):
    npu, before = (numbers[(*case, side)].get("npu") for side in ("after", "before"))
    if case[1].endswith("fsdp_model_manager.py"):
        assert before[0] == "{'device_type': 'cuda', 'dtype': 'bf16'}"
        assert npu[0] == "{'device_type': 'npu', 'dtype': 'bf16'}"
    elif case[1].endswith("pi0_pytorch.py"):
        assert before == {"dtype": "torch.float64", "off": 0}
        assert npu["dtype"] == "torch.float32"
        assert 1e-5 < npu["off"] < 3e-4
    else:
        assert npu is None


def test_guards_help_a_configuration_without_is_lora(numbers, case):
    if "guards" in case[0]:
        assert numbers[(*case, "before")]["without"] == ["ConfigAttributeError"]
        assert numbers[(*case, "after")]["without"] == ["False"]


def inline(tree):
    """A config with an inline model block without is_lora, as people have written them."""
    folder = tree / "examples/sft/config"
    text = (folder / "libero_sft_openpi.yaml").read_text()
    assert "  - model/pi0@actor.model\n" in text
    text = text.replace("  - model/pi0@actor.model\n", "")
    text = text.replace("    precision: null\n", '    precision: null\n    model_type: "openpi"\n')
    (folder / "inline.yaml").write_text(text)


BASED = """\
vlac: 1
name: t
rlinf: {{version: "0.3", path: {path}}}
base: examples/sft/config/inline.yaml
model: {{weights: /w}}
data: {{path: /d}}
hardware: {{backend: ascend, device: 910B3, cards: 8}}
"""


@pytest.mark.parametrize("version", ["0.3"], indirect=True)
def test_a_base_without_is_lora_needs_the_guards(tree):
    pytest.importorskip("hydra")
    inline(tree)
    spec = BASED.format(path=tree)
    with pytest.raises(SpecError) as caught:
        compile_spec_text(spec, tree)
    (problem,) = (one for one in caught.value.diagnostics if one.is_error)
    assert problem.code == "patch-needed"
    line = re.search("add `(.*?)`", problem.hint)[1]
    assert "rlinf.patch" in compile_spec_text(f"{spec}{line}\n", tree).files
    instead = problem.hint.rpartition("give the key a value: ")[2]
    assert "rlinf.patch" not in compile_spec_text(f"{spec}{instead}\n", tree).files
