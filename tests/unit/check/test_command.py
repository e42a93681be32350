"""`vlac check`: files that can be checked or not, forms of output, exit codes."""

import json

import pytest

from vlac.check import check_file
from vlac.cli import main


@pytest.fixture
def run(capsys):
    def run_check(*arguments):
        code = main(["check", *map(str, arguments), "--no-cache"])
        return code, capsys.readouterr()

    return run_check


def test_exit_codes_and_streams(run, write):
    code, streams = run(write())
    assert (code, streams.out) == (0, "")
    assert "nothing found, against RLinf at" in streams.err
    code, streams = run(write(("    is_lora: false\n", "")))
    assert code == 1
    assert streams.out.startswith(f"{write()}:11:3: error[check-key-missing]:")
    assert "1 error" in streams.err


def test_warnings_do_not_fail(run, write):
    code, streams = run(write(("/data/libero", "/path/to/data")))
    assert code == 0
    assert "warning[check-placeholder]" in streams.out


def test_json(run, write):
    path = write(("    is_lora: false\n", ""), ("/data/libero", "/path/to/data"))
    code, streams = run(path, "--json")
    document = json.loads(streams.out)
    assert code == 1
    assert [one["code"] for one in document["diagnostics"]] == ["check-placeholder", "check-key-missing"]
    assert document["diagnostics"][1]["file"] == str(path)
    summary = document["summary"]
    assert (summary["kind"], summary["errors"], summary["warnings"]) == ("config", 1, 1)
    assert summary["entries"] == ["examples/sft/train_vla_sft.py"]
    assert streams.err == ""


def test_github(run, write):
    path = write(("    is_lora: false\n", ""))
    code, streams = run(path, "--format", "github")
    assert code == 1
    assert streams.out.startswith(f"::error file={path},line=11,col=3,title=check-key-missing::")


def test_wrong_usage():
    with pytest.raises(SystemExit) as ended:
        main(["check"])
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: [1\n", "yaml-syntax"),
        ("a: 1\na: 2\n", "yaml-duplicate-key"),
        ("- a\n", "check-no-config"),
        (b"\xff\xfe", "spec-not-utf8"),
        (None, "spec-unreadable"),
    ],
)
def test_files_that_are_no_config(run, tree, text, code):
    path = tree / "x.yaml"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    status, streams = run(path, "--json")
    found = json.loads(streams.out)["diagnostics"]
    assert status == 1
    assert [one["code"] for one in found] == [code]
    assert found[0]["file"] == str(path)


def test_an_empty_config_says_what_is_not_known(run, tree):
    path = tree / "x.yaml"
    path.write_text("")
    _, streams = run(path, "--rlinf", tree)
    assert "not looked at: which keys the run reads" in streams.out


def test_a_secret_is_not_repeated(run, write):
    _, streams = run(write(("  optim:", "  api_key: ${nothing.here}\n  optim:")))
    assert "check-interpolation" in streams.out
    assert "api_key: $" not in streams.out


def test_a_tree_that_is_none(run, write, tmp_path):
    code, streams = run(write(), "--rlinf", tmp_path / "nowhere")
    assert code == 1
    assert "no such folder" in streams.out + streams.err


def test_merge_keys_of_yaml(write):
    text = "x: &x {is_lora: false, model_type: openpi}\n" + write().read_text()
    path = write(("    model_type: openpi\n    is_lora: false\n", "    <<: *x\n"), text=text)
    assert check_file(path).diagnostics == ()


SPEC = """\
vlac: 1
name: t
rlinf: {version: "0.3"}
model: {family: pi05, weights: /w}
data: {path: /d, config: pi05_libero}
hardware: {backend: ascend, device: 910B3, cards: 8}
train: {steps: 1000}
"""


def test_a_spec_against_the_tables(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC)
    checked = check_file(path)
    assert checked.kind == "spec"
    assert {one.severity for one in checked.diagnostics} == {"note"}  # what no checkout could be asked
    assert "0.3" in checked.target.described
    path.write_text(SPEC + "overrides: {~actor.model.is_lora: null, ~actor.global_batch_size: null}\n")
    assert {one.code for one in check_file(path).diagnostics} == {"override-of-field"}


def test_a_spec_that_is_wrong_is_told_with_the_file_as_typed(run, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "spec.yaml").write_text(SPEC.replace("steps", "stepz"))
    monkeypatch.chdir(tmp_path)
    code, streams = run("sub/spec.yaml")
    assert code == 1
    assert streams.out.startswith("sub/spec.yaml:7:9: error[spec-unknown-key]")


def test_a_deleted_key_of_a_spec_is_missing(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC + "overrides: {~actor.training_backend: null, actor.optim.warmup_stile: 1}\n")
    codes = [one.code for one in check_file(path).diagnostics]
    assert codes[0] == "override-unknown"
    path.write_text(SPEC + "overrides: {~actor.training_backend: null}\n")
    (found, *_) = check_file(path).diagnostics
    assert (found.code, found.severity) == ("check-key-missing", "error")
    assert "actor.training_backend" in found.message
