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
        "other",
        type=file_path,
        nargs="?",
        metavar="OTHER",
        help="compare two runs: SPEC and OTHER are specs, bundles, folders of runs or RLinf configs",
    )
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
        "--format",
        choices=("text", "json", "github", "unified"),
        default="text",
        help="how the result is printed; unified: the change that the checkout at --rlinf needs to do what the bundle"
        " does, as a patch",
    )


def run(args: argparse.Namespace) -> int:
    """Compare and print. Trouble of any kind ends with 2; raises SpecError where the spec is wrong."""
    from vlac.commands.report import report
    from vlac.diagnostics import Diagnostic
    from vlac.errors import RefusedError
    from vlac.patches.parse import PatchError

    try:
        return _two_runs(args) if args.other else _one_run(args)
    except PatchError as problem:
        args.spec = None  # these places are in the patch: the spec's folder says nothing about it
        report(args, problem.diagnostics)
    except RefusedError as problem:
        report(args, [Diagnostic(problem.code, problem.message, hint=problem.hint)])
    return _TROUBLE


def _one_run(args: argparse.Namespace) -> int:
    bundle = compiled(args)
    if args.format == "unified":
        return _unified(args, bundle)
    comparison = _compared(args, bundle)
    _print(args, bundle.diagnostics, comparison)
    return 1 if comparison.has_differences else 0


def _unified(args: argparse.Namespace, bundle: Bundle) -> int:
    """The patch to standard output, what it does not carry to standard error."""
    from vlac.commands.report import tell
    from vlac.diff.unified import needed
    from vlac.errors import UsageError

    base = bundle.plan.base
    tree = args.rlinf or (base.composition.layout.tree if base else None)
    if tree is None or args.patch or args.checkout:
        raise UsageError(
            "--format unified compares the bundle with the checkout at --rlinf PATH, and with that alone"
        )
    found = needed(bundle, tree)
    tell(args, bundle.diagnostics)
    sys.stdout.write(found.patch)
    for sentence in found.beside if found.patch else ():
        sys.stderr.write(f"not in the patch: {sentence}\n")
    return 1 if found.patch else 0


def _two_runs(args: argparse.Namespace) -> int:
    """Two runs beside each other, printed. Raises SpecError where a spec or a config is wrong."""
    from vlac.commands.report import print_json, uses_color
    from vlac.compiler import compile_path
    from vlac.diff.runs import compare_runs
    from vlac.diff.show_runs import document, text
    from vlac.diff.sides import side_of
    from vlac.errors import UsageError

    if args.patch or args.checkout:
        raise UsageError("two runs are compared as they are: leave --patch and --checkout out")

    def compiled_from(path: Path) -> Bundle:
        return compile_path(path, backend=args.backend, sets=args.sets, tree=args.rlinf)

    sides = [side_of(path, compiled_from, args.rlinf) for path in (args.spec, args.other)]
    runs = compare_runs(*sides)
    if wants_json(args):
        print_json({"diagnostics": [], **document(runs)})
    else:
        sys.stdout.write(text(runs, color=uses_color(sys.stdout)))
    return 1 if runs.has_differences else 0


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
