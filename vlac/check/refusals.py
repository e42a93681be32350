"""RLinf's own assertions, evaluated on the configuration: what its code refuses before it needs devices or data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal import Devices, rehearse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.reads.rehearsal import Refusal
    from vlac.rlinf.templates import Key


def refusals(subject: Subject, target: Target, told: Sequence[Key]) -> tuple[list[Finding], tuple[str, ...]]:
    """The lines of the tree that end every such run, and what could not be decided.

    `told` are keys with an error already: what RLinf says of them is no second problem.
    """
    if target.tree is None or not target.entries:
        return [], ()
    try:
        rehearsal = rehearse(
            target.tree,
            subject.nested,
            devices=_devices(subject),
            entries=target.entries,
            folder=target.cache,
        )
    except Exception as fault:  # a tree that the rehearsal does not understand costs its findings alone
        return [], (
            f"RLinf's own assertions: vlac does not understand this tree ({type(fault).__name__}: {fault})",
        )
    found = [one for one in rehearsal.fatal if not any(_concerns(one, key) for key in told)]
    open_matters = (
        () if rehearsal.complete else ("all of RLinf's own assertions: its code goes on for too long",)
    )
    return [_finding(subject, one) for one in found], open_matters


def _devices(subject: Subject) -> Devices:
    nodes = subject.value("cluster", "num_nodes")
    if subject.accelerators is None or not isinstance(nodes, int) or not nodes:
        return Devices()
    return Devices(subject.accelerators // nodes)


def _concerns(refusal: Refusal, key: Key) -> bool:
    return any(one[: len(key)] == key or key[: len(one)] == one for one in refusal.keys)


def _finding(subject: Subject, refusal: Refusal) -> Finding:
    said = " ".join(refusal.message.split()) or refusal.condition
    at = f"{refusal.file}:{refusal.line}"
    message = f"RLinf refuses this ({refusal.error} at {at}): {said}"
    hint = f"it asks for {refusal.condition}" if refusal.kind == "assert" and refusal.message else None
    key = next((one for one in refusal.keys if subject.has(one)), (*refusal.keys, ())[0])
    return subject.finding("check-assertion", message, key, hint=hint)
