"""The one table of spec fields: the schema, the documentation, the error messages and the lowering share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.plan.origins import Value


@dataclass(frozen=True, slots=True)
class Field:
    """One field of spec version 1.

    `path` is dotted (`train.micro_batch`). `type` names a row of `vlac.spec.types`. `default` is the spec version's
    default, None where there is none (then the family, a rule or RLinf decides, as `rule` says). `keys` are the RLinf keys
    that take the value as it is; where the lowering is more than a copy, `lowering` says so in words.
    """

    path: str
    type: str
    meaning: str
    rule: str = ""
    default: Value = None
    keys: tuple[str, ...] = ()
    lowering: str = ""
    example: str = ""


FIELDS: tuple[Field, ...] = ()
BY_PATH = {field.path: field for field in FIELDS}
