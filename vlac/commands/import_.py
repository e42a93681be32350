"""`vlac import`: the compact spec of an existing run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import file_path

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from vlac.importing.importer import Imported

_EPILOG = """\
CONFIG is a config of an RLinf tree, or a complete one that vlac compiled or a run saved. `vlac compile` makes the same
configuration of the spec, leaf for leaf. A spec that starts from a config of RLinf names the tree that was read."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "import", help="write the spec of an existing RLinf config", epilog=_EPILOG
    )
    parser.add_argument("config", type=file_path, metavar="CONFIG", help="the config")
    parser.add_argument(
        "--rlinf", type=file_path, metavar="PATH", help="the RLinf tree (default: the one around CONFIG)"
    )
    parser.add_argument(
        "-o", "--output", type=file_path, metavar="SPEC", help="the file to write (default: print the spec)"
    )
    parser.add_argument(
        "--backend", metavar="B[:DEVICE]", help="the hardware, where a spec needs it, as ascend:910B3"
    )
    parser.add_argument("--force", action="store_true", help="overwrite a file")
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Import and write; nothing is written where the config cannot be imported."""
    from vlac.importing.importer import import_config

    args.spec = args.config  # what positions in messages are about
    imported = import_config(args.config, tree=args.rlinf, backend=args.backend)
    if args.output:
        _write(args.output, imported.text, force=args.force)
    for note in imported.notes:
        sys.stderr.write(f"note: {note}\n")
    _print(args, imported)
    return 0


def _print(args: argparse.Namespace, imported: Imported) -> None:
    if args.json:
        from vlac.commands.report import print_json

        print_json(_document(args, imported))
    elif args.output:
        lines = imported.text.count("\n")
        sys.stderr.write(f"wrote {args.output}: {lines} lines; next: vlac compile {args.output}\n")
    else:
        sys.stdout.write(imported.text)


def _document(args: argparse.Namespace, imported: Imported) -> dict[str, object]:
    return {
        "diagnostics": [],
        "form": imported.form,
        "spec": imported.text,
        "output": str(args.output) if args.output else None,
        "fields": dict(imported.draft.fields),
        "overrides": dict(imported.draft.overrides),
        "notes": list(imported.notes),
    }


def _write(path: Path, text: str, *, force: bool) -> None:
    """Write the file as a whole or not at all: it is made beside its place and takes its name at the end."""
    import os

    from vlac.errors import RefusedError

    if not force and (path.exists() or path.is_symlink()):
        raise RefusedError(f"{path} exists already", "name another file with -o, or give --force")
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with staged.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        staged.replace(path)
    except OSError as problem:
        staged.unlink(missing_ok=True)
        raise RefusedError(
            f"{path} cannot be written: {problem.strerror}", "name another file with -o"
        ) from None
