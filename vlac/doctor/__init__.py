"""What is looked at before a run, by headers and samples: data, statistics, weights, software and machine."""

from __future__ import annotations

from vlac.doctor.finding import Finding, Group, State

__all__ = ["Finding", "Group", "State"]
