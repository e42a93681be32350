from __future__ import annotations

import ast
import subprocess
import sys
from types import SimpleNamespace

import pytest

from vlac.adapters import WorkerFile
from vlac.bundle.bootstrap import bootstrap_files
from vlac.errors import VlacError


def plan(family="pi05", path="/workspace/RLinf", files=(), hooks=()):
    return SimpleNamespace(
        family=SimpleNamespace(name=family),
        adapter=SimpleNamespace(name="other"),
        worker_files=files,
        worker_hooks=hooks,
        base=None,
        get={"rlinf.path": path}.get,
    )


def test_a_checkout_and_a_backend_without_hooks_need_nothing():
    assert bootstrap_files(plan()) == {}


def test_hooks_bring_the_files_of_the_adapter_and_the_module_that_calls_them():
    hook = WorkerFile("other_hook.py", b"# hook\n")
    files = bootstrap_files(plan(files=(hook,), hooks=("other_hook",)))
    assert list(files) == ["other_hook.py", "vlac_worker.py"]
    assert files["other_hook.py"] == b"# hook\n"


def test_without_a_checkout_the_bundle_brings_its_entry_script():
    assert list(bootstrap_files(plan(path=None))) == ["train_vla_sft.py"]


@pytest.mark.parametrize("path", [None, "/workspace/RLinf"])
def test_the_demo_brings_model_worker_and_entry_script(path):
    names = list(bootstrap_files(plan("demo", path)))
    assert names == sorted(names)
    assert {"train_vla_sft.py", "vlac_worker.py", "vlac_demo/__init__.py", "vlac_demo/worker.py"} <= set(
        names
    )


def test_what_is_copied_runs_without_vlac():
    """Training processes have no vlac: nothing may import it, and relative imports stay in the package."""
    for name, content in bootstrap_files(plan("demo", None)).items():
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= ("/" in name), name
                assert (node.module or "").split(".")[0] != "vlac", name
            if isinstance(node, ast.Import):
                assert all(alias.name.split(".")[0] != "vlac" for alias in node.names), name


def test_an_adapter_that_takes_a_name_of_vlac_is_told():
    taken = WorkerFile("vlac_worker.py", b"")
    with pytest.raises(VlacError, match=r"other brings `vlac_worker\.py`"):
        bootstrap_files(plan(files=(taken,), hooks=("vlac_worker",)))


def test_nothing_heavy_is_loaded_to_emit_write_and_verify():
    """A fresh process writes a bundle with the demo's files; of what was copied it has imported nothing."""
    code = """
import sys, types
from vlac.bundle import bootstrap, lock, verify, write
from vlac.rlinf import config_yaml
plan = types.SimpleNamespace(
    family=types.SimpleNamespace(name="demo"), worker_files=(), worker_hooks=(), base=None, get=lambda _: None)
bootstrap.bootstrap_files(plan)
config_yaml.emit({}, name="x")
heavy = {"torch", "ray", "jax", "hydra", "omegaconf", "numpy", "yaml", "vlac.demo", "importlib.metadata",
         "shutil", "tempfile", "importlib.resources"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
