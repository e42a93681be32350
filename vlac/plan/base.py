"""The base of a run: the config of the RLinf tree that a spec starts from, as Hydra composes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.plan.checkout import checkout
from vlac.plan.problems import error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vlac.diagnostics import Diagnostic
    from vlac.plan.origins import Value
    from vlac.rlinf.compose import Composition
    from vlac.rlinf.templates import Key
    from vlac.rlinf.versions import Version
    from vlac.spec.loaded import LoadedSpec


_NO_TREE = ("spec-missing", "target-no-tree")


@dataclass(frozen=True)
class Base:
    """What a spec with `base` starts from.

    `fields` are the spec fields that the composition expresses, `values` its leaves without their places; `entry` is
    RLinf's script for it, relative to the tree, `digests` the sha256 of each file that was read.
    """

    composition: Composition
    values: Mapping[Key, Value]
    fields: Mapping[str, Value]
    entry: str | None
    digests: Mapping[str, str]

    @property
    def name(self) -> str:
        """The config, relative to the tree."""
        return self.composition.layout.name

    @property
    def task(self) -> str:
        """RLinf's word for what the run does: sft, embodied, reasoning ...; empty where the config has none."""
        return str(self.values.get(("runner", "task_type")) or "")

    @property
    def model_type(self) -> str:
        """RLinf's word for the model; empty where the config trains none."""
        return str(self.values.get(("actor", "model", "model_type")) or "")

    def place_of(self, keys: Iterable[Key]) -> str:
        """Where the tree says it: `examples/.../x.yaml:12` of the first of some keys, or of what is below it."""
        leaves = self.composition.leaves
        for wanted in keys:
            for key, leaf in leaves.items():
                if key[: len(wanted)] == wanted and leaf.file:
                    return f"{leaf.file}:{leaf.line}"
        return self.name


def find_base(
    loaded: LoadedSpec, version: Version, tree: Path | None, found: list[Diagnostic]
) -> Base | None:
    """Compose the base of a spec; None where it names none, and where it cannot be had, which is then in `found`.

    `tree` is read instead of `rlinf.path`.
    """
    written = loaded.last("base")
    if written is None or any(problem.code in _NO_TREE for problem in found):
        return None  # `rlinf.version: auto` asked for the same tree
    root = tree or checkout(loaded, "base", "base-no-checkout", found)
    return _composed(loaded, version, root, str(written.value), found) if root else None


def _composed(
    loaded: LoadedSpec, version: Version, root: Path, name: str, found: list[Diagnostic]
) -> Base | None:
    from vlac.rlinf.compose import ComposeError, compose
    from vlac.rlinf.entry import entry_script
    from vlac.rlinf.lift import lift

    try:
        composition = compose(root / name, root)
    except ComposeError as problem:
        found.append(error(loaded, "base", "base-broken", str(problem), _hint(problem)))
        return None
    except RefusedError as problem:
        found.append(_refused(loaded, root, name, problem))
        return None
    values = composition.values
    fields = lift(values, version)
    return Base(composition, values, fields, entry_script(composition), _digests(composition, root))


def _digests(composition: Composition, root: Path) -> dict[str, str]:
    from hashlib import sha256

    return {
        file.relative_to(root.absolute()).as_posix(): sha256(file.read_bytes()).hexdigest()
        for file in composition.files
        if file.is_relative_to(root.absolute())
    }


def _hint(problem: Exception) -> str | None:
    file, line, hint = (getattr(problem, name, None) for name in ("file", "line", "hint"))
    place = f"{file}:{line}" if line else str(file) if file else None
    return "; ".join(part for part in (place, hint) if part) or None


def _refused(loaded: LoadedSpec, root: Path, base: str, problem: RefusedError) -> Diagnostic:
    if (root / base).is_file():
        return error(loaded, "base", "base-broken", str(problem), problem.hint)
    if not root.is_dir():
        message, path = f"there is no RLinf checkout at {root}", "rlinf.path"
        hint = "a base is read when the spec is compiled; --rlinf PATH names a checkout on this machine"
        return error(loaded, path if loaded.last(path) else "base", "base-no-checkout", message, hint)
    return error(loaded, "base", "base-missing", f"the checkout has no {base}", _nearest(root, base))


def _nearest(root: Path, base: str) -> str | None:
    from difflib import get_close_matches

    known = {file.name: file.relative_to(root).as_posix() for file in sorted(root.glob("examples/**/*.yaml"))}
    close = get_close_matches(Path(base).name, known, n=1, cutoff=0.6)
    return f"did you mean {known[close[0]]}?" if close else None
