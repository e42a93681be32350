"""Shows a comparison: text for people, a document for programs."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING

from vlac.diff.comparison import Verdict
from vlac.patches.changes import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    from vlac.diff.comparison import Comparison, Difference
    from vlac.patches.changes import Held

WIDTH = 100
_INDENT = " " * 16
_GREEN, _YELLOW, _DIM, PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
COLORS = {Verdict.SAME: _GREEN, Verdict.DIFFERS: _YELLOW, Verdict.ONLY_IN_PATCH: _YELLOW}


def text(comparison: Comparison, *, color: bool = False) -> str:
    """The comparison as lines of text; with `color`, verdicts in terminal colours."""
    return "\n".join([*_head(comparison), *_things(comparison, color), "", *_rest(comparison)]) + "\n"


def document(comparison: Comparison) -> dict[str, object]:
    """The comparison as plain data for JSON; a value that does not exist is null, and its reason says so."""
    return {
        "patch": comparison.patch,
        "spec": comparison.spec,
        "target": comparison.target,
        "differences": [_entry(difference) for difference in comparison.differences],
        "only_in_bundle": {
            "config": dict(comparison.config_only_in_bundle),
            "variables": dict(comparison.variables_only_in_bundle),
        },
        "lacks": list(comparison.lacks),
        "applies": list(comparison.applies),
        "undecided": list(comparison.undecided),
    }


def _entry(difference: Difference) -> dict[str, object]:
    return {
        "file" if difference.kind in ("code", "file") else "key": difference.name,
        "kind": difference.kind,
        "verdict": difference.verdict.value,
        "patch": _plain(difference.patch),
        "bundle": _plain(difference.judgement.bundle),
        "reason": difference.judgement.reason,
        "patched_file": difference.file,
        "line": difference.line or None,
        "source": difference.source or difference.file or None,
        "config": difference.config or None,
        "cause": difference.cause or None,
    }


def _plain(value: Held) -> object:
    return None if value is ABSENT else value


def _head(comparison: Comparison) -> Iterator[str]:
    yield wrapped(f"{comparison.patch} beside {comparison.spec}, for {comparison.target}", "", 2)
    yield from (wrapped(sentence, "  ", 2) for sentence in comparison.applies)
    yield ""


def _things(comparison: Comparison, color: bool) -> Iterator[str]:
    if not comparison.differences:
        yield "  the patch sets nothing that counts: no configuration, no variable, no code"
    for cause, group in groupby(comparison.differences, key=_cause):
        differences = list(group)
        if cause and len(differences) > 1:
            yield from _caused(differences, color)
            continue
        for difference in differences:
            yield from _thing(difference, "  ", color)
            yield wrapped(difference.judgement.reason, _INDENT)


def _cause(difference: Difference) -> tuple[str, str, int, str] | None:
    """What groups keys: the config and the changed line of a tree."""
    if not difference.cause:
        return None
    return difference.config, difference.file, difference.line, difference.cause


def _caused(differences: list[Difference], color: bool) -> Iterator[str]:
    """The keys of a composed config that one changed line causes; a reason that stays the same is said once."""
    first, count = differences[0], len(differences)
    where = f"{first.source or first.file}:{first.line}"
    yield wrapped(f"{count} keys of {first.config} by {where}:", "  ", 4)
    yield printable(f"      {first.cause}")
    said = ""
    for difference in differences:
        yield from _thing(difference, "    ", color)
        if difference.judgement.reason != said:
            said = difference.judgement.reason
            yield wrapped(said, f"  {_INDENT}")


def _thing(difference: Difference, indent: str, color: bool) -> Iterator[str]:
    verdict = f"{difference.verdict.value:<14}"
    if color:
        verdict = f"{COLORS.get(difference.verdict, _DIM)}{verdict}{PLAIN}"
    yield f"{indent}{verdict}{_what(difference)}"


def _what(difference: Difference) -> str:
    return printable(_name_and_value(difference))


def printable(line: str) -> str:
    """The line without control characters, which a terminal would obey."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)


def _name_and_value(difference: Difference) -> str:
    separator = "=" if difference.kind == "variable" else ": "
    if difference.verdict is Verdict.DIFFERS:
        patch, bundle = shown(difference.patch), shown(difference.judgement.bundle)
        return f"{difference.name}{separator}{patch} in the patch, {bundle} in the bundle"
    if difference.patch is ABSENT:
        return difference.name if difference.kind == "code" else f"{difference.name} (taken away)"
    return f"{difference.name}{separator}{shown(difference.patch)}"


def shown(value: Held) -> str:
    """A value as a person writes it."""
    if value is ABSENT:
        return "nothing"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    return str(value)


def _rest(comparison: Comparison) -> Iterator[str]:
    counts = Counter(difference.verdict for difference in comparison.differences)
    if counts:
        yield ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    yield from _only_in_bundle(comparison)
    if comparison.lacks:
        yield "The patch alone does not give what the bundle gives:"
        yield from (wrapped(f"- {sentence}", "  ", hanging=2) for sentence in comparison.lacks)
    if comparison.undecided:
        yield "Not decided:"
        yield from (wrapped(f"- {sentence}", "  ", hanging=2) for sentence in comparison.undecided)


def _only_in_bundle(comparison: Comparison) -> Iterator[str]:
    config, variables = comparison.config_only_in_bundle, comparison.variables_only_in_bundle
    if config:
        yield f"Beside these, the bundle sets {_counted(config, 'configuration key')}:"
        yield from (printable(f"  {key}: {shown(value)}") for key, value in config.items())
    if variables:
        yield f"Beside these, the bundle sets {_counted(variables, 'variable')}:"
        yield wrapped(", ".join(variables), "  ")


def _counted(things: Sized, noun: str) -> str:
    return f"{len(things)} {noun}" if len(things) == 1 else f"{len(things)} {noun}s"


def wrapped(sentence: str, indent: str, hanging: int = 0) -> str:
    """A sentence over as many lines as it takes."""
    following = indent + " " * hanging
    return fill(
        printable(sentence), WIDTH, initial_indent=indent, subsequent_indent=following, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
