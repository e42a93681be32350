"""The way of a check: a file becomes a subject, meets its target, and what is found becomes the result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.check.findings import find
from vlac.check.read_config import is_spec, read_config
from vlac.check.target import Target, find_tree, target_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from vlac.check.subject import Subject
    from vlac.diagnostics import Diagnostic
    from vlac.rlinf.versions import Version


@dataclass(frozen=True)
class Checked:
    """What a check found. `target` is what the configuration was held against, None where there was none to hold."""

    kind: str
    diagnostics: tuple[Diagnostic, ...]
    target: Target | None = None

    @property
    def counts(self) -> Mapping[str, int]:
        """How many errors, warnings and notes."""
        found = Counter(diagnostic.severity for diagnostic in self.diagnostics)
        return {"errors": found["error"], "warnings": found["warning"], "notes": found["note"]}

    @property
    def has_errors(self) -> bool:
        """Whether a run would die of something that was found."""
        return any(diagnostic.is_error for diagnostic in self.diagnostics)


def check_file(
    path: Path,
    *,
    tree: Path | None = None,
    backend: str | None = None,
    sets: Sequence[str] = (),
    cache: Path | None = None,
) -> Checked:
    """Check a vlac spec or an RLinf config; `tree` is the RLinf that it is held against.

    `backend` and `sets` are the command line's, for a spec. `cache` is the folder for what was read of a tree, None
    keeps nothing. Raises RefusedError where a tree is none, or Hydra is needed and not installed.
    """
    return _spec(path, tree, backend, sets, cache) if is_spec(path) else _config(path, tree, cache)


def _config(path: Path, tree: Path | None, cache: Path | None) -> Checked:
    from vlac.errors import SpecError

    try:
        subject = read_config(path, tree)
    except SpecError as problem:
        return Checked("config", problem.diagnostics)
    return _held_against("config", subject, find_tree(path, tree), None, cache, ())


def _spec(
    path: Path, tree: Path | None, backend: str | None, sets: Sequence[str], cache: Path | None
) -> Checked:
    from vlac.check.read_spec import as_typed, subject_of
    from vlac.compiler import compile_path
    from vlac.errors import SpecError

    try:
        bundle = compile_path(path, backend=backend, sets=sets, tree=tree)
    except SpecError as problem:
        return Checked("spec", tuple(as_typed(problem.diagnostics, path)))
    # An inherited placeholder is told below, at its place in the tree.
    compiled = [diagnostic for diagnostic in bundle.diagnostics if diagnostic.code != "base-placeholder"]
    told = as_typed(compiled, path)
    own = tree or _own_tree(bundle.plan.get("rlinf.path"))
    return _held_against("spec", subject_of(bundle, path), own, bundle.plan.version, cache, told)


def _own_tree(written: object) -> Path | None:
    """The tree at `rlinf.path`, where it is on this machine; without one, what is installed may be another version."""
    from pathlib import Path

    tree = Path(str(written)) if written else None
    return tree if tree and tree.is_dir() else None


def _held_against(
    kind: str,
    subject: Subject,
    tree: Path | None,
    version: Version | None,
    cache: Path | None,
    told: Sequence[Diagnostic],
) -> Checked:
    from vlac.compiler import in_source_order

    target = target_of(subject, tree, version, cache)
    (*found,) = find(subject, target)
    notes = [one for one in found if one.severity == "note"]
    told_of = [*told, *(one for one in found if one.severity != "note" and not _is_told(one, told))]
    return Checked(kind, (*in_source_order(told_of), *notes), target)


def _is_told(found: Diagnostic, told: Sequence[Diagnostic]) -> bool:
    """Whether the compile warned of the same key at the same place."""
    codes = {"check-key-dead": "override-dead", "check-interpolation": "override-unresolved"}
    return any(one.code == codes.get(found.code) and one.position == found.position for one in told)
