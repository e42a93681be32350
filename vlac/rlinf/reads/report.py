"""What a run reads, as a result: keys by kind with their places; as JSON and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from vlac.rlinf.reads.known import ABSENT, Known
from vlac.rlinf.reads.log import Kind, Place
from vlac.rlinf.reads.tree import Unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vlac.rlinf.reads.analysis import Followed
    from vlac.rlinf.reads.values import Key

KINDS = ("strict", "defaulted", "guarded", "written")
Places: TypeAlias = "tuple[Place, ...]"


@dataclass(frozen=True)
class Read:
    """One key read in one way.

    `strict`: every run of this kind reads it as an attribute or item, and nothing sets it before. `defaulted`: with
    a default. `guarded`: on some ways only, behind a test. `written`: set before it is read. `conditional` marks a
    guarded key that no test asks for: some run of this kind reads it, and dies where it is missing.
    """

    key: Key
    kind: str
    places: Places
    conditional: bool = False

    @property
    def name(self) -> str:
        """The key with dots."""
        return ".".join(self.key)


@dataclass(frozen=True)
class Reads:
    """What a kind of run reads.

    `handed_on` are sections that go whole to code that is not followed; `enumerations` the words that the tree
    accepts, by what they are for.
    """

    reads: tuple[Read, ...]
    handed_on: tuple[tuple[Key, Places], ...]
    entries: tuple[str, ...]
    unread: tuple[Unread, ...]
    enumerations: Mapping[str, tuple[str, ...]]

    def of_kind(self, kind: str) -> dict[Key, Read]:
        """The reads of one kind by key."""
        return {read.key: read for read in self.reads if read.kind == kind}

    def missing(self, config: Mapping[str, object]) -> list[Read]:
        """The strict reads that a composed configuration has no key for."""
        known = Known(config=config)
        strict = self.of_kind("strict").values()
        absent = [read for read in strict if known.look_up(read.key) is ABSENT]
        return [read for read in absent if known.look_up(read.key[:-1]) is not ABSENT or len(read.key) == 1]


def gather(
    every: Sequence[Followed],
    entries: Iterable[str],
    unread: Iterable[Unread],
    enumerations: Mapping[str, tuple[str, ...]],
) -> Reads:
    """The reads of all scripts that may start the run: strict is what each of them needs."""
    places: dict[tuple[Key, str], set[Place]] = {}
    conditional: set[Key] = set()
    required = frozenset.intersection(*(followed.required for followed in every))
    for followed in every:
        for key, found in followed.log.reads.items():
            for place, kind in found.items():
                named = kind.name.lower()
                if kind is Kind.STRICT and key not in required:
                    conditional.add(key)
                    named = "guarded"
                places.setdefault((key, named), set()).add(place)
    reads = (
        Read(key, kind, tuple(sorted(found)), kind == "guarded" and key in conditional)
        for (key, kind), found in sorted(places.items())
    )
    return Reads(tuple(reads), _handed_on(every), tuple(entries), tuple(unread), enumerations)


def _handed_on(every: Sequence[Followed]) -> tuple[tuple[Key, Places], ...]:
    joined: dict[Key, set[Place]] = {}
    for followed in every:
        for key, places in followed.log.handed_on.items():
            joined.setdefault(key, set()).update(places)
    return tuple((key, tuple(sorted(places))) for key, places in sorted(joined.items()))


def to_json(reads: Reads) -> dict[str, Any]:  # JSON: values of several types
    """The result as JSON: one object for each key and kind."""
    return {
        "entries": list(reads.entries),
        "reads": [_read_to_json(read) for read in reads.reads],
        "handed_on": [
            {"key": ".".join(key), "path": list(key), "places": _places_to_json(places)}
            for key, places in reads.handed_on
        ],
        "unread": [{"file": u.file, "line": u.line, "reason": u.reason} for u in reads.unread],
        "enumerations": {name: list(words) for name, words in reads.enumerations.items()},
    }


def _read_to_json(read: Read) -> dict[str, Any]:  # JSON: values of several types
    row = {"key": read.name, "path": list(read.key), "kind": read.kind}
    extra = {"conditional": True} if read.conditional else {}
    return {**row, **extra, "places": _places_to_json(read.places)}


def _places_to_json(places: Places) -> list[dict[str, Any]]:  # JSON: values of several types
    return [{"file": place.file, "line": place.line} for place in places]


def from_json(document: Mapping[str, Any]) -> Reads:  # JSON: values of several types
    """The result that `to_json` wrote. KeyError or TypeError where it is not of that form."""
    return Reads(
        tuple(
            Read(tuple(row["path"]), row["kind"], _places(row), row.get("conditional", False))
            for row in document["reads"]
        ),
        tuple((tuple(row["path"]), _places(row)) for row in document["handed_on"]),
        tuple(document["entries"]),
        tuple(Unread(row["file"], row["line"], row["reason"]) for row in document["unread"]),
        {name: tuple(words) for name, words in document["enumerations"].items()},
    )


def _places(row: Mapping[str, Any]) -> Places:  # JSON: values of several types
    return tuple(Place(place["file"], place["line"]) for place in row["places"])


def to_text(reads: Reads) -> str:
    """The result for people: a line a key and kind, the kinds one after the other."""
    width = min(60, max((len(read.name) for read in reads.reads), default=0))
    lines: list[str] = []
    for kind in KINDS:
        found = reads.of_kind(kind).values()
        lines += ["", f"{kind}: {len(found)} keys"] if found else []
        lines += [f"  {read.name:{width}}  {_shown(read.places)}" for read in found]
    return "\n".join(lines[1:]) + "\n" if lines else ""


def _shown(places: Places) -> str:
    first = f"{places[0].file}:{places[0].line}"
    return f"{first} and {len(places) - 1} more" if len(places) > 1 else first
