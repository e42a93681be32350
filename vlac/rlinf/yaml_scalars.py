"""One YAML scalar, written so that OmegaConf reads the same value with the same type.

OmegaConf loads with PyYAML's YAML 1.1 rules and a float pattern of its own (omegaconf 2.3,
`_utils.get_yaml_loader`): `no`, `012`, `1:30`, `0x1F` and `1_000` are not text there unless quoted. So text
is quoted unless it is plainly a word or a path, and everything outside printable characters is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from vlac.rlinf.omegaconf_grammar import problem

if TYPE_CHECKING:
    from vlac.plan.origins import Value

MAX_DEPTH = 32  # OmegaConf 2.3 exhausts Python's recursion limit between 80 and 100 levels
MAX_INTEGER_BITS = 14_000  # 4215 digits; Python converts at most 4300
MAX_KEY = 1000  # PyYAML reads a simple key of at most 1024 characters on its line

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_,./+-]*")
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan"})
_SURROGATE = re.compile("[\ud800-\udfff]")
# PyYAML refuses what is not printable; it folds U+0085, U+2028 and U+2029, and a reader may drop U+FEFF.
_ESCAPE = re.compile('["\\\\\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class UncarriableError(ValueError):
    """The emitter got a value that config.yaml cannot carry: the plan had to refuse it, with its place."""


def check(value: Value, *, interpolations: bool = True, depth: int = 0) -> str | None:
    """Why config.yaml cannot carry `value` so that OmegaConf reads it back, None where it can.

    With `interpolations` False, `value` is literal: `${` in it is refused, since OmegaConf would resolve it.
    """
    if depth > MAX_DEPTH:
        return f"nested more than {MAX_DEPTH} levels deep"
    if isinstance(value, str):
        return _check_text(value, interpolations)
    if isinstance(value, Mapping):
        return _check_mapping(value, interpolations, depth)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        problems = (check(item, interpolations=interpolations, depth=depth + 1) for item in value)
        return next(filter(None, problems), None)
    return _check_number(value)


def check_key(key: object) -> str | None:
    """Why config.yaml cannot carry `key` as a key of a mapping, None where it can."""
    if not isinstance(key, str):
        return f"the key {key!r} is no text"
    if _SURROGATE.search(key):
        return "a key holds half of a surrogate pair, which UTF-8 cannot carry"
    return f"a key is longer than {MAX_KEY} characters" if len(scalar(key)) > MAX_KEY else None


def scalar(value: Value) -> str:
    """The YAML text of null, a bool, a number or a text that `check` accepts."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _text(str.__str__(value))
    raise UncarriableError(f"{type(value).__name__} is no scalar")


def _check_text(text: str, interpolations: bool) -> str | None:
    if _SURROGATE.search(text):
        return "half of a surrogate pair, which UTF-8 cannot carry"
    if text == "???":
        return "`???` means a missing value to OmegaConf, so it cannot be a text"
    if interpolations:
        return problem(text)
    return "`${` would be read as an interpolation by OmegaConf" if "${" in text else None


def _check_mapping(value: Mapping[str, Value], interpolations: bool, depth: int) -> str | None:
    for key, item in value.items():
        found = check_key(key) or check(item, interpolations=interpolations, depth=depth + 1)
        if found:
            return found
    return None


def _check_number(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        too_long = value.bit_length() > MAX_INTEGER_BITS
        return "an integer of more than 4000 digits" if too_long else None
    if isinstance(value, float):
        return None if isfinite(value) else "a number that is not finite"
    return f"a value of type {type(value).__name__}"


def _float(value: float) -> str:
    """`1.0e-05`, not `1e-05`: a float for YAML 1.1 and 1.2 readers alike."""
    text = float.__repr__(value)
    mantissa, exponent, power = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{exponent}{power}"


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return f'"{_ESCAPE.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
