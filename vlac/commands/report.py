"""Print diagnostics: text for people on standard error, JSON or GitHub annotations on standard output."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import wants_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from vlac.diagnostics import Diagnostic


def report(args: argparse.Namespace, diagnostics: Sequence[Diagnostic]) -> None:
    """Tell the user about problems in the form that was asked for; JSON is printed even when there are none."""
    prefix = folder_of(args)
    if wants_json(args):
        print_json({"diagnostics": as_json(args, diagnostics)})
    elif getattr(args, "format", "text") == "github":
        from vlac.diagnostics.render import render_github

        sys.stdout.write(render_github(diagnostics, prefix=prefix))
    else:
        tell(args, diagnostics)


def tell(args: argparse.Namespace, diagnostics: Sequence[Diagnostic]) -> None:
    """Print diagnostics as text to standard error; nothing where there are none."""
    if not diagnostics:
        return
    from vlac.diagnostics.render import render_text

    sys.stderr.write(render_text(diagnostics, prefix=folder_of(args), color=uses_color(sys.stderr)))


def as_json(args: argparse.Namespace, diagnostics: Sequence[Diagnostic]) -> list[dict[str, object]]:
    """Diagnostics as JSON objects."""
    from vlac.diagnostics.render import to_json

    return to_json(diagnostics, prefix=folder_of(args))


def print_json(document: object) -> None:
    """Print one JSON document to standard output."""
    import json

    is_utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=not is_utf8) + "\n")


def folder_of(args: argparse.Namespace) -> str:
    """The folder of the spec as the user typed it, empty for the working folder."""
    spec = getattr(args, "spec", None)
    return os.path.dirname(str(spec)) if spec else ""  # noqa: PTH120  (pathlib would turn "" into ".")


def uses_color(stream: TextIO) -> bool:
    """Whether to colour: a terminal, and NO_COLOR not set (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")
