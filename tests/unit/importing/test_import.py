"""An imported spec compiles to the configuration that it came from; what cannot be imported is told."""

import json
import shutil
from pathlib import Path

import pytest

from vlac.cli import main
from vlac.compiler import compile_spec_text
from vlac.errors import RefusedError, SpecError
from vlac.importing.importer import import_config
from vlac.importing.leaves import differing
from vlac.importing.original import read

BUNDLES = Path(__file__).parents[2] / "golden/bundles"
FIRST = "examples/sft/config/first.yaml"
HEAD = "vlac: 1\nname: mine\nbase: examples/sft/config/first.yaml\nrlinf: {version: auto, path: TREE}\n"


def imported(config, tree=None, **options):
    """Import, and check that the spec compiles to what the config says."""
    result = import_config(config, tree=tree, **options)
    bundle = compile_spec_text(result.text, Path(), tree=tree)
    compiled = {key: setting.value for key, setting in bundle.config.items()}
    assert not differing(compiled, read(config, tree).leaves)
    return result


@pytest.fixture
def body(tree):
    """What a spec with the first config as its base says beside that."""

    def after_head(config, **options):
        text = imported(config, tree, **options).text.replace(str(tree), "TREE")
        assert text.startswith(HEAD)
        return text.removeprefix(HEAD)

    return after_head


@pytest.mark.parametrize(
    "name",
    ["pi05_libero10_8x910b3-ascend-910B3-main", "pi05_libero10_8x910b3-cuda-H100-0.3", "tiny_cpu-cpu-0.3"],
)
def test_a_bundle_becomes_the_plain_spec_that_it_was_compiled_from(name):
    result = imported(BUNDLES / name / "config.yaml")
    assert (result.form, result.notes) == ("plain", ())
    assert result.text.count("\n") <= 9
    bundle = compile_spec_text(result.text, Path())
    assert f"-{bundle.plan.adapter.name}-" in name
    assert name.endswith(bundle.plan.version.name)


def test_without_a_lock_the_usual_hardware_is_assumed_and_said(tmp_path):
    shutil.copy(BUNDLES / "pi05_libero10_8x910b3-cuda-H100-0.3/config.yaml", tmp_path)
    result = imported(tmp_path / "config.yaml")
    assert "backend: cuda  # assumed" in result.text
    assert "H100 is assumed" in result.notes[0]
    asked = imported(tmp_path / "config.yaml", backend="cuda:A800")
    assert "hardware: {backend: cuda, device: A800, cards: 8}\n" in asked.text
    assert not asked.notes


def test_processes_without_accelerators_are_known_by_their_placement(tmp_path):
    shutil.copy(BUNDLES / "tiny_cpu-cpu-0.3/config.yaml", tmp_path)
    result = imported(tmp_path / "config.yaml")
    assert "hardware: {backend: cpu, cards: 8}\n" in result.text
    assert not result.notes


def test_a_few_keys_without_fields_are_overrides_of_a_plain_spec(tmp_path):
    text = (BUNDLES / "pi05_libero10_8x910b3-cuda-H100-0.3/config.yaml").read_text()
    text = text.replace("noise_level: 0.5", "noise_level: 0.25  # less").replace(
        "    use_proprio: true\n", ""
    )
    (tmp_path / "saved.yaml").write_text(text + "critic: {use: false}\n")
    result = imported(tmp_path / "saved.yaml")
    assert result.form == "plain"
    assert result.text.endswith(
        "overrides:\n  ~actor.model.use_proprio: null\n  actor.model.openpi.noise_level: 0.25  # less\n"
        "  +critic.use: false\n"
    )


@pytest.mark.real
def test_a_config_as_it_lies_in_its_tree_is_its_own_base(tree):
    result = imported(tree / FIRST, tree)
    assert result.text.splitlines()[2:] == [f"base: {FIRST}", f"rlinf: {{version: auto, path: {tree}}}"]


def test_an_edited_copy_is_the_nearest_config_and_the_differences(edited, body):
    config = edited(
        ("lr: 1.0e-5", "lr: 2.0e-5"), ("save_interval: 100", "save_interval: -1"), ("first", "other")
    )
    assert body(config) == (
        "train: {lr: 2e-5}\ncheckpoints: {every: never}\noverrides: {runner.logger.experiment_name: other}\n"
    )


@pytest.mark.real
def test_comments_stay_at_what_their_keys_became(edited, body):
    config = edited(
        ("    lr: 1.0e-5", "    # found by search\n    lr: 2.0e-5  # peak"),
        ("cosine", "linear  # 中文"),
        ("micro_batch_size: 4", "micro_batch_size: 4  # not written, so not kept"),
    )
    assert body(config) == (
        "train:\n  # found by search\n  lr: 2e-5  # peak\n"
        "overrides:\n  # nothing reads it\n  actor.optim.warmup_style: linear  # 中文\n"
    )


@pytest.mark.real
def test_what_no_field_can_say_is_an_override(edited, body):
    config = edited(
        ("    warmup_style: cosine", "    lr_scheduler: ${actor.optim.lr}"),
        ("seed: 0", "seed: null"),
        ('model_path: "/path/to/model"', "model_path: [/a]"),
        ("save_interval: 100", "save_interval: 100\nnew: {a: 1, b: {c: [x]}}"),
    )
    assert body(config) == (
        "overrides:\n  ~actor.model.model_path: null\n  ~actor.optim.warmup_style: null\n"
        "  +actor.model.model_path: [/a]\n  actor.seed: null\n"
        '  # nothing reads it\n  +actor.optim.lr_scheduler: "${actor.optim.lr}"\n  +new: {a: 1, b: {c: [x]}}\n'
    )


@pytest.mark.real
def test_a_complete_config_of_no_family_starts_from_a_base_too(tree, tmp_path, body):
    whole = tmp_path / "mine.yaml"
    leaves = read(tree / FIRST).leaves
    config = {}
    for (*above, last), value in leaves.items():
        inner = config
        for name in above:
            inner = inner.setdefault(name, {})
        inner[last] = value
    config["runner"]["max_steps"] = 7
    whole.write_text(json.dumps(config))
    assert body(whole) == "train: {steps: 7}\n"


WRONG = {
    "a spec": ("vlac: 1\nname: x\n", "is a spec of vlac already"),
    "a list": ("- a\n", "it is a list"),
    "nothing": ("# a comment\n", "it is empty"),
    "no YAML": ("a: 1\nb: [\n", "this is no config that OmegaConf reads"),
    "no text": (b"\xff\xfe", "is not UTF-8"),
    "no group": (
        "defaults:\n  - model/pi9@actor.model\na: 1\n",
        "does not compose: its defaults name model/pi9",
    ),
    "an interpolation": ("a: ${b\n", "this is no config that OmegaConf reads"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_config_is_told(text, tree, tmp_path):
    content, message = WRONG[text]
    config = tmp_path / "wrong.yaml"
    config.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises((RefusedError, SpecError), match=message):
        import_config(config, tree=tree)


def test_a_wrong_config_is_shown_with_its_place(tmp_path, capsys):
    config = tmp_path / "wrong.yaml"
    config.write_text("a: 1\nb: [1, 2\nc: 3\n")
    assert main(["import", str(config)]) == 1
    assert f"{config}:3:" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["none.yaml", "."])
def test_a_file_that_is_not_there(missing, tmp_path):
    with pytest.raises(RefusedError, match=r"no such file|is a folder"):
        import_config(tmp_path / missing)


def test_without_a_tree_what_needs_a_base_is_refused(tmp_path):
    config = tmp_path / "x.yaml"
    config.write_text("runner: {task_type: embodied}\n")
    with pytest.raises(RefusedError) as refused:
        import_config(config)
    assert "--rlinf" in refused.value.hint


BUNDLE = str(BUNDLES / "tiny_cpu-cpu-0.3/config.yaml")


def test_the_spec_is_printed_or_written_and_never_over_another(tmp_path, capsys):
    assert main(["import", BUNDLE]) == 0
    printed = capsys.readouterr().out
    spec = tmp_path / "spec.yaml"
    assert main(["import", BUNDLE, "-o", str(spec)]) == 0
    assert spec.read_text() == printed
    assert capsys.readouterr().out == ""
    spec.write_text("mine")
    assert main(["import", BUNDLE, "-o", str(spec)]) == 1
    assert spec.read_text() == "mine"
    assert "--force" in capsys.readouterr().err
    assert main(["import", BUNDLE, "-o", str(spec), "--force"]) == 0
    assert spec.read_text() == printed
    assert [path.name for path in tmp_path.iterdir()] == ["spec.yaml"]


def test_json_holds_the_spec_and_its_parts(capsys):
    assert main(["import", BUNDLE, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["form"], document["overrides"], document["diagnostics"]) == ("plain", {}, [])
    assert document["fields"]["hardware.cards"] == 8
    assert document["spec"].startswith("vlac: 1\n")


def test_a_folder_that_cannot_be_written(tmp_path, capsys):
    assert main(["import", BUNDLE, "-o", str(tmp_path / "none/spec.yaml")]) == 1
    assert "cannot be written" in capsys.readouterr().err
