"""`vlac compile`: a spec becomes a bundle."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_format, add_spec, compiled, file_path, wants_json

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.plan.ir import RunPlan


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("compile", help="compile a spec into a bundle")
    add_spec(parser)
    parser.add_argument(
        "-o", "--output", type=file_path, metavar="DIR", help="the bundle (default: build/<name>)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite a bundle that was edited by hand")
    parser.add_argument("--print-after", metavar="PASS", help="print the plan after a pass and write nothing")
    add_format(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile and write; warnings are told and change nothing."""
    from vlac.spec.files import path_of

    if args.print_after:
        return _print_after(args)
    bundle = compiled(args)
    folder = args.output or path_of(file_path("build"), bundle.name)
    _write(args, bundle, folder)
    return 0


def _write(args: argparse.Namespace, bundle: Bundle, folder: Path) -> None:
    from vlac.bundle.write import write
    from vlac.commands.report import as_json, print_json, report, tell

    write(bundle.files, bundle.executable, folder, force=args.force)
    if wants_json(args):
        print_json({"diagnostics": as_json(args, bundle.diagnostics), **_result(bundle, folder)})
        return
    if args.format == "github":
        report(args, bundle.diagnostics)
        return
    tell(args, bundle.diagnostics)
    sys.stdout.write(_summary(bundle, folder))


def _result(bundle: Bundle, folder: Path) -> dict[str, object]:
    return {
        "bundle": str(folder),
        "files": sorted(bundle.files),
        "derived": {name: setting.value for name, setting in bundle.plan.derived.items()},
    }


def _summary(bundle: Bundle, folder: Path) -> str:
    from vlac.plan.show import figures

    files = ", ".join(sorted({path.split("/")[0] + ("/" if "/" in path else "") for path in bundle.files}))
    return f"wrote {folder}: {files}\n{figures(bundle.plan)}"


def _print_after(args: argparse.Namespace) -> int:
    from vlac.commands.plan import document
    from vlac.commands.report import as_json, print_json, report
    from vlac.compiler import in_source_order, make_plan
    from vlac.errors import SpecError, UsageError
    from vlac.plan.passes import PASSES
    from vlac.plan.show import settings_table
    from vlac.spec.load import load

    names = [one_pass.__name__ for one_pass in PASSES]
    if args.print_after not in names:
        raise UsageError(
            f"there is no pass {args.print_after!r}", f"the passes, in order: {', '.join(names)}"
        )

    seen: list[RunPlan] = []

    def watch(name: str, plan: RunPlan) -> None:
        if name == args.print_after:
            seen.append(plan)

    loaded = load(args.spec, backend=args.backend, sets=args.sets, keep_going=True)
    plan = make_plan(loaded, watch, tree=args.rlinf)
    found = in_source_order((*loaded.diagnostics, *plan.diagnostics))
    if seen and args.format == "text" and not args.json:
        sys.stdout.write(settings_table(seen[0]))
    if any(diagnostic.is_error for diagnostic in found):
        raise SpecError(found)
    if wants_json(args):
        print_json({"diagnostics": as_json(args, found), **document(seen[0])})
    else:
        report(args, found)
    return 0
