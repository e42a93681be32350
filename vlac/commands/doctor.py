"""`vlac doctor`: what a run would die of, or learn nothing from, before it starts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_spec

if TYPE_CHECKING:
    import argparse

_EPILOG = """\
Looks at data set, normalisation statistics, weights, software and machine: headers and samples, no network, nothing
written. Each line is ok, a warning, a fail or not checked; `vlac explain CODE` says more.

exit codes: 0 nothing fails; 1 something does, or the spec is wrong; 2 wrong usage"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "doctor", help="look at data, weights, software and machine before a run", epilog=_EPILOG
    )
    add_spec(parser)
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile the spec, look, print what was found."""
    from vlac.commands.arguments import launch_of
    from vlac.commands.report import print_json, uses_color
    from vlac.doctor.examine import examine
    from vlac.doctor.show import summary, to_json, to_text

    findings = examine(launch_of(args))
    if args.json:
        print_json(to_json(findings))
    else:
        sys.stdout.write(to_text(findings, color=uses_color(sys.stdout)))
        sys.stderr.write(f"{args.spec}: {summary(findings)}\n")
    return 1 if any(finding.state == "fail" for finding in findings) else 0
