"""What Hydra makes of an RLinf config: its leaves, each with the file and the line that decided it.

Hydra itself composes, so that packages, overrides and the search path mean what they mean to RLinf; it comes with the
optional extra `compose` and is imported when it is used.
"""

from __future__ import annotations

from vlac.rlinf.compose.compose import compose
from vlac.rlinf.compose.composition import Composed, ComposeError, Composition
from vlac.rlinf.compose.layout import Layout, layout_of

__all__ = ["ComposeError", "Composed", "Composition", "Layout", "compose", "layout_of"]
