"""The result of a comparison, as records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

from vlac.patches.changes import ABSENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.patches.changes import Held


class Verdict(str, Enum):
    """What a thing that the patch sets is worth beside the bundle; of several, the first holds."""

    DEAD = "dead"
    REDUNDANT = "redundant"
    NOT_NEEDED = "not needed"
    SAME = "same"
    DIFFERS = "differs"
    ONLY_IN_PATCH = "only in patch"

    @property
    def is_difference(self) -> bool:
        """Whether the run from the patch and the run from the bundle would not be the same."""
        return self in (Verdict.DIFFERS, Verdict.ONLY_IN_PATCH)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, why, and what the bundle holds."""

    verdict: Verdict
    reason: str
    bundle: Held = ABSENT


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the patch sets. `name` is a configuration key, a variable, or for code its file.

    `patch` is what it is after the patch, absent where the patch removes it; `line` is its place in `source`: the
    patch, or the changed file itself where there is none (0: nowhere). On a tree, `config` is the config whose
    composition it belongs to, and `cause` the changed line; of kind `read` it is how the code reads a key, and of kind
    `file` a config of another run.
    """

    kind: Literal["config", "variable", "code", "read", "file"]
    name: str
    patch: Held
    judgement: Judgement
    file: str
    line: int
    config: str = ""
    cause: str = ""
    source: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict alone."""
        return self.judgement.verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """A patch and a bundle, side by side.

    `only_in_bundle` holds the configuration keys and the variables that the bundle sets to something else than a
    stock checkout and the patch does not touch. `lacks` says what the patch alone does not give, a sentence each,
    `applies` where its hunks went on a tree, `undecided` what could not be looked at.
    """

    patch: str
    spec: str
    target: str
    differences: tuple[Difference, ...]
    config_only_in_bundle: Mapping[str, Held]
    variables_only_in_bundle: Mapping[str, str]
    lacks: tuple[str, ...]
    applies: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def has_differences(self) -> bool:
        """Whether any verdict makes the two runs different."""
        return any(difference.verdict.is_difference for difference in self.differences)
