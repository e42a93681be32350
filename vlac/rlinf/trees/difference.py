"""How the keys that one tree reads differ from another's: new, gone, moved, read in another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from vlac.rlinf.templates import Key
    from vlac.rlinf.trees.key_reads import KeyReads, Kinds, ReadPlace

SURE, LIKELY, POSSIBLE = "sure", "likely", "possible"
_ORDER = (SURE, LIKELY, POSSIBLE)


@dataclass(frozen=True, slots=True)
class Moved:
    """A key that is gone and a new one that seems to be the same: both end alike, or lie in the same section.

    `surety` is `sure` where both end alike and are read in the same function, `likely` where they are read in the same
    file, in functions of the same name, or (renamed) in the same functions in the same way; `possible` where less
    speaks for it. `why` says so in words.
    """

    old: Key
    new: Key
    surety: str
    why: str


@dataclass(frozen=True, slots=True)
class Words:
    """What a tree accepts more, and what it accepts no longer."""

    new: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """A tree beside an older or another one. `new`, `gone` and `changed` do not hold the keys of `moved`.

    `changed` are keys that both read, in other ways: what they are in the other tree, and in this one.
    """

    new: Mapping[Key, Kinds]
    gone: Mapping[Key, Kinds]
    moved: tuple[Moved, ...]
    changed: Mapping[Key, tuple[Kinds, Kinds]]
    words: Mapping[str, Words]

    @property
    def is_empty(self) -> bool:
        """Whether the two read the same keys in the same ways and accept the same words."""
        return not (self.new or self.gone or self.moved or self.changed or self.words)

    def count(self, kind: str) -> int:
        """How many new keys are read in this way."""
        return sum(kind in kinds for kinds in self.new.values())


def difference(other: KeyReads, this: KeyReads) -> Difference:
    """How `this` differs from `other`."""
    gone = {key: kinds for key, kinds in other.keys.items() if key not in this.keys}
    new = {key: kinds for key, kinds in this.keys.items() if key not in other.keys}
    both = (key for key in this.keys if key in other.keys)
    changed = {
        key: (other.keys[key], this.keys[key])
        for key in both
        if other.keys[key].keys() != this.keys[key].keys()
    }
    moved = [*_moved(gone, new)]
    gone, new = _without(gone, (move.old for move in moved)), _without(new, (move.new for move in moved))
    renamed = [*_renamed(gone, new)]
    gone, new = _without(gone, (move.old for move in renamed)), _without(new, (move.new for move in renamed))
    return Difference(new, gone, (*moved, *renamed), changed, dict(_words(other, this)))


def _without(keys: Mapping[Key, Kinds], taken: Iterable[Key]) -> dict[Key, Kinds]:
    away = set(taken)
    return {key: kinds for key, kinds in keys.items() if key not in away}


def _words(other: KeyReads, this: KeyReads) -> Iterator[tuple[str, Words]]:
    """Lists that only one of the two trees has are not known in the other, which is no difference."""
    for name in other.words.keys() & this.words.keys():
        before, now = other.words[name], this.words[name]
        words = Words(tuple(w for w in now if w not in before), tuple(w for w in before if w not in now))
        if words.new or words.gone:
            yield name, words


def _moved(gone: Mapping[Key, Kinds], new: Mapping[Key, Kinds]) -> Iterator[Moved]:
    """Pairs of keys, the surest and the longest alike first; no key is in two of them."""
    pairs = [_pair(old, now, gone, new) for old in gone for now in new if old[-1] == now[-1]]
    ranked = sorted((pair for pair in pairs if pair), key=_rank)
    seen: set[tuple[str, Key]] = set()
    for move in ranked:
        ends = {("old", move.old), ("new", move.new)}
        if not ends & seen:
            seen |= ends
            yield move


def _rank(move: Moved) -> tuple[int, int, Key, Key]:
    return _ORDER.index(move.surety), -_common_end(move.old, move.new), move.old, move.new


def _pair(old: Key, now: Key, gone: Mapping[Key, Kinds], new: Mapping[Key, Kinds]) -> Moved | None:
    before, after = _places(gone[old]), _places(new[now])
    end = ".".join(old[len(old) - _common_end(old, now) :])
    functions, files, names = ({sign(p) for p in after} for sign in (_where, _file, _name))
    for place in before:
        if _where(place) in functions:
            return Moved(old, now, SURE, f"both are read in {_where(place)}")
    for place in before:
        if _file(place) in files:
            return Moved(old, now, LIKELY, f"both are read in {_file(place)}")
    for place in before:
        if _name(place) and _name(place) in names:
            return Moved(old, now, LIKELY, f"both are read in a function {_name(place)}")
    alone = sum(key[-1] == old[-1] for key in (*gone, *new)) == 2
    if _common_end(old, now) > 1 or alone:
        return Moved(old, now, POSSIBLE, f"both end in {end}")
    return None


def _renamed(gone: Mapping[Key, Kinds], new: Mapping[Key, Kinds]) -> Iterator[Moved]:
    """Pairs in one section that are read in the same functions, where no other key could be meant."""

    def look(key: Key, kinds: Kinds) -> tuple[Key, frozenset[tuple[str, str]]]:
        return key[:-1], frozenset((place.file, place.function) for place in _places(kinds))

    old_looks = {key: look(key, kinds) for key, kinds in gone.items()}
    new_looks = {key: look(key, kinds) for key, kinds in new.items()}
    for old, seen in old_looks.items():
        alike = [now for now, looks in new_looks.items() if looks == seen]
        if len(alike) == 1 and list(old_looks.values()).count(seen) == 1:
            same_way = gone[old].keys() == new[alike[0]].keys()
            surety = LIKELY if same_way else POSSIBLE
            yield Moved(
                old, alike[0], surety, f"both are read in {_where(_places(gone[old])[0])} and nowhere else"
            )


def _places(kinds: Kinds) -> list[ReadPlace]:
    return [place for places in kinds.values() for place in places]


def _file(place: ReadPlace) -> str:
    return place.file


def _name(place: ReadPlace) -> str:
    return place.function


def _where(place: ReadPlace) -> str:
    return f"{place.function} of {place.file}" if place.function else place.file


def _common_end(one: Key, other: Key) -> int:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((size for size, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
