"""Exceptions of the rehearsed code: what they are, and which handler of it would catch them."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.values import NO_KEYS, NONE, Value

if TYPE_CHECKING:
    from vlac.rlinf.reads.log import Place
    from vlac.rlinf.reads.rehearsal.values import Keys

# OmegaConf 2.3, omegaconf/errors.py
_OMEGACONF = {
    "MissingMandatoryValue": ("OmegaConfBaseException",),
    "ConfigAttributeError": ("OmegaConfBaseException", "AttributeError"),
    "ConfigKeyError": ("OmegaConfBaseException", "KeyError"),
    "ConfigIndexError": ("OmegaConfBaseException", "IndexError"),
    "InterpolationKeyError": ("InterpolationResolutionError", "OmegaConfBaseException", "ValueError"),
}


@dataclass(frozen=True)
class Error:
    """An exception of the rehearsed code. `names` are its class and that class's bases."""

    names: frozenset[str]
    name: str
    kind: str
    place: Place
    message: str = ""
    condition: str = ""
    keys: Keys = NO_KEYS
    value: Value = NONE


class RaisedError(Exception):
    """An exception of the rehearsed code on its way."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.name)
        self.error = error


class OutOfSteps(BaseException):
    """The code goes on for too long."""


def lineage(name: str) -> frozenset[str]:
    """The names of an exception class and its bases; what is not known is an Exception."""
    made = getattr(builtins, name, None)
    if isinstance(made, type) and issubclass(made, BaseException):
        return frozenset(base.__name__ for base in made.__mro__)
    bases = _OMEGACONF.get(name, ())
    return frozenset({name, "Exception", "BaseException"}).union(*map(lineage, bases))


@dataclass(eq=False)
class Handlers:
    """The `except` clauses of a `try` that is being followed; None catches what is not known."""

    names: frozenset[str] | None
    hit: bool = False  # a way that cannot be decided ends in it

    def catch(self, error: Error) -> bool:
        """Whether one of them would catch it."""
        return self.names is None or bool(self.names & error.names)
