"""`vlac schema`: the JSON Schema of a spec."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("schema", help="print the JSON Schema of a spec, for editors")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - every command has this signature
    """Print the schema to standard output."""
    sys.stdout.write(schema_text())
    return 0


def schema_text() -> str:
    """The schema as it is committed in `specs/`."""
    import json

    from vlac.spec.json_schema import json_schema

    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
