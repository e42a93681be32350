"""`vlac diagnose`: what ended a training, from its logs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import file_path

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "diagnose",
        help="say what ended a training, from its logs",
        description="Say what ended a training: the first cause in the logs of all ranks, how it shows, and its cure.",
    )
    parser.add_argument(
        "logs",
        type=file_path,
        nargs="+",
        metavar="LOG|RUN",
        help="log files, a run folder, or a folder of logs (Ray's session folder too)",
    )
    parser.add_argument(
        "--backend", metavar="B", help="the hardware that the run was on, where no bundle tells it"
    )
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Diagnose: 0 also where a fault was found, since then the diagnosis succeeded; 1 where there is no log."""
    from vlac.diagnose import diagnose
    from vlac.diagnose.masking import known_secrets
    from vlac.diagnose.show import as_json, as_text
    from vlac.errors import UsageError

    try:
        diagnosis = diagnose(args.logs, args.backend)
    except KeyError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    if args.json:
        from vlac.commands.report import print_json

        print_json({"diagnostics": [], "diagnosis": as_json(diagnosis, known_secrets())})
    else:
        sys.stdout.write(as_text(diagnosis, known_secrets()))
    return 0
