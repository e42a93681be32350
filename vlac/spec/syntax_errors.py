"""What the YAML scanner says, in words for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError

    from vlac.diagnostics import Diagnostic
    from vlac.spec.source import Source

# Part of ruamel.yaml's message: code, message, hint, and whether the place of the opening is the better one.
_KNOWN: tuple[tuple[str, str, str, str | None, bool], ...] = (
    ("character '\\t'", "yaml-tab", "a tab is used for white space", "use blanks: YAML has no tabs", False),
    (
        "mapping values are not allowed",
        "yaml-syntax",
        "a `:` does not fit here",
        "indent like the line above, or put a text that holds `: ` in quotes",
        False,
    ),
    (
        "sequence entries are not allowed",
        "yaml-syntax",
        "a list begins with `- ` on a line of its own",
        "move it to the next line, or write [a, b]",
        False,
    ),
    (
        "expected ',' or ']'",
        "yaml-syntax",
        "this `[` is never closed with `]`",
        "a comma or `]` is missing",
        True,
    ),
    (
        "expected ',' or '}'",
        "yaml-syntax",
        "this `{` is never closed with `}`",
        "a comma or `}` is missing",
        True,
    ),
    ("found unexpected end of stream", "yaml-syntax", "this quotation mark is never closed", None, True),
    ("found unexpected document separator", "yaml-syntax", "this quotation mark is never closed", None, True),
    (
        "found unknown escape character",
        "yaml-syntax",
        "unknown escape in double quotes",
        "write the text in single quotes, where `\\` is an ordinary character",
        False,
    ),
    (
        "could not find expected ':'",
        "yaml-syntax",
        "a key without a `:`",
        "write `key: value`, with a blank after the colon",
        True,
    ),
    (
        "expected <block end>",
        "yaml-syntax",
        "this does not belong to the lines above",
        "indent the keys of one section by the same number of blanks",
        False,
    ),
    (
        "cannot start any token",
        "yaml-syntax",
        "a text cannot begin with this character",
        "put it in quotes",
        False,
    ),
    ("while scanning an alias", "yaml-alias", "a name is missing after `*`", "put the text in quotes", False),
    (
        "while scanning an anchor",
        "yaml-alias",
        "a name is missing after `&`",
        "put the text in quotes",
        False,
    ),
)


def syntax_error(source: Source, error: MarkedYAMLError) -> Diagnostic:
    """The diagnostic for an error of ruamel.yaml's scanner or parser."""
    told = f"{error.context or ''} {error.problem or ''}"
    for part, code, message, hint, at_opening in _KNOWN:
        if part in told:
            mark = error.context_mark if at_opening and error.context_mark else error.problem_mark
            return _at(source, mark, code, message, hint)
    return _at(source, error.problem_mark or error.context_mark, "yaml-syntax", "this is not YAML", None)


def _at(source: Source, mark: object, code: str, message: str, hint: str | None) -> Diagnostic:
    line, column = getattr(mark, "line", 0), getattr(mark, "column", 0)
    return source.diagnostic(code, message, line, column, hint=hint)
