"""`vlac check`: what a configuration would die of, and what in it does nothing, before anything is started.

A subject (the leaves of a configuration with their places) meets a target (what the code of an RLinf tree reads and
accepts); each module of findings looks at the two and tells.
"""

from __future__ import annotations

from vlac.check.findings import FINDINGS, find
from vlac.check.result import Checked, check_file

__all__ = ["FINDINGS", "Checked", "check_file", "find"]
