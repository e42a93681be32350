"""Placements that RLinf cannot read, or that lie outside the cluster (rlinf/scheduler/placement, v0.3 and main)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.templates import Key

_SECTION: Key = ("cluster", "component_placement")
_RESERVED = ("cluster", "node")  # labels of RLinf's own (rlinf/scheduler/cluster/config.py)
_SPAN = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")


def placement(subject: Subject, _target: Target) -> Iterator[Finding]:
    """What is wrong with `cluster.component_placement` and with the nodes of `cluster.node_groups`."""
    section = subject.nested.get("cluster")
    if not isinstance(section, Mapping):
        return
    groups = [group for group in _list(section.get("node_groups")) if isinstance(group, Mapping)]
    yield from _nodes(subject, groups, section.get("num_nodes"))
    placed = section.get("component_placement")
    if not isinstance(placed, Mapping):
        return
    yield from _twice(subject, placed)
    for names, where in placed.items():
        yield from _one(subject, str(names), where, groups)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _nodes(subject: Subject, groups: list[Mapping[str, object]], count: object) -> Iterator[Finding]:
    """Nodes of a group that the cluster does not have."""
    if not isinstance(count, int):
        return
    for group in groups:
        ranks = _ranks(str(group.get("node_ranks", "")))
        outside = sorted(rank for rank in ranks or () if rank >= count)
        if outside:
            message = f"the node group {group.get('label')} has node {outside[0]}, the cluster has {_nodes_of(count)}"
            yield subject.finding(
                "check-placement", message, ("cluster", "node_groups"), hint=_raise_nodes(outside)
            )


def _nodes_of(count: int) -> str:
    return "node 0 alone" if count == 1 else f"nodes 0 to {count - 1}"


def _raise_nodes(outside: list[int]) -> str:
    return f"cluster.num_nodes: {outside[-1] + 1}, or other node_ranks"


def _twice(subject: Subject, placed: Mapping[object, object]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for names in map(str, placed):
        parts = [part.strip() for part in names.split(",")]
        again = [part for part in parts if part in seen]
        if again:
            others = " and ".join(dict.fromkeys(f"`{seen[part]}`" for part in again))
            message = f"`{names}` places {', '.join(again)} again, after {others}"
            hint = "place each component once; lines of another file that is composed count too"
            yield subject.finding("check-placement", message, (*_SECTION, names), hint=hint)
        seen.update((part, names) for part in parts if part not in seen)


def _one(
    subject: Subject, names: str, where: object, groups: list[Mapping[str, object]]
) -> Iterator[Finding]:
    """One placement: its node groups, and its ranks."""
    key = (*_SECTION, names)
    labels: list[str] = []
    if isinstance(where, Mapping):
        labels = [part.strip() for part in str(where.get("node_group", "")).split(",") if part.strip()]
        if isinstance(where.get("node_group"), list):
            labels = [str(label) for label in _list(where.get("node_group"))]
        where = where.get("placement")
    known = {str(group.get("label")) for group in groups} | set(_RESERVED)
    for label in labels:
        if label not in known and "${" not in label:
            message = f"{names} is placed on the node group {label}, which cluster.node_groups does not have"
            hint = f"the groups are {', '.join(sorted(known))}"
            yield subject.finding("check-placement", message, key, hint=hint)
    complaint = _complaint(str(where), None if labels else subject.accelerators)
    if complaint and "${" not in str(where):
        yield subject.finding("check-placement", f"{names}: {complaint}", key)


def _complaint(text: str, accelerators: int | None) -> str | None:
    """What RLinf would say to a placement (`_parse_rank_map`); None where it takes it."""
    resources: list[int] = []
    processes: list[int] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        where, _, what = part.partition(":")
        is_all = where.strip().lower() == "all"
        named = list(range(accelerators or 0)) if is_all else _ranks(where)
        if named is None or ":" in what:
            return f"`{part}` is no placement: write ranks as 0-3, all, or 0-3:0-7 for processes on them"
        running = _ranks(what) if what.strip() else None
        if what.strip() and running is None:
            return f"`{what}` are no process ranks: write them as 0-7"
        if set(named) & set(resources) or (named and resources and named[0] < resources[-1]):
            return f"the ranks of `{text}` must rise, each once"
        first = processes[-1] + 1 if processes else 0
        if running is not None and processes and running[0] != first:
            return f"the process ranks of `{text}` must follow one another: {first} is expected, not {running[0]}"
        if running is not None and named and max(len(named), len(running)) % min(len(named), len(running)):
            return (
                f"`{part}`: {len(running)} processes cannot be spread evenly over {len(named)} accelerators"
            )
        resources += named
        processes += running if running is not None else range(first, first + len(named))
    if accelerators is not None and resources and resources[-1] >= accelerators:
        return f"`{text}` names accelerator {resources[-1]}, and the cluster has 0 to {accelerators - 1}"
    return None


def _ranks(text: str) -> list[int] | None:
    """The ranks of `0-3` or `5`, or of several with commas; None where it is neither."""
    found: list[int] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _SPAN.fullmatch(part)
        if match is None or int(match[2] or match[1]) < int(match[1]):
            return None
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return found or None
