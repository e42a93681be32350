"""Write what vlac knows about the files of RLinf versions and the keys that their code reads.

    python scripts/extract_trees.py NAME=CHECKOUT ...

NAME is a version as specs write it (`0.3=../RLinf`); all of them, in the order of `vlac/rlinf/versions.py`. Writes
`vlac/rlinf/trees/known_files.json`, by which `rlinf.version: auto` recognises a tree, and `version_reads.json`, the
keys that `vlac reads --against VERSION` compares with. To be run again when the reader finds more or less.
"""

from __future__ import annotations

import sys
from pathlib import Path

from vlac.rlinf.reads import Tree, read_tree
from vlac.rlinf.trees import known_files, version_reads
from vlac.rlinf.trees.files import read_files
from vlac.rlinf.trees.key_reads import key_reads
from vlac.rlinf.versions import VERSIONS

ROOM = Path(known_files.__file__).parent


def main(arguments: list[str]) -> int:
    """Write the files anew; 2 where a version is missing."""
    given = {name: Path(folder) for name, _, folder in (argument.partition("=") for argument in arguments)}
    if given.keys() != VERSIONS.keys():
        print(__doc__, f"Needed: {', '.join(VERSIONS)}", sep="\n", file=sys.stderr)
        return 2
    trees = {name: given[name] for name in VERSIONS}
    files = {name: read_files(tree) for name, tree in trees.items()}
    (ROOM / "known_files.json").write_text(known_files.document_of(files), encoding="utf-8")
    reads = {
        run: {name: key_reads(Tree(tree), read_tree(Tree(tree), run)) for name, tree in trees.items()}
        for run in version_reads.RUNS
    }
    (ROOM / "version_reads.json").write_text(version_reads.document_of(reads), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
