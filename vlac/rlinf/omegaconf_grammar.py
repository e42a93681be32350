"""Which `${...}` text OmegaConf reads as an interpolation, without importing OmegaConf.

A part of its grammar (omegaconf 2.3, `omegaconf/grammar/OmegaConfGrammarParser.g4`): node paths (`${a.b[0]}`,
`${..a}`), resolvers with plain, quoted or nested arguments (`${oc.env:NAME,x}`, `${multiply:${a}, 2}`).
What lies outside is refused although OmegaConf may read it: better a clear error than a config that does not
load.
"""

from __future__ import annotations

import re

_NESTED = "\ue000"  # stands for an interpolation that was already read
_KEY = rf"(?:[\w,-]+|{_NESTED})"
_NODE = rf"\.*(?:{_KEY}|\[{_KEY}\])(?:\.{_KEY}|\[{_KEY}\])*"
_RESOLVER = r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*"
_PLAIN = rf"[A-Za-z0-9_/+.%*@?|: {_NESTED}-]*"
_QUOTED = r""" *(?:"[^"\\$]*"|'[^'\\$]*') *"""
_ARGUMENT = rf"(?:{_QUOTED}|{_PLAIN})"
_INNERMOST = re.compile(rf"\$\{{ *(?:{_NODE} *|{_RESOLVER}:{_ARGUMENT}(?:,{_ARGUMENT})*)\}}")
_ESCAPED = re.compile(r"\\\$\{")


def problem(text: str) -> str | None:
    """Why OmegaConf would not read the interpolations of `text`; None where it would."""
    if "${" not in text:
        return None
    if _ESCAPED.search(text) or _NESTED in text:
        return "a backslash before `${`, or U+E000 beside it, is not carried"
    before = None
    while text != before:
        before, text = text, _INNERMOST.sub(_NESTED, text)
    return "`${` begins an interpolation, and this one is not well-formed" if "${" in text else None
