"""Read a spec: text, parents, --backend and --set become one valid LoadedSpec, or every problem at once."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from vlac.errors import SpecError
from vlac.spec.check import Check, nested
from vlac.spec.fields import BY_PATH
from vlac.spec.files import read_text, shown_name
from vlac.spec.layers import Layers
from vlac.spec.loaded import LoadedSpec, Written
from vlac.spec.parents import Reader
from vlac.spec.types import MAPPINGS, entry_value, field_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from vlac.diagnostics import Diagnostic
    from vlac.plan.origins import Value
    from vlac.spec.layers import Leaf


def load(
    path: Path, *, backend: str | None = None, sets: Sequence[str] = (), keep_going: bool = False
) -> LoadedSpec:
    """Read the spec at `path` with the command line's `--backend` and `--set` laid over it.

    Raises SpecError with every problem, in source order. With `keep_going` a spec whose YAML can be read is
    returned with its errors among `diagnostics` and the wrong fields in `broken`: a plan may find more.
    """
    file = shown_name(path)
    text = read_text(path, file)
    return load_text(text, folder=path.parent, file=file, backend=backend, sets=sets, keep_going=keep_going)


def load_text(
    text: str,
    *,
    folder: Path,
    file: str = "spec.yaml",
    backend: str | None = None,
    sets: Sequence[str] = (),
    keep_going: bool = False,
) -> LoadedSpec:
    """Read a spec from its text. `folder` is where parents are looked for, `file` names it in positions.

    Raises SpecError and takes `keep_going` as `load` does.
    """
    layers = Layers()
    reader = Reader(folder, layers)
    source = reader.read_spec(text, file)
    problems = [*reader.problems, *_command_line(layers, backend, sets)]
    if not reader.is_readable:
        raise SpecError(_in_source_order(problems, file))
    check = Check(layers, source, complete=not problems)
    spec = check.run()
    found = _in_source_order(_once([*problems, *check.problems]), file)
    if not keep_going and any(problem.is_error for problem in found):
        raise SpecError(found)
    kept = _without(layers, check.broken)
    return LoadedSpec(
        spec,
        _written(kept, check.values),
        _entries(kept),
        _digest(check.values),
        file,
        folder,
        found,
        frozenset(check.broken),
    )


def _command_line(layers: Layers, backend: str | None, sets: Sequence[str]) -> list[Diagnostic]:
    if backend is None and not sets:
        return []
    from vlac.spec.arguments import backend_layer, set_layer

    problems = [] if backend is None else backend_layer(backend, layers)
    for number, argument in enumerate(sets, start=1):
        problems += set_layer(argument, number, layers)
    return problems


def _without(layers: Layers, broken: Collection[str]) -> Layers:
    """What was written, less the wrong fields and what is no field."""
    leaves = {
        path: leaf for path, leaf in layers.leaves.items() if leaf.field and leaf.field.path not in broken
    }
    writings = {path: leaves for path, leaves in layers.writings.items() if path not in broken}
    return Layers(leaves, writings)


def _written(layers: Layers, values: Mapping[str, Value]) -> Mapping[str, tuple[Written, ...]]:
    written = {path: tuple(_writing(leaf) for leaf in leaves) for path, leaves in layers.writings.items()}
    for path, (*below, last) in written.items():
        if BY_PATH[path].type in MAPPINGS:
            # They merge by key: what holds is more than what the last one wrote.
            written[path] = (*below, replace(last, value=values.get(path, {})))
    return MappingProxyType(written)


def _writing(leaf: Leaf) -> Written:
    assert leaf.field is not None
    value, node = field_value(leaf.field, leaf.value), leaf.value
    return Written(value, node.position, node.source.layer, node.excerpt)


def _entries(layers: Layers) -> Mapping[tuple[str, str], Written]:
    return MappingProxyType(
        {
            (leaf.field.path, leaf.path[-1]): _entry(leaf)
            for leaf in layers.leaves.values()
            if leaf.field and leaf.is_entry
        }
    )


def _entry(leaf: Leaf) -> Written:
    assert leaf.field is not None
    node = leaf.value
    return Written(entry_value(leaf.field, node), node.position, node.source.layer, node.excerpt)


def _digest(values: Mapping[str, Value]) -> str:
    """The sha256 of the canonical JSON: sorted keys, no blanks, ASCII."""
    from hashlib import sha256
    from json import dumps

    text = dumps(nested(dict(values)), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode("ascii")).hexdigest()


def _once(problems: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Without what follows from YAML that was refused at the same place."""
    refused = {problem.position for problem in problems if problem.code.startswith("yaml-")}
    return [p for p in problems if p.code.startswith("yaml-") or p.position not in refused]


def _in_source_order(problems: Sequence[Diagnostic], file: str) -> tuple[Diagnostic, ...]:
    """The spec first, then its parents, then the command line; each from its top."""

    def rank(problem: Diagnostic) -> tuple[int, str, int, int]:
        place = problem.position
        if place is None:
            return -1, "", 0, 0
        kind = 0 if place.file == file else 2 if place.file.startswith("--") else 1
        return kind, place.file, place.line, place.column

    return tuple(sorted(problems, key=rank))
