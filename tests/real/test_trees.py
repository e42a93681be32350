"""Real RLinf trees: the known versions, what pip installs, older and newer commits, forks with edits."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vlac
from vlac.errors import SpecError
from vlac.models.data_configs import DATA_CONFIGS
from vlac.rlinf import versions
from vlac.rlinf.reads import Run, Tree, read_tree
from vlac.rlinf.templates import TEMPLATES
from vlac.rlinf.trees import recognise, version_reads
from vlac.rlinf.trees.difference import difference
from vlac.rlinf.trees.files import read_files
from vlac.rlinf.trees.key_reads import key_reads
from vlac.rlinf.trees.known_files import known_files
from vlac.rlinf.trees.openpi_configs import openpi_configs
from vlac.rlinf.trees.template import compose_template

pytestmark = pytest.mark.corpus  # minutes: `make corpus`
VERSIONS = ["0.3", "a4b6abe20", "main"]
each_version = pytest.mark.parametrize(
    ("checkout", "version"), [(v, v) for v in VERSIONS], indirect=["checkout"]
)
CONFIGS = Path(__file__).parents[3] / "shared" / "rlinf"
# Commits that no table knows: two releases, and main between and before the known commits.
UNSEEN = ("v0.2", "955fa6390", "2005d3959", "d3aff547c")
SPEC = """\
vlac: 1
name: t
rlinf: {{version: {version}, path: {path}}}
model: {{family: pi05, weights: /w}}
data: {{path: /d, config: pi05_libero}}
hardware: {{backend: cuda, device: H100, cards: 8}}
train: {{steps: 100}}
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def fork(tmp_path):
    """A copy of v0.3 without git in which text of files is replaced."""
    source = Path(os.environ.get("VLAC_TEST_RLINF", "")) / "rlinf-v0.3"
    if "VLAC_TEST_RLINF" not in os.environ or not source.is_dir():
        pytest.skip("no checkout of RLinf 0.3: set VLAC_TEST_RLINF to a folder that holds rlinf-v0.3")
    for part in ("rlinf", "examples"):
        shutil.copytree(source / part, tmp_path / part)

    def edit(file, old, new):
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
        return tmp_path

    return edit


def compiled(path, version="auto"):
    return vlac.compile_text(SPEC.format(version=version, path=path), folder=Path("/"))


def told(diagnostics):
    return {diagnostic.code: diagnostic.message for diagnostic in diagnostics}


@each_version
def test_a_checkout_is_recognised(checkout, version):
    start = time.perf_counter()
    found = recognise(checkout)
    assert time.perf_counter() - start < 0.3
    assert found.is_known and not found.alike
    assert found.version is versions.VERSIONS[version]
    assert found.commit in (None, found.version.commit)


@each_version
@pytest.mark.parametrize("part", ["rlinf", "examples"])
def test_a_part_of_a_checkout_is_enough(checkout, version, part, tmp_path):
    shutil.copytree(checkout / part, tmp_path / part)
    found = recognise(tmp_path)
    assert found.is_known and not found.alike and found.version is versions.VERSIONS[version]


@pytest.mark.parametrize("checkout", VERSIONS, indirect=True)
def test_windows_line_ends_and_caches(checkout, tmp_path):
    shutil.copytree(checkout / "examples/sft", tmp_path / "examples/sft")
    for file in (tmp_path / "examples").rglob("*.*"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / "examples/sft/__pycache__").mkdir()
    (tmp_path / "examples/sft/__pycache__/a.py").write_text("x")
    assert recognise(tmp_path).is_known


@pytest.mark.parametrize(("folder", "version"), [("v0.3", "0.3"), ("main", "main")])
def test_a_copy_of_the_configs_alone(folder, version):
    if not (CONFIGS / folder).is_dir():
        pytest.skip(f"no copy of RLinf's configs at {CONFIGS / folder}")
    found = recognise(CONFIGS / folder / "configs")
    assert found.is_known and not found.alike and not found.has_code
    assert found.version is versions.VERSIONS[version]


@pytest.mark.parametrize("checkout", ["0.3"], indirect=True)
def test_configs_that_two_versions_share_are_not_told_apart(checkout, tmp_path):
    shutil.copytree(checkout / "examples/reasoning", tmp_path / "examples/reasoning")
    found = recognise(tmp_path)
    assert {found.nearest.version.name, *(version.name for version in found.alike)} == {"0.3", "a4b6abe20"}


def test_what_pip_installs_is_0_3(training_python):
    ask = [training_python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    folder = Path(subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip())
    found = recognise(folder)
    assert found.is_known and found.version is versions.V0_3
    assert found.package_version == "0.3.0"
    run = Run("sft", "openpi", "fsdp")
    tree = Tree(folder)
    assert difference(
        version_reads.version_reads(versions.V0_3, run), key_reads(tree, read_tree(tree, run))
    ).is_empty


@each_version
def test_auto_compiles_the_same_bytes_as_the_name(checkout, version):
    auto, named = compiled(checkout), compiled(checkout, version)
    lock = "vlac.lock.json"
    assert {name: data for name, data in auto.files.items() if name != lock} == {
        name: data for name, data in named.files.items() if name != lock
    }
    target = json.loads(auto.files[lock])["target"]["rlinf"]
    assert target == {**json.loads(named.files[lock])["target"]["rlinf"], "tree": read_files(checkout).digest}
    assert not auto.diagnostics


@each_version
def test_the_committed_tables_are_those_of_the_checkouts(checkout, version):
    hashes = {file: digest[:12] for file, digest in read_files(checkout).hashes.items()}
    assert known_files()[version] == hashes
    tree = Tree(checkout)
    for run in version_reads.RUNS:
        kept = version_reads.version_reads(versions.VERSIONS[version], run)
        assert kept == key_reads(tree, read_tree(tree, run)), "run scripts/extract_trees.py"


@each_version
def test_the_table_of_data_configs(checkout, version):
    found, known = openpi_configs(Tree(checkout)), versions.VERSIONS[version].data_configs
    assert found.keys() == known.keys()
    for name, config in found.items():
        table = DATA_CONFIGS[name]
        assert (config.family, config.action_horizon) == (table.family, table.action_horizon), name
        more = set(table.main_options) - {"norm_stats_path"} if version == "main" else set()
        assert set(config.options) == {*table.options, *more}, name


@pytest.mark.parametrize("checkout", VERSIONS, indirect=True)
@pytest.mark.parametrize("template", ["model/pi0", "model/pi0_5"])
def test_the_template_of_a_tree_is_the_table(checkout, template):
    leaves = {
        key: tuple(v) if isinstance(v, list) else v for key, v in compose_template(checkout, template).items()
    }
    differing = {
        ".".join(key)
        for key in leaves.keys() | TEMPLATES[template]
        if leaves.get(key) != TEMPLATES[template].get(key)
    }
    assert differing - {"actor.model.openpi.config_name"} == {
        "actor.model.model_path",
        "actor.optim.lr_warmup_steps",
        "actor.optim.total_training_steps",
        "actor.optim.warmup_style",
        "data.train_data_paths",
    }


def test_a_fork_with_edits_that_no_run_reads_is_the_version(fork):
    tree = fork("rlinf/envs/libero/libero_env.py", "import", "import os\nimport")
    bundle = compiled(tree)
    assert bundle.files["config.yaml"] == compiled(tree, "0.3").files["config.yaml"]
    assert told(bundle.diagnostics) == {
        "target-tree-edited": "the tree at rlinf.path is RLinf 0.3 with 1 file changed: rlinf/envs/libero/libero_env.py"
    }


def test_a_fork_in_which_a_strict_read_has_a_default(fork):
    tree = fork("rlinf/models/__init__.py", "cfg.is_lora", 'cfg.get("is_lora", False)')
    tree = fork(
        "rlinf/hybrid_engines/fsdp/strategy/fsdp.py",
        "self.cfg.model.is_lora",
        'self.cfg.model.get("is_lora")',
    )
    bundle = compiled(tree)
    assert (
        "no longer needs, unlike RLinf 0.3: actor.model.is_lora"
        in told(bundle.diagnostics)["target-tree-keys"]
    )
    assert bundle.plan.version.tree.is_own


def test_a_fork_with_a_strict_key_of_its_own(fork):
    tree = fork("rlinf/models/__init__.py", "cfg.is_lora", "cfg.is_lora and cfg.our_own_key")
    tree = fork(
        "rlinf/runners/sft_runner.py", "self.cfg = cfg", "self.cfg = cfg\n        self.pace = cfg.runner.pace"
    )
    with pytest.raises(SpecError) as caught:
        compiled(tree)
    missing = [d for d in caught.value.diagnostics if d.is_error]
    assert [d.code for d in missing] == ["target-key-missing"]
    assert missing[0].message.startswith(
        "runner.pace is missing: this tree reads it without a default, in rlinf/runners/"
    )
    assert missing[0].position.line == 3
    text = SPEC.format(version="auto", path=tree) + 'overrides: {"+runner.pace": 3}\n'
    assert b"pace: 3" in vlac.compile_text(text, folder=Path("/")).files["config.yaml"]
    # A fork that brings the key along in its own config needs nothing more.
    tree = fork(
        "examples/sft/config/libero_sft_openpi.yaml", "  max_epochs: -1", "  max_epochs: -1\n  pace: 5"
    )
    assert b"pace: 5" in compiled(tree).files["config.yaml"]


def test_a_fork_that_renamed_a_key(fork):
    for file in ("rlinf/config.py", "rlinf/runners/sft_runner.py"):
        tree = fork(file, "save_interval", "checkpoint_interval")
    with pytest.raises(SpecError) as caught:
        compiled(tree)
    missing = next(d for d in caught.value.diagnostics if d.is_error)
    assert missing.code == "target-key-missing" and missing.message.startswith(
        "runner.checkpoint_interval is missing"
    )
    assert "what RLinf 0.3 calls runner.save_interval" in missing.hint
    tree = fork("examples/sft/config/libero_sft_openpi.yaml", "save_interval", "checkpoint_interval")
    text = SPEC.format(version="auto", path=tree)
    bundle = vlac.compile_text(text + "checkpoints: {every: 50}\n", folder=Path("/"))
    ignored = next(d for d in bundle.diagnostics if d.code == "spec-field-ignored")
    assert ignored.message == "checkpoints.every has no effect: this tree does not read runner.save_interval"
    assert "runner.checkpoint_interval" in ignored.hint and ignored.position.line == 8
    moved = [d.message for d in bundle.diagnostics if d.code == "target-tree-keys"]
    assert "runner.save_interval is runner.checkpoint_interval (likely)" in moved[0]


@pytest.mark.parametrize("commit", UNSEEN, indirect=True)
def test_a_commit_that_nobody_has_seen_is_compiled_from_itself(commit):
    bundle = compiled(commit)
    codes = told(bundle.diagnostics)
    assert "target-tree-unseen" in codes and "target-tree-keys" in codes
    assert bundle.plan.version.name == f"tree {recognise(commit).digest[:9]}"
    own = compose_template(commit, "model/pi0_5")
    unread = {("actor", "optim", "warmup_style")}
    assert own.keys() - unread <= bundle.config.keys()


@pytest.mark.parametrize("commit", ["v0.1"], indirect=True)
def test_a_release_before_supervised_fine_tuning(commit):
    with pytest.raises(SpecError) as caught:
        compiled(commit)
    errors = [d for d in caught.value.diagnostics if d.is_error]
    assert [d.code for d in errors] == ["target-tree-unfit"]
    assert "base:" in errors[0].hint


def test_without_hydra_the_error_says_what_to_install(tmp_path, fork):
    tree = fork(
        "rlinf/runners/sft_runner.py", "self.cfg = cfg", "self.cfg = cfg\n        self.pace = cfg.runner.pace"
    )
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC.format(version="auto", path=tree), encoding="utf-8")
    block = "import sys; sys.modules['hydra'] = None; from vlac.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", block, "compile", str(spec)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1
    assert "vla-compiler[compose]" in done.stderr and "Traceback" not in done.stderr
