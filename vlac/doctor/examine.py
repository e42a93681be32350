"""The way of an examination: every group in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.doctor.data import data
from vlac.doctor.machine import machine
from vlac.doctor.norm_stats import norm_stats
from vlac.doctor.software import software
from vlac.doctor.subject import Subject
from vlac.doctor.weights import weights

if TYPE_CHECKING:
    from vlac.doctor.finding import Finding
    from vlac.run.launch import Launch

CHECKS = (data, norm_stats, weights, software, machine)


def examine(launch: Launch) -> tuple[Finding, ...]:
    """Look at everything that a run needs, before it starts. Nothing is written, nothing is downloaded."""
    subject = Subject(launch)
    return tuple(finding for check in CHECKS for finding in check(subject))
