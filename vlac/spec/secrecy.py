"""Which lines of a source must never be repeated, because they could hold a secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = (
    r"(?:[A-Z0-9_]*(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL)[A-Z0-9_]*"
    r"|(?:\w+[_-])?(?:token|api_?key|access_?key|secret|password|passwd|credentials?)s?)"
)
_SECRET_NAME = re.compile(_NAME)
_SECRET_LINE = re.compile(rf"(?<![\w-]){_NAME}[\"']?\s*[:=]")
_SECRETS_ARE_NAMES = re.compile(r"\s*secrets[\"']?\s*[:=]\s*(\[[^:]*\]?\s*(#.*)?)?")
_ITEM = re.compile(r"\s*- [^:]*")


def is_secret_name(name: str) -> bool:
    """Whether a variable or key of this name usually holds a secret (`HF_TOKEN`, `api_key`)."""
    return _SECRET_NAME.fullmatch(name) is not None


def hidden_lines(lines: Sequence[str]) -> set[int]:
    """The lines, counted from 0, that give a value to a secret's name, with what is indented below them.

    A list of names (`secrets: [HF_TOKEN]`) is no secret. Works on text, so it also holds for broken YAML.
    """
    hidden: set[int] = set()
    inside: int | None = None  # indentation of the secret above
    for number, line in enumerate(lines):
        indentation = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and indentation <= inside:
            inside = None
        if inside is not None and _ITEM.fullmatch(line):
            continue
        if inside is None and _SECRET_LINE.search(line):
            inside = indentation
        if inside is not None and not _SECRETS_ARE_NAMES.fullmatch(line):
            hidden.add(number)
    return hidden
