"""`vlac check`: what a spec or an RLinf config would die of, before anything is started."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_changes, add_format, file_path, wants_json

if TYPE_CHECKING:
    import argparse

    from vlac.check import Checked

_EPILOG = """\
SPEC is compiled in memory; CONFIG is any config of RLinf: composed by Hydra where it has `defaults`, read as it stands
where it has none. The tree's code is read as text, never imported or run.

exit codes: 0 no errors; 1 a run would die of something; 2 wrong usage"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "check", help="say what a spec or an RLinf config would die of", epilog=_EPILOG
    )
    parser.add_argument("file", type=file_path, metavar="SPEC|CONFIG", help="a spec, or a config of RLinf")
    add_changes(parser)
    parser.add_argument(
        "--no-cache", action="store_true", help="neither use nor keep what was read of the tree"
    )
    add_format(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check one file and print what was found."""
    from vlac.check import check_file
    from vlac.rlinf.reads.cache import default_folder

    cache = None if args.no_cache else default_folder()
    checked = check_file(args.file, tree=args.rlinf, backend=args.backend, sets=args.sets, cache=cache)
    _print(args, checked)
    return 1 if checked.has_errors else 0


def _print(args: argparse.Namespace, checked: Checked) -> None:
    from vlac.commands.report import as_json, print_json, uses_color
    from vlac.diagnostics.render import render_github, render_text

    if wants_json(args):
        print_json({"diagnostics": as_json(args, checked.diagnostics), "summary": _summary(args, checked)})
    elif args.format == "github":
        sys.stdout.write(render_github(checked.diagnostics, prefix=""))
    else:
        color = uses_color(sys.stdout)
        sys.stdout.write(render_text(checked.diagnostics, prefix="", color=color))
        sys.stderr.write(_last_line(args, checked))


def _summary(args: argparse.Namespace, checked: Checked) -> dict[str, object]:
    target = checked.target
    return {
        "file": str(args.file),
        "kind": checked.kind,
        "target": target.described if target else None,
        "entries": list(target.entries) if target else [],
        "undecided": list(target.undecided) if target else [],
        **checked.counts,
    }


def _last_line(args: argparse.Namespace, checked: Checked) -> str:
    counts = ", ".join(
        f"{number} {name if number != 1 else name.removesuffix('s')}"
        for name, number in checked.counts.items()
        if number
    )
    against = f", against {checked.target.described}" if checked.target else ""
    return f"{args.file}: {counts or 'nothing found'}{against}\n"
