"""Which configuration keys the code of an RLinf tree reads, found without importing or running it.

`read_tree` answers for a kind of run (task, model type, training backend), `read_for` for one whole configuration.
An abstract interpreter follows the configuration object from the entry script: through calls, attributes of objects,
inheritance, aliases, closures and registries. What it cannot follow it leaves alone.
"""

from __future__ import annotations

from vlac.rlinf.reads.api import find_installed, read_for, read_tree
from vlac.rlinf.reads.entries import Run
from vlac.rlinf.reads.enumerations import enumerations
from vlac.rlinf.reads.report import Read, Reads
from vlac.rlinf.reads.tree import Tree

__all__ = ["Read", "Reads", "Run", "Tree", "enumerations", "find_installed", "read_for", "read_tree"]
