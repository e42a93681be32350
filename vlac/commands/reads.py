"""`vlac reads`: which configuration keys the code of an RLinf tree reads for a kind of run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import file_path

if TYPE_CHECKING:
    import argparse

    from vlac.rlinf.reads import Reads, Run, Tree
    from vlac.rlinf.trees.difference import Difference
    from vlac.rlinf.trees.key_reads import KeyReads

_EPILOG = """\
strict     read as an attribute or item by every such run: a missing key is fatal
defaulted  read with a default
guarded    read behind a test, or by some such runs only
written    set by RLinf itself before it is read

With --against only the difference is shown: keys new in this tree, gone, moved, read in another way; the exit status
is then 1 where there is one.

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
    parser.add_argument(
        "--against",
        metavar="VERSION",
        help="a known version (0.3, main, a4b6abe20), or the path of another tree",
    )
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    parser.add_argument("--no-cache", action="store_true", help="neither use nor keep earlier results")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the tree and list its reads; RefusedError where the path is no RLinf tree."""
    from vlac.rlinf.reads import Tree, find_installed

    tree = Tree(args.rlinf or find_installed())
    reads = _read(args, tree)
    _tell_unknown(args, reads)
    if args.against:
        return _compare(args, tree, reads)
    _print(args, reads)
    return 0


def _run(args: argparse.Namespace) -> Run:
    from vlac.rlinf.reads import Run

    return Run(args.task, args.model_type, args.backend)


def _read(args: argparse.Namespace, tree: Tree) -> Reads:
    from vlac.rlinf.reads import read_tree
    from vlac.rlinf.reads.cache import default_folder

    reads = read_tree(tree, _run(args), folder=None if args.no_cache else default_folder())
    _tell_unread(reads)
    return reads


def _compare(args: argparse.Namespace, tree: Tree, reads: Reads) -> int:
    from vlac.rlinf.trees.difference import difference
    from vlac.rlinf.trees.key_reads import key_reads

    found = difference(_other(args), key_reads(tree, reads))
    _print_difference(args, found)
    return 0 if found.is_empty else 1


def _other(args: argparse.Namespace) -> KeyReads:
    """The reads of the version, from what is kept, or of another tree."""
    from vlac.errors import RefusedError
    from vlac.rlinf import versions
    from vlac.rlinf.reads import Tree
    from vlac.rlinf.trees.key_reads import key_reads
    from vlac.rlinf.trees.version_reads import version_reads

    version = versions.find(args.against)
    if version is not None:
        return version_reads(version, _run(args))
    folder = file_path(args.against)
    if not folder.is_dir():
        known = ", ".join(versions.VERSIONS)
        raise RefusedError(
            f"{args.against} is no known version and no folder", hint=f"known versions: {known}"
        )
    tree = Tree(folder)
    return key_reads(tree, _read(args, tree))


def _print_difference(args: argparse.Namespace, found: Difference) -> None:
    from vlac.rlinf.trees.show import to_json, to_text

    question = {**_question(args), "against": args.against}
    if args.json:
        from vlac.commands.report import print_json

        print_json({"diagnostics": [], "run": question, "equal": found.is_empty, **to_json(found)})
    elif found.is_empty:
        run = " / ".join((args.task, args.model_type, args.backend))
        sys.stdout.write(f"the same keys are read in the same ways as by {args.against}: {run}\n")
    else:
        sys.stdout.write(to_text(found))


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

    print_json({"diagnostics": [], "run": _question(args), **to_json(reads)})


def _question(args: argparse.Namespace) -> dict[str, str]:
    return {"task": args.task, "model_type": args.model_type, "backend": args.backend}
