import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_tables_of_the_page_are_those_of_the_signatures():
    path = ROOT / "scripts/generate_signatures.py"
    spec = importlib.util.spec_from_file_location("generate_signatures", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.main(["--check"]) == 0
