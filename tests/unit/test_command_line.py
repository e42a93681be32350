"""The command as a process: streams that are closed, full or of another encoding, names of files, JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """\
vlac: 1
name: 中文跑
rlinf: {version: "0.3"}
model: {family: pi05, weights: /w}
data: {path: /d, config: pi05_libero}
hardware: {backend: ascend, device: 910B3, cards: 8}
"""


def vlac(*arguments, cwd, **given):
    command = [sys.executable, "-m", "vlac", *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | given
    return subprocess.run(command, cwd=cwd, check=False, **streams)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "规.yaml").write_text(SPEC + "train: {steps: 1000, seed: 1}\n", encoding="utf-8")
    (tmp_path / "坏.yaml").write_text(SPEC + "训练: 1\n", encoding="utf-8")
    return tmp_path


ENCODINGS = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("compile", "规.yaml"), 0),
        (("compile", "坏.yaml", "--format", "github"), 1),
        (("plan", "规.yaml"), 0),
        (("explain", "规.yaml", "name"), 0),
    ],
)
def test_what_an_encoding_lacks_is_escaped(folder, encoding, arguments, code):
    ran = vlac(*arguments, cwd=folder, env={**os.environ, **encoding})
    assert (ran.returncode, b"internal error" in ran.stderr, b"Traceback" in ran.stderr) == (
        code,
        False,
        False,
    )
    assert (ran.stdout + ran.stderr).isascii()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_json_is_json_in_every_encoding(folder, encoding):
    ran = vlac("compile", "坏.yaml", "--json", cwd=folder, env={**os.environ, **encoding})
    told = json.loads(ran.stdout.decode("ascii"))["diagnostics"]
    assert any("训练" in problem["message"] for problem in told)


def test_a_bundle_does_not_depend_on_the_encoding_of_file_names(folder):
    (folder / "父.yaml").write_text("model: {tune: expert}\n", encoding="utf-8")
    (folder / "子.yaml").write_text(SPEC + "extends: 父.yaml\ntrain: {steps: 9}\n", encoding="utf-8")
    for name, encoding in (("a", {}), ("b", ENCODINGS[2])):
        ran = vlac("compile", "子.yaml", "-o", name, cwd=folder, env={**os.environ, **encoding})
        assert ran.returncode == 0, ran.stderr
    for file in ("config.yaml", "run.env", "vlac.lock.json"):
        assert (folder / "a" / file).read_bytes() == (folder / "b" / file).read_bytes()
    assert "父.yaml:1:15" in (folder / "a" / "vlac.lock.json").read_text(encoding="utf-8")


def test_a_file_name_that_is_no_utf8_compiles(folder):
    name = os.fsdecode(b"c\xff.yaml")
    (folder / name).write_text(SPEC + "train: {steps: 9}\n", encoding="utf-8")
    ran = vlac("compile", name, "-o", "out", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert r"c\\xff.yaml:2:7" in (folder / "out" / "vlac.lock.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("spec", "code"), [("规.yaml", 0), ("坏.yaml", 1)])
def test_closed_streams_change_nothing_but_the_silence(folder, spec, code):
    script = f'exec "$0" -m vlac compile {spec} -o out >&- 2>&-'
    assert subprocess.run(["bash", "-c", script, sys.executable], cwd=folder, check=False).returncode == code
    assert (folder / "out" / "config.yaml").exists() == (code == 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [("plan", "规.yaml"), ("compile", "规.yaml", "-o", "out"), ("schema",)])
def test_a_full_disk_is_not_the_fault_of_vlac(folder, arguments):
    with Path("/dev/full").open("wb") as full:
        ran = vlac(*arguments, cwd=folder, stdout=full)
    assert ran.returncode == 1
    assert b"the output cannot be written: No space left on device" in ran.stderr
    assert b"internal error" not in ran.stderr


@pytest.mark.parametrize(("spec", "code"), [("规.yaml", 0), ("坏.yaml", 1)])
def test_who_reads_no_further_still_gets_the_exit_code(folder, spec, code):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        ran = vlac("plan", spec, cwd=folder, stdout=pipe, stderr=pipe)
    assert ran.returncode == code


def test_a_working_folder_that_is_gone_is_told(folder):
    gone = folder / "gone"
    gone.mkdir()
    script = f'rmdir "{gone}" && exec "$0" -m vlac compile "{folder}/规.yaml"'
    ran = subprocess.run(["bash", "-c", script, sys.executable], cwd=gone, capture_output=True, check=False)
    assert ran.returncode == 1
    assert b"the working folder is gone" in ran.stderr


def test_print_after_is_one_json_document_with_the_warnings(folder):
    ran = vlac("compile", "规.yaml", "--print-after", "schedule", "--json", cwd=folder)
    document = json.loads(ran.stdout)
    assert [problem["code"] for problem in document["diagnostics"]] == ["spec-field-ignored"]
    assert document["settings"]["train.decay_steps"]["value"] == 1000


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_print_after_never_shows_a_secret(folder, form):
    spec = SPEC + "train: {steps: 9}\nenv: {MYK: sk-123}\nsecrets: [MYK]\n"
    (folder / "s.yaml").write_text(spec, encoding="utf-8")
    ran = vlac("compile", "s.yaml", "--print-after", "environment", *form, cwd=folder)
    assert ran.returncode == 1
    assert b"sk-123" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("subject", [("规.yaml", "train.lr"), ("spec-type",)])
def test_explain_as_json_holds_the_diagnostics(folder, subject):
    document = json.loads(vlac("explain", *subject, "--json", cwd=folder).stdout)
    found = [problem["code"] for problem in document["diagnostics"]]
    assert found == (["spec-field-ignored"] if len(subject) == 2 else [])


def test_a_value_with_control_characters_is_shown_escaped(folder):
    spec = SPEC + 'train: {steps: 9}\nenv: {A: "a\\e[31mb\\nc"}\n'
    (folder / "s.yaml").write_text(spec, encoding="utf-8")
    ran = vlac("plan", "s.yaml", cwd=folder)
    assert rb'"a\u001b[31mb\nc"' in ran.stdout and b"\x1b" not in ran.stdout
