"""Interpolations that lead nowhere, or name a resolver that nobody registers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vlac.check.subject import dotted
from vlac.rlinf.interpolation import missing, returns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.check.subject import Finding, Subject
    from vlac.check.target import Target
    from vlac.rlinf.templates import Key

_RESOLVER = re.compile(r"\$\{\s*([A-Za-z_][\w.]*)\s*:")
_ABSOLUTE = re.compile(r"\$\{\s*([\w.,-]+)\s*\}")
_RELATIVE = re.compile(r"\$\{\s*(\.+)([\w.,-]+)\s*\}")
_SELECTED = re.compile(r"\$\{\s*oc\.select\s*:\s*([\w.-]+)")


def interpolations(subject: Subject, target: Target) -> Iterator[Finding]:
    """Each value whose interpolation cannot be resolved: RLinf resolves the whole configuration at its start."""
    leaves = dict(subject.leaves)
    for key, setting in subject.leaves.items():
        if not _interpolates(setting.value):
            continue
        absent = missing(key, setting.value, leaves)
        if absent is not None and not _is_written(absent, target):
            message = f"nothing is at `{dotted(absent)}`, which `{dotted(key)}` takes its value from"
            yield subject.finding("check-interpolation", message, key, hint=_near(absent, subject))
        elif returns(key, setting.value, leaves):
            message = f"the interpolation of `{dotted(key)}` leads back to it"
            yield subject.finding("check-interpolation", message, key)
        yield from _resolvers(subject, target, key, str(setting.value))


def named(subject: Subject) -> Iterator[Key]:
    """The keys and sections that interpolations lead to."""
    for key, setting in subject.leaves.items():
        text = str(setting.value) if _interpolates(setting.value) else ""
        for name in (*_ABSOLUTE.findall(text), *_SELECTED.findall(text)):
            yield tuple(name.split("."))
        for dots, name in _RELATIVE.findall(text):
            yield (*key[: max(0, len(key) - len(dots))], *name.split("."))


def _interpolates(value: object) -> bool:
    return "${" in str(value)


def _is_written(key: Key, target: Target) -> bool:
    """Whether RLinf sets a key, or a section around it, before it resolves anything."""
    heads = (key[:size] for size in range(1, len(key) + 1))
    return any(read.kind == "written" for head in heads for read in target.by_key.get(head, ()))


def _resolvers(subject: Subject, target: Target, key: Key, text: str) -> Iterator[Finding]:
    known = target.words("resolvers")
    for name in dict.fromkeys(_RESOLVER.findall(text)):
        if known and name not in known:
            message = f"`{dotted(key)}` asks for the resolver `{name}`, which this RLinf does not register"
            yield subject.finding("check-interpolation", message, key, hint=f"there are {', '.join(known)}")


def _near(absent: Key, subject: Subject) -> str | None:
    from difflib import get_close_matches

    close = get_close_matches(dotted(absent), [dotted(key) for key in subject.leaves], n=1, cutoff=0.7)
    return f"did you mean {close[0]}?" if close else None
