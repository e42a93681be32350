"""`vlac norm-stats`: compute the normalisation statistics of a run's data, into the place where training reads them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_spec

if TYPE_CHECKING:
    import argparse

_EPILOG = """\
Prints the files that were written; reads states and actions, never images. Needs the extra `data` (pyarrow and numpy).

exit codes: 0 written; 1 refused, as where a file is there already, or the spec is wrong; 2 wrong usage; 3 pyarrow or
numpy is not installed"""
_STEPS = 10


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "norm-stats", help="compute normalisation statistics and put them where they are read", epilog=_EPILOG
    )
    add_spec(parser)
    parser.add_argument("--force", action="store_true", help="replace statistics that are there already")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile the spec, compute, write."""
    from vlac.commands.arguments import launch_of
    from vlac.doctor.compute import compute
    from vlac.doctor.subject import Subject

    bar = _Bar()
    try:
        files = compute(Subject(launch_of(args)), force=args.force, progress=bar.show)
    finally:
        bar.end()
    sys.stdout.write("".join(f"{file}\n" for file in files))
    return 0


class _Bar:
    """Progress on standard error: one line that changes on a terminal, a line each tenth elsewhere."""

    def __init__(self) -> None:
        self._told = -1
        self._is_terminal = sys.stderr.isatty()

    def show(self, done: int, total: int) -> None:
        """Tell how far it is, where that differs from what was told last."""
        steps = 100 if self._is_terminal else _STEPS
        part = done * steps // max(1, total)
        if part == self._told:
            return
        self._told = part
        line = f"{done:,} of {total:,} frames ({part * 100 // steps} %)"
        sys.stderr.write(f"\r{line}" if self._is_terminal else f"{line}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._is_terminal and self._told >= 0:
            sys.stderr.write("\n")
