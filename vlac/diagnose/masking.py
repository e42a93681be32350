"""Secrets in lines of a log, hidden before a line is shown."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from vlac.spec.secrecy import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HIDDEN = "***"
_SHORTEST = 6  # characters of a value that is hidden wherever it stands
_ASSIGNED = re.compile(r"(?<![\w-])([\w-]+)(['\"]?\s*(?:=>|[:=])\s*['\"]?)([^\s'\",;)}\]]+)")
_OPTION = re.compile(r"(?<!\S)--?([\w-]+)(\s+['\"]?)([^\s'\"-][^\s'\"]*)")
# Tokens by their shape: Hugging Face, GitHub, OpenAI and like ones, AWS, Slack, JSON web tokens.
_SHAPES = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|sk-[A-Za-z0-9_-]{16,}|AKIA[A-Z0-9]{12,}"
    r"|xox[abprs]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")
_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@")


def known_secrets(variables: Mapping[str, str] | None = None, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Values of variables (None: the environment's) that are in `names`, or whose names say that they are secret.

    Those that are too short to be told from everyday words are left out.
    """
    given = os.environ if variables is None else variables
    listed = frozenset(names)
    return tuple(
        value
        for name, value in given.items()
        if len(value) >= _SHORTEST and (name in listed or is_secret_name(name))
    )


def masked(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with `***` where a secret stands, by its name, its shape, or its known value."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    text = _SHAPES.sub(HIDDEN, text)
    text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    text = _ADDRESS.sub(rf"\1{HIDDEN}@", text)
    return _OPTION.sub(_hidden, _ASSIGNED.sub(_hidden, text))


def _hidden(found: re.Match[str]) -> str:
    name, value = found.group(1), found.group(3)
    if is_secret_name(name.lstrip("-").replace("-", "_")):
        return f"{found.group()[: -len(value)]}{HIDDEN}"
    return found.group()
