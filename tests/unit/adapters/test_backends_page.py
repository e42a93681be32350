"""docs/backends.md says what the adapters do."""

import subprocess
import sys
from pathlib import Path

from vlac import adapter_registry

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "generate_backends.py"
PAGE = (ROOT / "docs" / "backends.md").read_text(encoding="utf-8")


def test_the_page_is_up_to_date():
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_every_variable_and_device_is_on_it():
    for name in adapter_registry.BUILT_IN:
        adapter = adapter_registry.find(name)
        assert all(f"| `{variable.name}` |" in PAGE for variable in adapter.variables)
        assert all(f"| `{device.name}` |" in PAGE for device in adapter.devices)


def test_every_row_of_a_table_has_as_many_cells_as_its_head():
    width = 0
    for line in PAGE.splitlines():
        cells = line.count("|") - line.count("\\|")
        width = width or cells
        assert not line.startswith("| ") or cells == width, line
        width = 0 if not line.startswith("|") else width
