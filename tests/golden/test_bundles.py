"""Golden bundles, one a spec x backend x RLinf version. `VLAC_REFRESH=1 pytest tests/golden` writes them anew."""

import os
from pathlib import Path

import pytest

import vlac

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "bundles"
VERSIONS = ("0.3", "main", "a4b6abe20")
CASES = [
    *(
        ("pi05_libero10_8x910b3", backend, version)
        for backend in ("ascend:910B3", "cuda:H100", "cpu")
        for version in VERSIONS
    ),
    *(("tiny_cpu", "cpu", version) for version in VERSIONS),
]
# bootstrap/ and the body of launch.sh are source code of this repository; the lock holds the hash of each file.
BODY = b"# From here on the script is the same in each bundle."
SHOWN = ("config.yaml", "run.env", "launch.sh", "vlac.lock.json")


def compiled(spec, backend, version):
    own = spec == "tiny_cpu" or backend == "ascend:910B3"
    sets = [f"rlinf.version='{version}'"]
    return vlac.compile(ROOT / "specs" / f"{spec}.yaml", backend=None if own else backend, sets=sets)


@pytest.mark.parametrize(("spec", "backend", "version"), CASES)
def test_bundle_is_the_golden_one(spec, backend, version):
    folder = GOLDEN / f"{spec}-{backend.replace(':', '-')}-{version}"
    files = {name: compiled(spec, backend, version).files[name].partition(BODY)[0] for name in SHOWN}
    if os.environ.get("VLAC_REFRESH"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    for name, content in files.items():
        golden = (folder / name).read_text(encoding="utf-8")
        assert content.decode() == golden, f"{folder.name}/{name} changed; VLAC_REFRESH=1 writes the new one"


def test_no_golden_bundle_is_left_over():
    expected = {f"{spec}-{backend.replace(':', '-')}-{version}" for spec, backend, version in CASES}
    assert {path.name for path in GOLDEN.iterdir()} == expected
