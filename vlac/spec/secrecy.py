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
_LIST_OF_NAMES = re.compile(r"\s*secrets[\"']?\s*[:=]\s*(\[[^:]*\]?\s*(#.*)?)?")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ITEM = re.compile(r"\s*- [^:]*")


def is_secret_name(name: str) -> bool:
    """Whether a variable or key of this name usually holds a secret (`HF_TOKEN`, `api_key`)."""
    return _SECRET_NAME.fullmatch(name) is not None


def hidden_lines(lines: Sequence[str]) -> set[int]:
    """The lines, counted from 0, that give a value to a secret's name, with what is indented below them.

    A secret's name is one that looks like it, or one that is listed under `secrets`; the list itself is shown.
    Works on text, so it also holds for broken YAML.
    """
    names = "|".join(re.escape(name) for name in sorted(_listed_names(lines)))
    gives_value = re.compile(rf"(?<![\w-])(?:{_NAME}{'|' + names if names else ''})[\"']?\s*[:=]")
    hidden: set[int] = set()
    inside: int | None = None  # indentation of the secret above
    for number, line in enumerate(lines):
        indentation = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and indentation <= inside:
            inside = None
        if inside is not None and _ITEM.fullmatch(line):
            continue
        if inside is None and gives_value.search(line):
            inside = indentation
        if inside is not None and not _LIST_OF_NAMES.fullmatch(line):
            hidden.add(number)
    return hidden


def _listed_names(lines: Sequence[str]) -> set[str]:
    names: set[str] = set()
    inside = False
    for line in lines:
        inside = _LIST_OF_NAMES.fullmatch(line) is not None or (inside and _ITEM.fullmatch(line) is not None)
        if inside:
            names.update(_WORD.findall(line.split("#", 1)[0]))
    return names - {"secrets"}
