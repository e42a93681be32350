"""`vlac diff`: a patch, an edited config, a checkout or another run beside what the compiled bundle does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_spec, compiled, file_path, wants_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.diagnostics import Diagnostic
    from vlac.diff.comparison import Comparison

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
        help="a unified diff of RLinf, a mail of git format-patch, a folder of these, or an RLinf config that was"
        f" edited (default: vlac's own {SHIPPED}); with --rlinf it is applied to a copy of that tree",
    )
    parser.add_argument(
        "--checkout",
        type=file_path,
        metavar="PATH",
        help="what was changed in this RLinf checkout, beside its version (from its git history, or --rlinf PATH)",
    )
    _add_format(parser)
    parser.set_defaults(run=run)


def _add_format(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print JSON to standard output")
    group.add_argument(
        "--format", choices=("text", "json", "github"), default="text", help="how the result is printed"
    )


def run(args: argparse.Namespace) -> int:
    """Compile in memory, read the change, print the comparison. Raises SpecError where the spec is wrong."""
    from vlac.commands.report import report
    from vlac.patches.parse import PatchError

    bundle = compiled(args)
    try:
        comparison = _compared(args, bundle)
    except PatchError as problem:
        args.spec = None  # these places are in the patch: the spec's folder says nothing about it
        report(args, problem.diagnostics)
        return _TROUBLE
    _print(args, bundle.diagnostics, comparison)
    return 1 if comparison.has_differences else 0


def _compared(args: argparse.Namespace, bundle: Bundle) -> Comparison:
    """The change that the command line names, beside the bundle."""
    base = bundle.plan.base
    tree = args.rlinf or (base.composition.layout.tree if base else None)
    if args.checkout:
        from vlac.diff.checkout import compare_checkout

        return compare_checkout(args.checkout, args.rlinf, bundle)
    path = args.patch or file_path(__file__).parents[1] / "patches" / SHIPPED
    if path.suffix in (".yaml", ".yml"):
        return _of_config(path, tree, bundle)
    return _of_patch(path, SHIPPED if args.patch is None else str(path), tree, bundle)


def _of_patch(path: Path, name: str, tree: Path | None, bundle: Bundle) -> Comparison:
    from dataclasses import replace

    from vlac.diff.inputs import read_patch

    patch = replace(read_patch(path), name=name)
    if tree is None:
        from vlac.diff.compute import compute

        return compute(patch, bundle)
    from vlac.diff.on_tree import compare_patch

    return compare_patch(patch, tree, bundle)


def _of_config(path: Path, tree: Path | None, bundle: Bundle) -> Comparison:
    """An RLinf config as somebody edited it: in a tree, or by the data of the version."""
    if tree is None:
        from vlac.diff.without_tree import compare_config

        return compare_config(path, bundle)
    from vlac.diff.inputs import edited_config
    from vlac.diff.on_tree import compare_images

    return compare_images([edited_config(path, tree)], tree, bundle, str(path))


def _print(args: argparse.Namespace, diagnostics: Sequence[Diagnostic], comparison: Comparison) -> None:
    from vlac.commands.report import as_json, print_json, report, uses_color
    from vlac.diff.show import document, text

    if wants_json(args):
        print_json({"diagnostics": as_json(args, diagnostics), **document(comparison)})
        return
    report(args, diagnostics)
    sys.stdout.write(text(comparison, color=uses_color(sys.stdout)))
