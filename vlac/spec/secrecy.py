"""Which lines of a source must never be repeated, because they could hold a secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# A text without any of these holds nothing to hide, which is the usual case and cheap to see.
_MARKS = ("secret", "token", "key", "passw", "credential")
_NAME = (
    r"(?:[A-Z0-9_]*(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL)[A-Z0-9_]*"
    r"|(?:\w+[_-])?(?:token|api_?key|access_?key|secret|password|passwd|credentials?)s?)"
)
_LIST_OF_NAMES = r"\s*secrets[\"']?\s*[:=]\s*(\[[^:]*\]?\s*(#.*)?)?"
_WORD = r"[A-Za-z_]\w*"
_ITEM = r"\s*- [^:]*"


def is_secret_name(name: str) -> bool:
    """Whether a variable or key of this name usually holds a secret (`HF_TOKEN`, `api_key`)."""
    return re.fullmatch(_NAME, name) is not None


def hidden_lines(lines: Sequence[str]) -> set[int]:
    """The lines, counted from 0, that give a value to a secret's name, with what is indented below them.

    A secret's name is one that looks like it, or one that is listed under `secrets`; the list itself is shown.
    Works on text, so it also holds for broken YAML.
    """
    if not any(mark in line.lower() for line in lines for mark in _MARKS):
        return set()
    names = "|".join(re.escape(name) for name in sorted(_listed_names(lines)))
    gives_value = re.compile(rf"(?<![\w-])(?:{_NAME}{'|' + names if names else ''})[\"']?\s*[:=]")
    hidden: set[int] = set()
    inside: int | None = None  # indentation of the secret above
    for number, line in enumerate(lines):
        indentation = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and indentation <= inside:
            inside = None
        if inside is not None and re.fullmatch(_ITEM, line):
            continue
        if inside is None and gives_value.search(line):
            inside = indentation
        if inside is not None and not re.fullmatch(_LIST_OF_NAMES, line):
            hidden.add(number)
    return hidden


def _listed_names(lines: Sequence[str]) -> set[str]:
    names: set[str] = set()
    inside = False
    for line in lines:
        inside = re.fullmatch(_LIST_OF_NAMES, line) is not None or (
            inside and re.fullmatch(_ITEM, line) is not None
        )
        if inside:
            names.update(re.findall(_WORD, line.split("#", 1)[0]))
    return names - {"secrets"}
