"""Write the documents that are made from data; with --check, tell which are out of date (exit code 1)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent


def spec_document() -> str:
    """docs/spec.md: every field of a spec, from the table of fields."""
    from vlac.spec.document import spec_document as document

    return document()


def schema_document() -> str:
    """specs/spec-v1.schema.json: what `vlac schema` prints."""
    from vlac.commands.schema import schema_text

    return schema_text()


DOCUMENTS: dict[str, Callable[[], str]] = {
    "docs/spec.md": spec_document,
    "specs/spec-v1.schema.json": schema_document,
}
"""Every generated document and the function that makes its text."""


def main() -> int:
    """Write all documents, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where one is out of date")
    check = parser.parse_args().check
    stale = [path for path, make in DOCUMENTS.items() if _stale(ROOT / path, make())]
    for path in stale:
        sys.stderr.write(f"{path}: {'out of date' if check else 'written'}\n")
        if not check:
            _write(ROOT / path, DOCUMENTS[path]())
    return 1 if check and stale else 0


def _stale(path: Path, text: str) -> bool:
    return not path.is_file() or path.read_text(encoding="utf-8") != text


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
