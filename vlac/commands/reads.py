"""`vlac reads`: which configuration keys the code of an RLinf tree reads for a kind of run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import file_path

if TYPE_CHECKING:
    import argparse

    from vlac.rlinf.reads import Reads

_EPILOG = """\
strict     read as an attribute or item by every such run: a missing key is fatal
defaulted  read with a default
guarded    read behind a test, or by some such runs only
written    set by RLinf itself before it is read

The tree is read as text, never imported or run."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "reads", help="list the configuration keys that RLinf's code reads", epilog=_EPILOG
    )
    parser.add_argument(
        "--rlinf", type=file_path, metavar="PATH", help="a checkout; default: what is installed"
    )
    parser.add_argument("--task", default="sft", help="runner.task_type (default: sft)")
    parser.add_argument("--model-type", default="openpi", help="actor.model.model_type (default: openpi)")
    parser.add_argument("--backend", default="fsdp", help="actor.training_backend (default: fsdp)")
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    parser.add_argument("--no-cache", action="store_true", help="neither use nor keep earlier results")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the tree and list its reads; RefusedError where the path is no RLinf tree."""
    from vlac.rlinf.reads import Run, Tree, find_installed, read_tree
    from vlac.rlinf.reads.cache import default_folder

    tree = Tree(args.rlinf or find_installed())
    folder = None if args.no_cache else default_folder()
    reads = read_tree(tree, Run(args.task, args.model_type, args.backend), folder=folder)
    _tell_unread(reads)
    _tell_unknown(args, reads)
    _print(args, reads)
    return 0


def _tell_unread(reads: Reads) -> None:
    for unread in reads.unread:
        sys.stderr.write(f"warning: {unread.file}:{unread.line}: not read: {unread.reason}\n")


def _tell_unknown(args: argparse.Namespace, reads: Reads) -> None:
    """Warn of a word that the tree does not accept: what is listed then is what a run reads before it stops."""
    asked = {"task_types": args.task, "model_types": args.model_type, "training_backends": args.backend}
    for name, word in asked.items():
        accepted = reads.enumerations.get(name, ())
        if accepted and word not in accepted:
            kind = name.removesuffix("s").replace("_", " ")
            sys.stderr.write(f"warning: {word} is no {kind} of this tree: {', '.join(accepted)}\n")


def _print(args: argparse.Namespace, reads: Reads) -> None:
    from vlac.rlinf.reads.report import to_json, to_text

    if not args.json:
        sys.stdout.write(to_text(reads))
        return
    from vlac.commands.report import print_json

    question = {"task": args.task, "model_type": args.model_type, "backend": args.backend}
    print_json({"diagnostics": [], "run": question, **to_json(reads)})
