"""`vlac verify`: whether a bundle is as it was compiled."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import file_path

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from vlac.bundle.verify import Finding


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("verify", help="tell whether a bundle is as it was compiled")
    parser.add_argument("folder", type=file_path, metavar="DIR", help="the bundle")
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare a bundle with its lock: 0 where it is as compiled, 1 where it is not or is no bundle."""
    from vlac.bundle.verify import verify

    findings = verify(args.folder)
    if args.json:
        _print_json(args.folder, findings)
    else:
        sys.stdout.write(_as_text(args.folder, findings))
    return 1 if findings else 0


def _print_json(folder: Path, findings: Sequence[Finding]) -> None:
    from vlac.commands.report import print_json

    found = [{"file": _shown(f.file), "problem": f.problem, "detail": f.detail} for f in findings]
    print_json({"diagnostics": [], "bundle": str(folder), "findings": found})


def _as_text(folder: Path, findings: Sequence[Finding]) -> str:
    if not findings:
        return f"{folder}: as compiled\n"
    if findings[0].problem == "no lock":
        return f"{folder}: no bundle: {findings[0].detail}\n"
    lines = [f"  {_shown(f.file)}: {f.problem} ({f.detail})\n" for f in findings]
    return f"{folder}: not as compiled\n{''.join(lines)}"


def _shown(name: str) -> str:
    """A file name that anybody may have made, without what a terminal would act upon."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
