"""The starting spec of each backend."""

import argparse

import pytest

from vlac.adapter_registry import BUILT_IN, find
from vlac.commands.init import run, starting_spec
from vlac.errors import RefusedError, UsageError
from vlac.spec.load import load, load_text


@pytest.mark.parametrize("backend", BUILT_IN)
def test_it_is_a_spec_for_the_backend(tmp_path, backend):
    text = starting_spec(backend)
    loaded = load_text(text, folder=tmp_path)
    assert loaded.spec.hardware.backend == backend
    assert loaded.diagnostics == ()
    assert text.startswith("# yaml-language-server: $schema=")
    assert len(text.splitlines()) < 45


@pytest.mark.parametrize("backend", BUILT_IN)
def test_it_compiles(tmp_path, backend):
    from vlac.compiler import compile_spec_text

    assert "config.yaml" in compile_spec_text(starting_spec(backend), tmp_path).files


def test_the_cpu_trains_the_demo():
    assert "family: demo" in starting_spec("cpu")


@pytest.mark.parametrize("device", [device.name for device in find("ascend").devices])
def test_a_device_may_be_named(tmp_path, device):
    assert load_text(starting_spec("ascend", device), folder=tmp_path).spec.hardware.device == device


def test_unknown_backends_and_devices():
    with pytest.raises(UsageError, match="'tpu'"):
        starting_spec("tpu")
    with pytest.raises(UsageError, match="'H100'"):
        starting_spec("ascend", "H100")


def arguments(path, backend="cpu"):
    return argparse.Namespace(output=path, backend=backend)


def test_it_writes_a_new_file_and_never_another(tmp_path, capsys):
    path = tmp_path / "first.yaml"
    assert run(arguments(path)) == 0
    assert load(path).file == "first.yaml"
    assert str(path) in path.read_text(encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(RefusedError, match="exists"):
        run(arguments(path, "cuda"))
    assert path.read_bytes() == before
    assert capsys.readouterr().out == ""


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(RefusedError, match="cannot be written"):
        run(arguments(tmp_path / "no" / "spec.yaml"))


def test_a_dash_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from pathlib import Path

    assert run(arguments(Path("-"))) == 0
    assert capsys.readouterr().out == starting_spec("cpu")
    assert list(tmp_path.iterdir()) == []
