"""`vlac patch`: apply the source patches that a spec lists to the trees of this machine, and take them back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_changes, compiled, file_path

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from vlac.patching.work import Job, Report
    from vlac.plan.ir import RunPlan

_ACTIONS = ("status", "apply", "revert")
_EPILOG = """\
status tells what the trees hold and writes nothing; 1 where a listed patch is not applied. apply and revert change
all files or none, also when they are killed: the next call puts right what is half done. What was there before is
kept in .vlac-patch/ of the tree, and revert brings it back byte for byte. A file that the patch does not know is never
touched."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "patch", help="apply the source patches that a spec lists, or take them back", epilog=_EPILOG
    )
    parser.add_argument("spec", type=file_path, metavar="SPEC", help="the spec file")
    parser.add_argument("action", choices=_ACTIONS, help="what to do with the patches under `patches`")
    add_changes(parser)
    parser.add_argument(
        "--openpi",
        type=file_path,
        metavar="PATH",
        help="the folder that holds openpi/, or a checkout of openpi",
    )
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do it: 0 where the listed patches are as asked, 1 where they are not or files were refused."""
    from vlac.commands.report import tell
    from vlac.patching.work import UnknownFilesError, apply, revert, status

    bundle = compiled(args)
    if not args.json:
        tell(args, bundle.diagnostics)
    if not bundle.plan.patches:
        return _nothing(args)
    job = _job(args, bundle.plan)
    notes = list(_notes(args, bundle.plan, job))
    try:
        report = {"status": status, "apply": apply, "revert": revert}[args.action](job)
    except UnknownFilesError as refused:
        _print(args, refused.report, [*notes, "refused: nothing was changed"])
        return 1
    _print(args, report, notes)
    return 1 if args.action == "status" and not report.is_applied else 0


def _job(args: argparse.Namespace, plan: RunPlan) -> Job:
    from vlac.patching.places import find_root
    from vlac.patching.work import Job
    from vlac.rlinf.source_patches import trees_of

    roots = [find_root("rlinf", args.rlinf or _checkout(args.spec, plan))]
    if args.openpi:
        roots.append(find_root("openpi", args.openpi))
    return Job(plan.patches, tuple(roots), trees_of(plan.version))


def _checkout(spec: Path, plan: RunPlan) -> Path:
    """`rlinf.path` on this machine."""
    import os

    from vlac.bundle.launch_sh import SPEC_DIR
    from vlac.errors import UsageError
    from vlac.run.launch import resolve

    path = plan.get("rlinf.path")
    if not isinstance(path, str):
        raise UsageError(
            "the spec has no rlinf.path",
            "add --rlinf PATH: the root of the checkout, or the folder that holds rlinf/",
        )
    return file_path(resolve(path, {**os.environ, SPEC_DIR: str(spec.resolve().parent)}))


def _notes(args: argparse.Namespace, plan: RunPlan, job: Job) -> Iterator[str]:
    from vlac.patching.record import read_record

    of_openpi = [
        patch.id for patch in plan.patches if any(variant.project == "openpi" for variant in patch.variants)
    ]
    if of_openpi and not args.openpi:
        yield f"openpi: not looked at, RLinf's own files alone; --openpi PATH adds it for {', '.join(of_openpi)}"
    listed = {patch.id for patch in plan.patches}
    for root in job.roots:
        others = sorted({entry.patch for entry in read_record(root.folder).values()} - listed)
        if others:
            ids = ", ".join(others)
            how = f"--set 'patches=[{ids}]' reaches it"
            yield f"{root.folder} is patched with {ids} too, which the spec does not list: {how}"


def _nothing(args: argparse.Namespace) -> int:
    from vlac.patching.work import Report

    _print(args, Report(()), ["the spec lists no patches; `vlac plan SPEC` shows those that it could list"])
    return 0


def _print(args: argparse.Namespace, report: Report, notes: list[str]) -> None:
    from vlac.patching.show import to_json, to_text

    if not args.json:
        sys.stdout.write(to_text(report, notes))
        return
    from vlac.commands.report import print_json

    print_json({"diagnostics": [], "action": args.action, **to_json(report, notes)})
