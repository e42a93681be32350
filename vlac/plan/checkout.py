"""The RLinf tree that a compile reads for `base` and for `rlinf.version: auto`: the one at `rlinf.path`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vlac.plan.problems import error
from vlac.spec.paths import SPEC_FOLDER

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.spec.loaded import LoadedSpec


def checkout(loaded: LoadedSpec, asking: str, code: str, found: list[Diagnostic]) -> Path | None:
    """`rlinf.path` on this machine, for the field `asking`; None where it is not known, which is then in `found`.

    `code` is that of a path which says nothing before the launch: a compile expands no variables. A relative path is
    relative to the spec.
    """
    written = loaded.last("rlinf.path")
    if written is None:
        if not loaded.is_broken("rlinf.path"):
            message = f"rlinf.path is missing: {_why(loaded, asking)} reads the RLinf tree when the spec is compiled"
            hint = "add to `rlinf`: `path: /workspace/RLinf`; or give --rlinf PATH"
            found.append(error(loaded, asking, "spec-missing", message, hint))
        return None
    path = str(written.value)
    if path == SPEC_FOLDER or path.startswith(f"{SPEC_FOLDER}/"):
        return loaded.folder / path[len(SPEC_FOLDER) :].lstrip("/")
    if "${" in path:
        message = f"{_why(loaded, asking)} reads rlinf.path when the spec is compiled, where variables are not expanded"
        hint = "write the path itself, or give --rlinf PATH"
        found.append(error(loaded, "rlinf.path", code, message, hint))
        return None
    return Path(path)


def _why(loaded: LoadedSpec, asking: str) -> str:
    written = loaded.last(asking)
    return f"{asking}: {written.value}" if written else asking
