"""A plain RLinf config as a subject: composed by Hydra where it has `defaults`, else as it stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vlac.check.marks import Files, read_marked
from vlac.check.subject import Place, Subject
from vlac.diagnostics import Diagnostic, Position
from vlac.errors import SpecError
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.moves import moved_group

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.check.marks import Marked
    from vlac.rlinf.compose import ComposeError, Composition
    from vlac.rlinf.templates import Key

_OF_HYDRA = ("hydra", "defaults")
_MOST_CHARACTERS = 4 * 1024 * 1024  # a config that a run saved has some 30 KB


def read_config(path: Path, tree: Path | None) -> Subject:
    """The configuration at `path`; `tree` is where one that lies in no RLinf tree finds its groups.

    Raises SpecError where it is no YAML or Hydra cannot compose it, RefusedError where Hydra is needed and absent.
    """
    marked = read_marked(_text(path), str(path))
    if marked.problems:
        raise SpecError(marked.problems)
    if ("defaults",) in marked.places:
        return _composed(path, marked, tree)
    leaves = {
        key: Setting(value, Origin(Layer.RLINF, str(path), marked.places[key].position))
        for key, value in marked.values.items()
        if key[0] not in _OF_HYDRA
    }
    return Subject(str(path), leaves, marked.places, _called(path))


def is_spec(path: Path) -> bool:
    """Whether the file is a vlac spec: it has the key `vlac` at its top. A file that cannot be read is none."""
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    return any(line.lstrip("\ufeff").startswith(("vlac:", '"vlac":', "'vlac':", "vlac :")) for line in lines)


def _text(path: Path) -> str:
    """The text of a config; raises SpecError where there is none."""
    at = Position(str(path), 1, 1)
    try:
        if path.is_file() and path.stat().st_size > _MOST_CHARACTERS:
            raise SpecError([Diagnostic("spec-too-large", "this is larger than any config", "error", at)])
        return path.read_text("utf-8-sig")
    except OSError as problem:
        said = "there is no such file" if isinstance(problem, FileNotFoundError) else problem.strerror
        raise SpecError([Diagnostic("spec-unreadable", f"{said}", "error", at)]) from None
    except UnicodeDecodeError:
        hint = "save the file as UTF-8"
        raise SpecError([Diagnostic("spec-not-utf8", "this is not UTF-8", "error", at, hint)]) from None


def _called(path: Path) -> str:
    """The config as its tree calls it (`examples/sft/config/a.yaml`), empty where it lies in none."""
    parts = path.absolute().parts
    if "examples" not in parts:
        return ""
    return "/".join(parts[len(parts) - 1 - parts[::-1].index("examples") :])


def _composed(path: Path, marked: Marked, tree: Path | None) -> Subject:
    from vlac.rlinf.compose import ComposeError, compose

    try:
        composition = compose(path, None if _called(path) else tree)
    except ComposeError as problem:
        raise SpecError([_uncomposed(path, problem)]) from problem
    places = {**_inherited(composition, path), **marked.places}
    leaves = {
        key: Setting(leaf.value, Origin(Layer.RLINF, f"{leaf.file}:{leaf.line}", _at(places, key)))
        for key, leaf in composition.leaves.items()
    }
    return Subject(str(path), leaves, places, _called(path))


def _at(places: dict[Key, Place], key: Key) -> Position | None:
    return places[key].position if key in places else None


def _inherited(composition: Composition, path: Path) -> dict[Key, Place]:
    """The places of leaves that other files of the tree decided."""
    files, found, own = Files(), {}, path.absolute()
    for key, leaf in composition.leaves.items():
        if leaf.file is None or leaf.line is None:
            continue
        file = composition.layout.tree / leaf.file
        place = files.place(file, str(path) if file == own else shown(file, path), leaf.line, key[-1])
        if place is not None:
            found[key] = place
    return found


def shown(file: Path, beside: Path) -> str:
    """A file as the user would type it who typed `beside`: relative to the working folder where it lies below it."""
    relative = os.path.relpath(file)
    return str(file) if beside.is_absolute() or relative.startswith("..") else relative


def _uncomposed(path: Path, problem: ComposeError) -> Diagnostic:
    """Which file is missing, and which line asks for it."""
    hint = problem.hint
    if problem.missing and (now := moved_group(problem.missing)):
        instead = problem.missing.replace(now.old, now.new, 1)
        hint = f"write {instead}: the group {now.old} is called {now.new} since RLinf {now.since}"
    file = problem.file or path
    name = str(path) if file == path.absolute() else shown(file, path)
    place = Files().place(file, name, problem.line or 1, (problem.missing or "").rpartition("/")[2])
    position, excerpt = (place.position, place.excerpt) if place else (Position(name, 1, 1), None)
    return Diagnostic("check-not-composed", problem.message, "error", position, hint, excerpt)
