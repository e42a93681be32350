"""`vlac diff`: what a source patch sets beside what the compiled bundle sets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_format, add_spec, compiled, file_path, wants_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from vlac.diagnostics import Diagnostic
    from vlac.diff.comparison import Comparison
    from vlac.patches.parse import Patch

SHIPPED = "rlinf-openpi-sft-pi05-8card.patch"
_TROUBLE = 2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "diff",
        help="compare a source patch with the bundle, by meaning",
        epilog="exit codes: 0 no difference; 1 a thing differs or is only in the patch; 2 trouble",
    )
    add_spec(parser)
    parser.add_argument(
        "--patch",
        type=file_path,
        metavar="FILE",
        help=f"a unified diff of RLinf (default: vlac's own {SHIPPED})",
    )
    add_format(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile in memory, read the patch, print the comparison. Raises SpecError where the spec is wrong."""
    from vlac.commands.report import report
    from vlac.diff.compute import compute
    from vlac.patches.parse import PatchError

    bundle = compiled(args)
    try:
        comparison = compute(_patch(args.patch), bundle)
    except PatchError as problem:
        args.spec = None  # these places are in the patch: the spec's folder says nothing about it
        report(args, problem.diagnostics)
        return _TROUBLE
    _print(args, bundle.diagnostics, comparison)
    return 1 if comparison.has_differences else 0


def _patch(path: Path | None) -> Patch:
    from vlac.diagnostics import Diagnostic
    from vlac.patches.parse import PatchError, parse

    if path is None:
        return parse((file_path(__file__).parents[1] / "patches" / SHIPPED).read_bytes(), SHIPPED)
    try:
        return parse(path.read_bytes(), str(path))
    except OSError as error:
        message = f"the patch {path} cannot be read: {error.strerror}"
        raise PatchError([Diagnostic("patch-unreadable", message, hint="name a file")]) from None


def _print(args: argparse.Namespace, diagnostics: Sequence[Diagnostic], comparison: Comparison) -> None:
    from vlac.commands.report import as_json, print_json, report, uses_color
    from vlac.diff.show import document, text

    if wants_json(args):
        print_json({"diagnostics": as_json(args, diagnostics), **document(comparison)})
        return
    report(args, diagnostics)
    sys.stdout.write(text(comparison, color=uses_color(sys.stdout)))
