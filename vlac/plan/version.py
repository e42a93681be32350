"""The RLinf version of a spec: a known one by its name, or whatever the tree at `rlinf.path` is (`auto`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.models.families import FAMILIES
from vlac.plan.checkout import checkout
from vlac.plan.problems import error, warning
from vlac.rlinf import versions

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.diagnostics import Diagnostic
    from vlac.rlinf.trees import Recognised
    from vlac.rlinf.versions import Version
    from vlac.spec.loaded import LoadedSpec

AUTO = "auto"
_FIELD = "rlinf.version"
_MOST_FILES = 6  # named in a message; the rest is counted


def find_version(loaded: LoadedSpec, tree: Path | None, found: list[Diagnostic]) -> Version:
    """The version that `rlinf.version` means; what is wrong with it goes to `found`, and v0.3 stands in.

    `tree` is the RLinf tree that is read instead of the one at `rlinf.path`. It is read for `auto` only.
    """
    written = loaded.last(_FIELD)
    text = written.value if written and isinstance(written.value, str) else ""
    if text == AUTO:
        return _of_tree(loaded, tree, found)
    version = versions.find(text)
    if text and version is None:
        known = ", ".join(versions.VERSIONS)
        message = f"vlac has no data for RLinf version {text!r}"
        hint = f"write one of: {known}; or auto, for the tree at rlinf.path"
        found.append(error(loaded, _FIELD, "target-unknown-version", message, hint))
    return version or versions.V0_3


def _of_tree(loaded: LoadedSpec, tree: Path | None, found: list[Diagnostic]) -> Version:
    from vlac.rlinf.trees import recognise
    from vlac.rlinf.trees.own import version_of

    root = tree or checkout(loaded, _FIELD, "target-no-tree", found)
    if root is None:
        return versions.V0_3
    try:
        recognised = recognise(root)
    except RefusedError as problem:
        place = "rlinf.path" if loaded.last("rlinf.path") else _FIELD
        found.append(error(loaded, place, "target-no-tree", problem.message, problem.hint))
        return versions.V0_3
    found += _told(loaded, recognised)
    try:
        version = version_of(
            recognised, FAMILIES.get(_family(loaded)) if loaded.last("base") is None else None
        )
    except RefusedError as problem:
        found.append(error(loaded, _FIELD, "target-tree-unfit", problem.message, problem.hint))
        return recognised.nearest.version
    found += _loggers(loaded, version)
    return version


def _loggers(loaded: LoadedSpec, version: Version) -> list[Diagnostic]:
    """Loggers that are written and that the tree refuses."""
    written = loaded.last("logging.backends")
    asked = written.value if written and isinstance(written.value, (list, tuple)) else ()
    return [
        error(
            loaded,
            "logging.backends",
            "target-logger",
            f"RLinf {version.name} has no logger {name}",
            f"it has {', '.join(version.loggers)}",
        )
        for name in asked
        if name not in version.loggers
    ]


def _family(loaded: LoadedSpec) -> str:
    written = loaded.last("model.family")
    return str(written.value) if written else ""


def _told(loaded: LoadedSpec, tree: Recognised) -> list[Diagnostic]:
    """What a user should know about the tree beside its name: nothing where it is a known one as published."""
    if tree.alike and not tree.commit:
        message = f"the files at rlinf.path do not tell which RLinf it is: {tree.described}"
        hint = f"{tree.nearest.version.name} is taken; write the version, if you know it"
        return [warning(loaded, _FIELD, "target-tree-ambiguous", message, hint)]
    if tree.is_edited:
        message = f"the tree at rlinf.path is {tree.described}: {_listed(tree.nearest.differing)}"
        told = warning(loaded, _FIELD, "target-tree-edited", message)
        return [replace(told, severity="note") if tree.code_is_known else told]
    if not tree.is_known:
        message = f"the tree at rlinf.path is {tree.described}"
        return [warning(loaded, _FIELD, "target-tree-unseen", message, "it is compiled from itself")]
    return []


def _listed(files: tuple[str, ...]) -> str:
    more = f" and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    return ", ".join(files[:_MOST_FILES]) + more
