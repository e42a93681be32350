"""Write vlac/diff/known_blobs.json: git's ids of the files of the known RLinf versions.

usage: extract_blobs.py VERSION=CHECKOUT ...   (git checkouts at the commits of vlac/rlinf/versions.py)
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from vlac.rlinf.versions import VERSIONS

LENGTH = 10  # hexadecimal digits kept; git abbreviates to seven or more
SUFFIXES = (".py", ".yaml", ".yml", ".sh", ".toml")
PARTS = ("rlinf/", "examples/", "evaluations/", "requirements/", "pyproject.toml")
DATA = Path(__file__).parents[1] / "vlac/diff/known_blobs.json"


def blobs(tree: str, commit: str) -> dict[str, str]:
    """The ids of a commit's files that a patch of RLinf may change."""
    listing = subprocess.check_output(["git", "-C", tree, "ls-tree", "-r", commit], text=True)
    rows = (line.split(maxsplit=3) for line in listing.splitlines())
    return {row[3]: row[2][:LENGTH] for row in rows if row[3].startswith(PARTS) and row[3].endswith(SUFFIXES)}


def main(arguments: list[str]) -> None:
    """Read every checkout and write the table."""
    trees = dict(argument.split("=", 1) for argument in arguments)
    found = {name: blobs(tree, VERSIONS[name].commit) for name, tree in trees.items()}
    rows = {
        file: [ids.get(file, "-") for ids in found.values()]
        for file in sorted({file for ids in found.values() for file in ids})
    }
    lines = {file: row[0] if len(set(row)) == 1 else " ".join(row) for file, row in rows.items()}
    DATA.write_text(json.dumps({"versions": list(trees), "files": lines}, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
