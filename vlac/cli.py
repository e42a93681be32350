"""The command `vlac`: parse the arguments, call one command, turn exceptions into messages and exit codes."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from vlac import __version__
from vlac.commands import streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vlac.errors import VlacError

_COMMANDS = (
    "init",
    "import",
    "compile",
    "plan",
    "explain",
    "diff",
    "reads",
    "check",
    "verify",
    "patch",
    "doctor",
    "norm-stats",
    "run",
    "diagnose",
    "schema",
)
"""In the order of the help; each is a module of `vlac.commands`."""
_EPILOG = """\
exit codes: 0 fine; 1 the spec is wrong, a check failed, a folder was refused or a difference was found;
2 wrong usage or a fault of vlac (for diff also a wrong spec or patch); 3 this machine cannot run it;
130 Ctrl-C, 143 TERM; a run that started ends with the training's own status."""
_OWN_FAULT = 2
_TROUBLE = 2
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    streams.prepare()
    arguments = sys.argv[1:] if argv is None else argv
    args = _parser(arguments).parse_args(arguments)
    if args.command != "run":
        gc.disable()  # a short process keeps nearly all it makes: searching that for garbage is work for nothing
    try:
        return streams.flush(_guarded(args))
    finally:
        gc.enable()


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command that the arguments begin with; of all commands where they begin with none."""
    parser = _Parser(
        prog="vlac",
        description="Compile a short YAML spec into a complete RLinf training run, and run it.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"vlac {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    first = arguments[0] if arguments else ""
    for name in [first] if first in _COMMANDS else _COMMANDS:
        _module(name).add_parser(subparsers)
    return parser


def _module(command: str) -> Any:  # noqa: ANN401 - a module with add_parser, for which typing has no word
    # A keyword cannot name a module.
    name = command.replace("-", "_")
    return import_module(f"vlac.commands.{name}{'_' if iskeyword(name) else ''}")


class _Parser(argparse.ArgumentParser):
    """A parser, and by that its subparsers, whose help keeps the lines of its epilog."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - argparse's own options, handed on
        super().__init__(**options, formatter_class=_Help)


class _Help(argparse.RawDescriptionHelpFormatter):
    """argparse's own, told the width: it would import shutil, and with it every compression library, to ask."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """Columns of the terminal: COLUMNS, else what the terminal says, else 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (AttributeError, ValueError, OSError):
        return 80


def _guarded(args: argparse.Namespace) -> int:
    from vlac.errors import VlacError

    try:
        return int(args.run(args))
    except VlacError as problem:
        return _report(args, problem)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        streams.drop()
        return 0
    except Exception as fault:
        return streams.unwritable(fault) if streams.is_full(fault) else _own_fault(fault)


def _report(args: argparse.Namespace, problem: VlacError) -> int:
    from vlac.commands.report import report
    from vlac.diagnostics import Diagnostic
    from vlac.errors import SpecError

    found: Sequence[Diagnostic] = [Diagnostic(problem.code, problem.message, hint=problem.hint)]
    code = problem.exit_code
    if isinstance(problem, SpecError):
        found, code = problem.diagnostics, _TROUBLE if args.command == "diff" else code
    try:
        report(args, found)
    except BrokenPipeError:  # who reads no further still learns from the code that it failed
        streams.drop()
    return code


def _own_fault(fault: Exception) -> int:
    if os.environ.get("VLAC_TRACEBACK"):
        raise fault
    sys.stderr.write(
        f"vlac: internal error: {type(fault).__name__}: {fault}\n"
        "this is a fault of vlac, not of your spec; set VLAC_TRACEBACK=1 to see where it happened\n"
    )
    return _OWN_FAULT
