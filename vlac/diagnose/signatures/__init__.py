"""What the log of a failed training says, and what it means; hardware's own rows lie with its adapter."""

from __future__ import annotations

from vlac.diagnose.signatures import data, machine, ray, rlinf, weights

TABLES = {
    "Configuration, placement, checkpoints": rlinf.SIGNATURES,
    "Data": data.SIGNATURES,
    "Weights and models": weights.SIGNATURES,
    "Ray": ray.SIGNATURES,
    "Machine and environment": machine.SIGNATURES,
}
"""By subject, in the order in which they are asked."""
