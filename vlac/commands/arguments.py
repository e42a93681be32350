"""The arguments that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.run.launch import Launch


def file_path(text: str) -> Path:
    """A path of the command line. pathlib is imported when one is given: --help needs none."""
    from pathlib import Path

    return Path(text)


def add_spec(parser: argparse.ArgumentParser) -> None:
    """SPEC, `--set`, `--backend` and `--rlinf`, as every command that compiles takes them."""
    parser.add_argument("spec", type=file_path, metavar="SPEC", help="the spec file")
    add_changes(parser)


def add_changes(parser: argparse.ArgumentParser) -> None:
    """`--set`, `--backend` and `--rlinf`: what the command line says instead of the spec."""
    parser.add_argument(
        "--set",
        dest="sets",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set a field, as --set train.micro_batch=8; VALUE is YAML",
    )
    parser.add_argument("--backend", metavar="B[:DEVICE]", help="use another backend, as --backend cuda:H100")
    parser.add_argument(
        "--rlinf",
        type=file_path,
        metavar="PATH",
        help="read this RLinf tree instead of the one at rlinf.path",
    )


def compiled(args: argparse.Namespace) -> Bundle:
    """The bundle of the spec on the command line. Raises SpecError with all problems."""
    from vlac.compiler import compile_path

    return compile_path(args.spec, backend=args.backend, sets=args.sets, tree=args.rlinf)


def launch_of(args: argparse.Namespace) -> Launch:
    """The launch of that bundle on this machine, by this shell. Raises SpecError with all problems."""
    import os
    import sys

    from vlac.run.launch import Launch

    return Launch(compiled(args), args.spec.resolve().parent, dict(os.environ), sys.executable)


def add_format(parser: argparse.ArgumentParser) -> None:
    """`--json` and `--format`: how problems and results are printed."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print JSON to standard output")
    group.add_argument(
        "--format", choices=("text", "json", "github"), default="text", help="how problems are printed"
    )


def wants_json(args: argparse.Namespace) -> bool:
    """Whether the caller reads JSON."""
    return bool(getattr(args, "json", False)) or getattr(args, "format", "text") == "json"
