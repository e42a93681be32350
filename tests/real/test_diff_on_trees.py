"""`vlac diff` on real RLinf trees: `git apply` agrees about every hunk, and the patch that it prints does its work."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import vlac
from vlac.cli import main
from vlac.diff.apply import apply
from vlac.diff.inputs import reader
from vlac.patches.parse import parse
from vlac.rlinf.compose import compose

pytestmark = pytest.mark.corpus  # minutes: `make corpus`

SPECS = Path(__file__).parents[2] / "specs"
SPEC = SPECS / "pi05_libero10_8x910b3.yaml"
CONFIG = "examples/sft/config/libero_sft_openpi.yaml"
VERSIONS = ["0.3", "a4b6abe20", "main"]


def git(folder, *arguments, **options):
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False, **options)


@pytest.fixture
def copied(checkout, tmp_path):
    """The parts of a checkout that a run reads, as a git tree of its own."""
    root = tmp_path / "tree"
    for part in ("examples", "rlinf"):
        shutil.copytree(checkout / part, root / part)
    shutil.copy(checkout / "pyproject.toml", root)
    for arguments in (["init", "-q"], ["add", "-A"]):
        git(root, *arguments)
    return root


@pytest.mark.parametrize("checkout", VERSIONS, indirect=True)
@pytest.mark.parametrize("spec", ["pi05_libero10_8x910b3.yaml", "tiny_cpu.yaml"])
@pytest.mark.parametrize(
    "sets", [(), ("train.lr=1e-4", "logging.backends=[wandb]", "checkpoints.every=never")]
)
def test_the_unified_patch_makes_the_checkout_do_what_the_bundle_does(copied, spec, sets, capsys):
    arguments = [str(SPECS / spec), "--rlinf", str(copied)]
    arguments += [word for one in sets for word in ("--set", one)]
    assert main(["diff", *arguments, "--format", "unified"]) == 1
    patch = capsys.readouterr().out
    applied = git(copied, "apply", "-", input=patch.encode())
    assert applied.returncode == 0, applied.stderr.decode()
    bundle = vlac.compile(SPECS / spec, sets=list(sets))
    wanted = {key: listed(setting.value) for key, setting in bundle.config.items()}
    assert compose(copied / CONFIG).values == wanted
    subprocess.run(["bash", "-n", copied / "examples/sft/run_vla_sft.sh"], check=True)
    assert main(["diff", *arguments, "--format", "unified"]) == 0
    assert capsys.readouterr().out == ""


def listed(value):
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("checkout", VERSIONS, indirect=True)
def test_a_checkout_with_the_shipped_patch_is_told_as_the_patch_is(checkout, tmp_path, capsys):
    clone = tmp_path / "clone"
    cloned = git(tmp_path, "clone", "-q", "--shared", str(checkout), str(clone))
    if cloned.returncode:
        pytest.skip(f"{checkout} is no git checkout")
    patch = Path(vlac.__file__).parent / "patches/rlinf-openpi-sft-pi05-8card.patch"
    assert git(clone, "apply", str(patch)).returncode == 0
    assert main(["diff", str(SPEC), "--checkout", str(clone)]) == 0
    out = capsys.readouterr().out
    for line in (
        "same          cluster.component_placement",
        "redundant     actor.model.is_lora",
        "JAX_PLATFORMS",
    ):
        assert line in out
    assert git(clone, "status", "--porcelain").stdout.count(b"\n") == 3


@pytest.mark.parametrize("checkout", ["main"], indirect=True)
def test_git_apply_puts_every_hunk_where_vlac_does(copied, tmp_path):
    """Random changes of RLinf's files, moved and damaged: git and vlac agree, to the line and to the byte."""
    chance = random.Random(7)
    files = ["rlinf/config.py", CONFIG, "rlinf/models/__init__.py", "examples/sft/run_vla_sft.sh"]
    agreed = {"applies": 0, "refused": 0}
    for _ in range(120):
        path = chance.choice(files)
        before = (copied / path).read_text("utf-8")
        patch = b""
        while not patch:  # a change that another one takes back
            patch = a_patch(chance, path, before, tmp_path)
        now = damaged(chance, before)
        (copied / path).write_text(now, "utf-8")
        ours = apply(parse(patch, "p"), reader(copied))
        theirs = git(copied, "apply", "-v", "-", input=patch)
        assert (theirs.returncode == 0) == (not ours.problems), theirs.stderr.decode()
        if not ours.problems:
            assert ours.images[path].side("-") == (copied / path).read_text("utf-8").splitlines()
            said = theirs.stderr.decode()
            for one in ours.placements:
                if one.offset:
                    unit = "line" if abs(one.offset) == 1 else "lines"
                    assert f"Hunk #{one.hunk} succeeded at {one.line} (offset {one.offset} {unit})" in said
        for problem in ours.problems if len(ours.problems) == 1 else ():
            less = (problem.hint or "").partition("-C")[2].partition(" ")[0]
            if less:
                loosely = git(copied, "apply", "-v", f"-C{less}", "-", input=patch)
                assert loosely.returncode == 0, (problem, loosely.stderr.decode())
        agreed["refused" if ours.problems else "applies"] += 1
        (copied / path).write_text(before, "utf-8")
    assert min(agreed.values()) > 10, agreed


def a_patch(chance, path, text, folder):
    lines = text.splitlines()
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        action = chance.choice(("insert", "delete", "change"))
        if action == "insert":
            lines.insert(at, f"# new {chance.random()}")
        elif action == "delete":
            del lines[at]
        else:
            lines[at] += "  # changed"
    for side, content in (("a", text), ("b", "\n".join(lines) + "\n" * text.endswith("\n"))):
        (folder / side / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / side / path).write_text(content, "utf-8")
    return git(folder, "diff", "--no-index", "--no-prefix", f"a/{path}", f"b/{path}").stdout


def damaged(chance, text):
    lines = text.splitlines()
    for _ in range(chance.randint(0, 3)):
        at = chance.randrange(len(lines))
        if chance.random() < 0.7:
            lines.insert(at, "# moved")
        else:
            lines[at] = "# damaged"
    return "\n".join(lines) + "\n" * text.endswith("\n")
