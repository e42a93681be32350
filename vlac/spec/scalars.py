"""The scalars of the YAML 1.2 core schema (https://yaml.org/spec/1.2.2/#103-core-schema)."""

from __future__ import annotations

import re

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_NUMBER_START = frozenset("+-.0123456789")
_DECIMAL = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL = re.compile(r"0o[0-7]+", re.ASCII)
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NOT_A_NUMBER = frozenset((".nan", ".NaN", ".NAN"))
_LONGEST_INTEGER = 300  # digits; what is longer fits no field, and Python refuses to convert it from 4300 on


def resolve(text: str) -> bool | int | float | str | None:
    """The value of a plain (unquoted) scalar.

    `3e4` is a float, `1e-5` a number, `on` and `no` are text, `012` is twelve.
    """
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return _number(text) if text[0] in _NUMBER_START else text


def _number(text: str) -> int | float | str:
    if _DECIMAL.fullmatch(text):
        return int(text) if len(text) <= _LONGEST_INTEGER else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _INFINITY.fullmatch(text):
        return float("-inf" if text[0] == "-" else "inf")
    return float("nan") if text in _NOT_A_NUMBER else text
