"""Everything that code can change, and the trail of changes that lets a way be taken back.

Where a test cannot be decided, both ways are followed one after the other from the same point. What they leave the
same stays known; the rest is unknown from there on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from vlac.rlinf.reads.rehearsal.values import MAYBE, NO_KEYS, UNKNOWN, Unknown, Value, keys_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from vlac.rlinf.reads.rehearsal.values import ClassRef, Code, Keys
    from vlac.rlinf.reads.tree import Module

ANYTHING = (
    "*anything*"  # the slot that is set once something may have been set under a name that is not known
)
ITEMS = "*items*"


class Record:
    """Something with slots that code can set."""

    __slots__ = ("slots",)

    def __init__(self, slots: Mapping[Hashable, Value] | None = None) -> None:
        self.slots: dict[Hashable, Value] = dict(slots or {})

    @property
    def is_open(self) -> bool:
        """Whether there may be more than is known."""
        return ANYTHING in self.slots


class Object(Record):
    """An object of a class of the tree."""

    __slots__ = ("made_from",)

    def __init__(self, made_from: ClassRef, slots: Mapping[Hashable, Value] | None = None) -> None:
        super().__init__(slots)
        self.made_from = made_from


class Items(Record):
    """A list or a set; its items are replaced as a whole. `home` is as of a table."""

    __slots__ = ("home", "kind")

    def __init__(self, items: Iterable[Value] | None, kind: str = "list", home: str = "") -> None:
        super().__init__({ITEMS: Value(UNKNOWN if items is None else tuple(items))})
        self.kind = kind
        self.home = home

    @property
    def items(self) -> tuple[Value, ...] | None:
        """The items, None where they are not known."""
        found = self.slots[ITEMS].data
        return found if isinstance(found, tuple) else None


class Table(Record):
    """A dictionary; `home` is the module that makes it, where that is done by top-level code. `named_by` are the keys
    of the configuration that made its own keys what they are.
    """

    __slots__ = ("home", "named_by")

    def __init__(self, slots: Mapping[Hashable, Value] | None = None, home: str = "") -> None:
        super().__init__(slots)
        self.home = home
        self.named_by: Keys = NO_KEYS


class Frame(Record):
    """A call that is being followed, or a module: its names are its slots."""

    __slots__ = ("code", "declared", "module", "outer", "receiver")

    def __init__(
        self,
        module: Module,
        code: Code | None = None,
        receiver: Value | None = None,
        outer: Frame | None = None,
    ) -> None:
        super().__init__()
        self.module = module
        self.code = code
        self.receiver = receiver
        self.outer = outer
        self.declared: dict[str, Frame] = {}  # names that `global` and `nonlocal` put elsewhere


Slot: TypeAlias = "tuple[Record, Hashable]"
Changes: TypeAlias = "dict[Slot, Value | None]"  # None: the slot is gone


class Heap:
    """The trail of all changes so far."""

    def __init__(self) -> None:
        self._trail: list[tuple[Record, Hashable, Value | None]] = []

    def set(self, record: Record, name: Hashable, value: Value) -> None:
        """Set a slot."""
        self._trail.append((record, name, record.slots.get(name)))
        record.slots[name] = value

    def remove(self, record: Record, name: Hashable) -> None:
        """Remove a slot."""
        if name in record.slots:
            self._trail.append((record, name, record.slots.pop(name)))

    def forget(self, record: Record) -> None:
        """Something was changed, and it is not known what."""
        if isinstance(record, Items):
            self.set(record, ITEMS, Value(UNKNOWN))
            return
        for name, value in list(record.slots.items()):
            self.set(record, name, Value(UNKNOWN, value.keys))
        self.set(record, ANYTHING, Value(UNKNOWN))

    def mark(self) -> int:
        """This point."""
        return len(self._trail)

    def changes(self, mark: int) -> Changes:
        """What was changed since then, and to what."""
        slots = dict.fromkeys((record, name) for record, name, _ in self._trail[mark:])
        return {(record, name): record.slots.get(name) for record, name in slots}

    def undo(self, mark: int) -> Changes:
        """Go back to that point; what was changed since then."""
        changes = self.changes(mark)
        while len(self._trail) > mark:
            record, name, before = self._trail.pop()
            if before is None:
                record.slots.pop(name, None)
            else:
                record.slots[name] = before
        return changes

    def before(self, mark: int) -> Changes:
        """What held at that point, for every slot that was changed since then."""
        found: Changes = {}
        for record, name, before in self._trail[mark:]:
            found.setdefault((record, name), before)
        return found

    def since(self, mark: int, later: int) -> Changes:
        """What was changed from one point to a later one, and to what, as it was at the later one."""
        slots = dict.fromkeys((record, name) for record, name, _ in self._trail[mark:later])
        then = self.before(later)
        return {slot: then[slot] if slot in then else slot[0].slots.get(slot[1]) for slot in slots}

    def meet(self, ways: list[Changes]) -> None:
        """From the point where they part, be where all of these ways lead."""
        slots = dict.fromkeys(slot for way in ways for slot in way)
        for slot in slots:
            record, name = slot
            here = record.slots.get(name)
            self._put(slot, [way.get(slot, here) for way in ways])

    def meet_early(self, mark: int, way: Changes) -> None:
        """Let a way that ended earlier, having parted at `mark`, meet the way that led here."""
        base = self.before(mark)
        for slot in dict.fromkeys((*way, *base)):
            record, name = slot
            here = record.slots.get(name)
            other = way[slot] if slot in way else base[slot]
            self._put(slot, [here, other])

    def _put(self, slot: Slot, values: list[Value | None]) -> None:
        record, name = slot
        value = either(values)
        if value is not None:
            if value is not record.slots.get(name):
                self.set(record, name, value)
        else:
            self.remove(record, name)


def either(values: list[Value | None]) -> Value | None:
    """What holds one of these, nobody knows which; None where there is none at all."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    first = present[0]
    if len(present) == len(values) and all(same(first, other) for other in present[1:]):
        keys = keys_of(present)
        return first if keys == first.keys else Value(first.data, keys)
    absent = len(present) < len(values) or any(value.data is MAYBE for value in present)
    return Value(MAYBE if absent else UNKNOWN, keys_of(present) or NO_KEYS)


def same(left: Value, right: Value) -> bool:
    """Whether two values are the same constant or the same thing."""
    ours, theirs = left.data, right.data
    if ours is theirs:
        return True
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, (Record, Unknown)) or isinstance(theirs, (Record, Unknown)):
        return False
    return type(ours) is type(theirs) and ours == theirs
