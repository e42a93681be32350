"""What a patch sets, as records: configuration keys, environment variables, and changes of code."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeAlias, Union

if TYPE_CHECKING:
    from vlac.plan.origins import Value

Key = tuple[str, ...]
UNKNOWN = "?"  # in a key: one section or more that the hunk does not show


class Absent(Enum):
    """No value at all, which is not the value null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Held: TypeAlias = Union["Value", Absent]


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """A configuration key that the patch inserts (`old` absent), changes, or removes (`new` absent).

    Where a tree tells what a run sees, `config` is the config that was composed, `old_place` and `new_place` are the
    places (`file:line`) that decide the value before and after, and `cause` is the changed line; the values are those
    of the composition.
    """

    file: str
    key: Key
    old: Held
    new: Held
    line: int
    config: str = ""
    old_place: str = ""
    new_place: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class VariableChange:
    """A variable that a script exports after the patch (`new`), or exported before it (`old`)."""

    file: str
    name: str
    old: str | None
    new: str | None
    line: int


@dataclass(frozen=True, slots=True)
class CodeChange:
    """A change of code.

    `guard`: a strict read of key `name` became one that copes without it; `import`: module `name` is now
    imported; `code`: anything else. `old` and `new` are the code before and after, in one line.
    """

    file: str
    kind: Literal["guard", "import", "code"]
    name: str
    old: str
    new: str
    line: int


Change = ConfigChange | VariableChange | CodeChange
