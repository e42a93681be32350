"""The plain modules of `bootstrap/`: hooks are called in order, and a failing one ends the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HOOK = "import os\n\ndef register():\n    with open('calls', 'a') as calls:\n        calls.write(__name__ + ' ')\n"
# What RLinf 0.3.0 does around register(): it logs what it catches and goes on.
RLINF = "try:\n    import vlac_worker\n    vlac_worker.register()\nexcept Exception:\n    pass\nprint('training')\n"


def run(folder: Path, hooks: str | None) -> subprocess.CompletedProcess[str]:
    paths = [str(ROOT / "vlac/rlinf/worker"), str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("VLAC_WORKER_HOOKS", None)
    if hooks is not None:
        environment["VLAC_WORKER_HOOKS"] = hooks
    command = [sys.executable, "-c", RLINF]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_hooks_run_in_order(tmp_path: Path) -> None:
    for name in ("first_hook", "second_hook"):
        (tmp_path / f"{name}.py").write_text(HOOK)
    assert run(tmp_path, " second_hook, first_hook,").stdout == "training\n"
    assert (tmp_path / "calls").read_text() == "second_hook first_hook "


@pytest.mark.parametrize("hooks", [None, "", " , "])
def test_no_hooks_are_fine(tmp_path: Path, hooks: str | None) -> None:
    assert run(tmp_path, hooks).stdout == "training\n"


@pytest.mark.parametrize(
    "body", ["import no_such_module", "raise RuntimeError('no')", "raise SystemExit(0)", "register = None"]
)
def test_a_failing_hook_ends_the_process(tmp_path: Path, body: str) -> None:
    (tmp_path / "bad_hook.py").write_text(body + "\n")
    result = run(tmp_path, "bad_hook")
    assert result.returncode == 1
    assert "training" not in result.stdout
    assert "worker hook 'bad_hook' (VLAC_WORKER_HOOKS) failed" in result.stderr


def test_the_demo_package_imports_nothing_heavy() -> None:
    code = "import sys, vlac.demo; print(sorted({'torch', 'numpy', 'rlinf', 'pyarrow'} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def test_the_demo_package_imports_itself_relatively() -> None:
    for path in (ROOT / "vlac/demo").glob("*.py"):
        text = path.read_text()
        assert "import vlac" not in text and "from vlac" not in text, path.name
