"""`vlac explain SPEC KEY`: where a value comes from. `vlac explain CODE`: what a diagnostic means."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_changes, add_format, compiled, file_path, wants_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from vlac.bundle.explain import Explanation
    from vlac.diagnostics import Diagnostic


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("explain", help="say where a value comes from, or what a code means")
    parser.add_argument("subject", metavar="SPEC|CODE", help="a spec file, or the code of a diagnostic")
    parser.add_argument("key", nargs="?", metavar="KEY", help="a spec field, an RLinf key or a variable")
    add_changes(parser)
    add_format(parser)
    parser.set_defaults(run=run, spec=None)


def run(args: argparse.Namespace) -> int:
    """Explain a key of a spec, or a code."""
    if args.key is None:
        return _explain_code(args)
    from vlac.bundle.explain import explain, nearest_keys

    args.spec = file_path(args.subject)
    bundle = compiled(args)
    found = explain(bundle, args.key)
    if found is None:
        return _unknown(args, f"{args.subject} has no key {args.key!r}", nearest_keys(bundle, args.key))
    _print(args, found, bundle.diagnostics)
    return 0


def _explain_code(args: argparse.Namespace) -> int:
    from vlac.diagnostics.codes import CODES

    explanation = CODES.get(args.subject) or _explain_signature(args.subject)
    if explanation is None:
        from difflib import get_close_matches

        near = tuple(get_close_matches(args.subject, CODES, n=3, cutoff=0.5))
        if file_path(args.subject).is_file():
            return _unknown(args, "which key? vlac explain SPEC KEY", ())
        return _unknown(args, f"there is no diagnostic code {args.subject!r}", near)
    if wants_json(args):
        from vlac.commands.report import print_json

        print_json({"diagnostics": [], "code": args.subject, "explanation": explanation})
    else:
        sys.stdout.write(f"{args.subject}\n\n{explanation}\n")
    return 0


def _explain_signature(name: str) -> str | None:
    """What a signature of `vlac diagnose` means, None where there is none of that name."""
    from vlac.diagnose.catalogue import signatures

    row = next((row for row in signatures() if row.id == name), None)
    if row is None:
        return None
    again = "may help" if row.retryable else "does not help"
    return f"{row.what}\n\n{row.cure}\n\nA {row.kind}; starting again unchanged {again}. Source: {row.source}"


def _unknown(args: argparse.Namespace, message: str, near: tuple[str, ...]) -> int:
    from vlac.commands.report import report
    from vlac.diagnostics import Diagnostic

    hint = f"the nearest: {', '.join(near)}" if near else None
    report(args, [Diagnostic("explain-unknown", message, hint=hint)])
    return 1


def _print(args: argparse.Namespace, found: Explanation, diagnostics: Sequence[Diagnostic]) -> None:
    from vlac.commands.report import as_json, folder_of, print_json

    if wants_json(args):
        print_json({"diagnostics": as_json(args, diagnostics), **found.as_json(folder_of(args))})
    else:
        sys.stdout.write(found.as_text(folder_of(args)))
