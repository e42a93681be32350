"""RLinf trees: which version a tree is, how its keys differ from another's, and a target made from the tree itself.

`recognise` tells a checkout, an installed package or a copy of the examples by its content.
"""

from __future__ import annotations

from vlac.rlinf.trees.recognise import Comparison, Recognised, recognise

__all__ = ["Comparison", "Recognised", "recognise"]
