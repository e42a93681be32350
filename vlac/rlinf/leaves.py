"""The leaves of an RLinf configuration: a setting by its key, a path of mapping keys."""

from __future__ import annotations

from vlac.plan.origins import Setting
from vlac.rlinf.templates import Key

Leaves = dict[Key, Setting]
"""In the order in which config.yaml writes them."""
