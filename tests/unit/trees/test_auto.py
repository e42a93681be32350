"""`rlinf.version: auto`: the tree at `rlinf.path` decides."""

import json

import pytest

from vlac.compiler import compile_path
from vlac.errors import SpecError
from vlac.rlinf import versions

LOCK = "vlac.lock.json"
TEMPLATE = """\
defaults:
  - model/pi0@actor.model
hydra:
  searchpath:
    - file://${oc.env:EMBODIED_PATH}/config/
runner:
  task_type: sft
  logger: {log_path: x}
  pace: 5
actor:
  training_backend: fsdp
  optim: {lr: 1.0, warmup_style: cosine}
"""
CODE = """
SUPPORTED_TASK_TYPE = ["sft"]
def main_of(cfg):
    cfg.runner.pace
    cfg.actor.model.width
    cfg.actor.model.get("depth")
"""
SCRIPT = """
import hydra
from rlinf.config import main_of
@hydra.main(version_base="1.1", config_path="config", config_name="libero_sft_openpi")
def main(cfg):
    cfg.runner.task_type
    main_of(cfg)
"""
METRICS = "class MetricLogger:\n    supported_logger = ['wandb', 'tensorboard']\n"
CONFIGS = """
_CONFIGS = [
    TrainConfig(name="pi05_ours", model=pi0_config.Pi0Config(pi05=True, action_horizon=6), data=OurDataConfig()),
    TrainConfig(name="pi0_fast", model=pi0_fast.Pi0FASTConfig()),
]
class OurDataConfig(DataConfigFactory):
    prompt: str = ""
    group: _transforms.Group = None
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def auto(known, compiled):
    """Compile a spec whose tree holds these files; `rlinf` and others are lines of the spec."""

    def compile_spec(files, **changes):
        path = known.write(files)
        return compiled(rlinf=f"{{version: auto, path: {path}}}", **changes)

    return compile_spec


@pytest.fixture
def own(auto):
    """Compile for a tree that nobody has seen."""
    files = {
        "rlinf/config.py": CODE,
        "rlinf/utils/metric_logger.py": METRICS,
        "rlinf/models/embodiment/openpi/dataconfig/__init__.py": CONFIGS,
        "examples/sft/train_vla_sft.py": SCRIPT,
        "examples/sft/config/libero_sft_openpi.yaml": TEMPLATE,
        "examples/sft/config/model/pi0.yaml": "model_type: openpi\nwidth: 1\n",
        "examples/sft/config/model/pi0_5.yaml": "model_type: openpi\nwidth: 2\nopenpi: {}\n",
    }

    def compile_spec(more=(), **changes):
        changes = {"data": "{path: /d, config: pi05_ours}", **changes}
        return auto({**files, **dict(more)}, **changes)

    return compile_spec


def codes(diagnostics):
    return [diagnostic.code for diagnostic in diagnostics]


def test_a_known_tree_compiles_the_same_bytes(auto, known, compiled):
    bundle = auto(known.old)
    named = compiled(rlinf=f"{{version: '0.3', path: {known.folder}}}")
    assert {**bundle.files, LOCK: b""} == {**named.files, LOCK: b""}
    target = json.loads(bundle.files[LOCK])["target"]["rlinf"]
    assert target == {
        "version": "0.3",
        "commit": versions.V0_3.commit,
        "tree": bundle.plan.version.tree.digest,
    }
    assert not bundle.diagnostics


def test_the_version_follows_the_tree(auto, known):
    assert auto(known.main).plan.version == versions.MAIN


def test_an_edited_config_is_told_and_changes_nothing(auto, known, compiled):
    bundle = auto({**known.old, "examples/sft/config/a.yaml": "a: 9\n"})
    named = compiled(rlinf=f"{{version: '0.3', path: {known.folder}}}")
    assert bundle.files["config.yaml"] == named.files["config.yaml"]
    (told,) = bundle.diagnostics
    assert (told.code, told.severity) == ("target-tree-edited", "note")
    assert (
        told.message == "the tree at rlinf.path is RLinf 0.3 with 1 file changed: examples/sft/config/a.yaml"
    )
    assert (told.position.line, told.position.column) == (3, 18)


def test_what_cannot_be_told_apart_is_a_warning(auto, known):
    bundle = auto({"examples/sft/train.py": known.old["examples/sft/train.py"]})
    (told,) = bundle.diagnostics
    assert (told.code, told.severity) == ("target-tree-ambiguous", "warning")
    assert told.hint.startswith("0.3 is taken")


def test_a_relative_path_is_that_of_the_spec(known, compiled, tmp_path):
    known.write(known.main)
    path = "./" + known.folder.relative_to("/").as_posix()  # the spec lies, as it were, in /
    bundle = compiled(rlinf=f"{{version: auto, path: {path}}}")
    assert bundle.plan.version == versions.MAIN
    assert str(tmp_path).encode() not in b"".join(bundle.files.values()).replace(path[1:].encode(), b"")


@pytest.mark.parametrize(
    ("rlinf", "code", "line", "column", "message"),
    [
        (
            "{version: auto}",
            "spec-missing",
            3,
            18,
            "rlinf.path is missing: rlinf.version: auto reads the RLinf tree",
        ),
        (
            "{version: auto, path: /nowhere}",
            "target-no-tree",
            3,
            30,
            "/nowhere is no RLinf tree: no such folder",
        ),
        ("{version: auto, path: ./nowhere}", "target-no-tree", 3, 30, "/nowhere is no RLinf tree"),
        ("{version: auto, path: '${oc.env:X}/r'}", "target-no-tree", 3, 30, "variables are not expanded"),
        ("{version: automatic}", "target-unknown-version", 3, 18, "no data for RLinf version 'automatic'"),
    ],
)
def test_what_is_wrong_has_its_place(refused, rlinf, code, line, column, message):
    found = refused(rlinf=rlinf)[code]
    assert (found.position.line, found.position.column) == (line, column)
    assert message in found.message


def test_other_problems_are_told_beside_it(refused):
    assert {"target-no-tree", "batch-indivisible"} <= refused(
        rlinf="{version: auto, path: /nowhere}", train="{steps: 1000, micro_batch: 3}"
    ).keys()


def test_a_tree_nobody_has_seen_is_compiled_from_itself(own):
    bundle = own()
    values = {".".join(key): setting.value for key, setting in bundle.config.items()}
    assert values["actor.model.width"] == 2 and values["runner.pace"] == 5
    assert values["actor.optim.lr"] == 2.5e-5 and "actor.optim.warmup_style" not in values
    assert values["actor.model.num_action_chunks"] == 6
    version = bundle.plan.version
    assert version.name == f"tree {version.tree.digest[:9]}" and version.loggers == ("tensorboard", "wandb")
    assert version.data_configs.keys() == {"pi05_ours"}
    assert version.data_configs["pi05_ours"].options == ("prompt", "repo_id", "assets", "base_config")
    target = json.loads(bundle.files[LOCK])["target"]["rlinf"]
    assert target == {"version": version.name, "commit": "", "tree": version.tree.digest}
    told = [d.message for d in bundle.diagnostics if d.code == "target-tree-keys"]
    assert any("actor.model.width (strict), runner.pace (strict)" in message for message in told)


def test_what_the_code_needs_and_no_config_has_is_an_error(own):
    with pytest.raises(SpecError) as caught:
        own({"rlinf/config.py": CODE + "    cfg.actor.model.height\n"})
    (missing,) = (d for d in caught.value.diagnostics if d.is_error)
    assert missing.code == "target-key-missing"
    assert missing.message == (
        "actor.model.height is missing: this tree reads it without a default, in rlinf/config.py:7"
    )
    assert (missing.position.line, missing.position.column) == (3, 18)
    with_override = own(
        {"rlinf/config.py": CODE + "    cfg.actor.model.height\n"}, overrides='{"+actor.model.height": 3}'
    )
    assert "override-dead" not in codes(with_override.diagnostics)


def test_a_field_that_the_tree_does_not_read_is_told(own):
    told = [d for d in own(checkpoints="{every: 5}").diagnostics if d.code == "spec-field-ignored"]
    assert "checkpoints.every has no effect: this tree does not read runner.save_interval" in [
        d.message for d in told
    ]


def test_a_logger_that_the_tree_does_not_accept(own):
    with pytest.raises(SpecError) as caught:
        own(logging="{backends: [swanlab]}")
    (refused,) = (d for d in caught.value.diagnostics if d.is_error)
    assert refused.code == "target-logger" and "swanlab" in refused.message and refused.position.line == 8


def test_the_compile_is_pure(own, known):
    first, again = own().files, own().files
    assert first == again
    assert str(known.folder) not in json.dumps(json.loads(first[LOCK])["diagnostics"])


def test_python_api_reads_another_tree(known, tmp_path):
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "vlac: 1\nname: t\nrlinf: {version: auto, path: /nowhere}\nmodel: {family: demo}\n"
        "hardware: {backend: cpu, cards: 1}\ntrain: {steps: 8}\n",
        encoding="utf-8",
    )
    assert compile_path(spec, tree=known.write(known.main)).plan.version == versions.MAIN
