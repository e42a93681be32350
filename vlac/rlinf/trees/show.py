"""A difference of two trees as JSON and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from vlac.rlinf.templates import Key
    from vlac.rlinf.trees.difference import Difference, Moved
    from vlac.rlinf.trees.key_reads import Kinds, ReadPlace

_WIDEST = 60


def to_json(found: Difference) -> dict[str, Any]:  # JSON: values of several types
    """The difference as JSON. Keys are dotted, `path` is the same without ambiguity."""
    return {
        "new": [{**_key(key), "kinds": _kinds_to_json(kinds)} for key, kinds in sorted(found.new.items())],
        "gone": [{**_key(key), "kinds": _kinds_to_json(kinds)} for key, kinds in sorted(found.gone.items())],
        "moved": [_moved_to_json(move) for move in found.moved],
        "changed": [
            {**_key(key), "before": _kinds_to_json(before), "now": _kinds_to_json(now)}
            for key, (before, now) in sorted(found.changed.items())
        ],
        "words": {name: {"new": list(w.new), "gone": list(w.gone)} for name, w in found.words.items()},
    }


def _key(key: Key) -> dict[str, Any]:  # JSON: values of several types
    return {"key": ".".join(key), "path": list(key)}


def _moved_to_json(move: Moved) -> dict[str, Any]:  # JSON: values of several types
    before = {"before": ".".join(move.old), "path_before": list(move.old)}
    return {**_key(move.new), **before, "surety": move.surety, "why": move.why}


def _kinds_to_json(kinds: Kinds) -> dict[str, list[dict[str, Any]]]:  # JSON: values of several types
    return {kind: [{"file": p.file, "line": p.line} for p in places] for kind, places in kinds.items()}


def to_text(found: Difference) -> str:
    """The difference for people, a line a key; empty where there is none."""
    lines = [*_moved(found.moved), *_keys("new", found.new), *_keys("gone", found.gone)]
    return "".join(f"{line}\n" for line in (*lines, *_changed(found.changed), *_words(found)))


def _moved(moved: Sequence[Moved]) -> Iterator[str]:
    if moved:
        yield f"moved: {_count(moved)}"
    for move in moved:
        yield f"  {'.'.join(move.old)} -> {'.'.join(move.new)}  {move.surety}: {move.why}"


def _keys(title: str, keys: Mapping[Key, Kinds]) -> Iterator[str]:
    rows = [(".".join(key), *_shown(kinds)) for key, kinds in sorted(keys.items())]
    yield from _table(f"{title}: {_count(rows)}", rows)


def _changed(changed: Mapping[Key, tuple[Kinds, Kinds]]) -> Iterator[str]:
    rows = [
        (".".join(key), f"{' + '.join(before)} -> {' + '.join(now)}", _shown(now)[1])
        for key, (before, now) in sorted(changed.items())
    ]
    yield from _table(f"read in another way: {_count(rows)}", rows)


def _words(found: Difference) -> Iterator[str]:
    for name, words in sorted(found.words.items()):
        parts = [
            f"{title} {', '.join(listed)}"
            for title, listed in (("new", words.new), ("gone", words.gone))
            if listed
        ]
        yield f"{name.replace('_', ' ')}: {'; '.join(parts)}"


def _table(title: str, rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield title
    first, second = (min(_WIDEST, max(len(row[column]) for row in rows)) for column in (0, 1))
    yield from (f"  {name:{first}}  {kind:{second}}  {place}" for name, kind, place in rows)


def _shown(kinds: Kinds) -> tuple[str, str]:
    """How a key is read, and where first."""
    places: list[ReadPlace] = [place for found in kinds.values() for place in found]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return " + ".join(kinds), f"{places[0]}{more}"


def _count(rows: Iterable[object]) -> str:
    count = len(list(rows))
    return f"{count} key{'' if count == 1 else 's'}"
