"""A rehearsal of a run: the code of a tree is followed with one configuration, up to where only the run knows more.

Other than the reader beside it, which joins all ways into what any run reads, this follows one configuration value by
value, and so decides assertions.
"""

from __future__ import annotations

from vlac.rlinf.reads.rehearsal.api import rehearse
from vlac.rlinf.reads.rehearsal.devices import Devices
from vlac.rlinf.reads.rehearsal.refusal import Refusal, Rehearsal

__all__ = ["Devices", "Refusal", "Rehearsal", "rehearse"]
