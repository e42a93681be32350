"""One of two runs that are compared: a spec, a bundle, a run's folder, or an RLinf config, as what it sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.patches.shell_changes import exports

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from vlac.bundle import Bundle
    from vlac.bundle.lock import Lock
    from vlac.patches.changes import Key
    from vlac.plan.origins import Origin, Value

_CONFIG, _ENVIRONMENT = "config.yaml", "run.env"


@dataclass(frozen=True)
class Side:
    """What a run sets. `places` say where a configuration key or a variable comes from, by its dotted name.

    `target` is what it runs on (family, RLinf, backend, device), `code` the digests of the files that its workers get;
    both are empty where nothing tells them. `secrets` are variables whose values are not to be repeated.
    """

    name: str
    config: Mapping[Key, Value]
    variables: Mapping[str, str] = field(default_factory=dict)
    target: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
    has_environment: bool = True


def side_of(path: Path, compiled: Callable[[Path], Bundle], tree: Path | None) -> Side:
    """Read one side. `compiled` compiles a spec, `tree` is the RLinf tree of a config that lies in none.

    Raises SpecError or RefusedError where it is neither.
    """
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise RefusedError(f"{path}: there is no such file or folder")
    if _is_spec(path):
        return _of_bundle(str(path), compiled(path))
    return _of_config(path, tree)


def _is_spec(path: Path) -> bool:
    lines = path.read_text("utf-8", "replace").splitlines()
    return any(line.startswith(("vlac:", "extends:")) for line in lines)


def _of_bundle(name: str, bundle: Bundle) -> Side:
    from vlac.bundle.lock import dotted, read

    origins = {dotted(key): setting.origin for key, setting in bundle.config.items()}
    origins |= {variable.name: variable.origin for variable in bundle.plan.environment}
    return _side(
        name,
        {key: setting.value for key, setting in bundle.config.items()},
        read(bundle.files["vlac.lock.json"]),
        exports(bundle.files.get(_ENVIRONMENT, b"").decode("utf-8", "replace").splitlines()),
        origins,
        bundle.plan.secrets,
    )


def _of_folder(path: Path) -> Side:
    """A bundle, or the folder of a run, which has its bundle in it."""
    from vlac.bundle.verify import read_lock

    folder = path / "bundle" if (path / "bundle" / _CONFIG).is_file() else path
    if not (folder / _CONFIG).is_file():
        raise RefusedError(f"{path} is neither a bundle nor the folder of a run: it has no {_CONFIG}")
    lock = read_lock(folder)
    environment = folder / _ENVIRONMENT
    text = environment.read_text("utf-8", "replace") if environment.is_file() else ""
    variables = exports(text.splitlines())
    origins = {**lock.config, **lock.environment}
    return _side(str(path), _leaves(folder / _CONFIG), lock, variables, origins, ())


def _side(
    name: str,
    config: Mapping[Key, Value],
    lock: Lock,
    variables: dict[str, str],
    origins: Mapping[str, Origin],
    secrets: tuple[str, ...],
) -> Side:
    target = {
        "family": lock.family,
        "RLinf": lock.rlinf_version,
        "backend": lock.backend,
        "device": lock.device or "",
    }
    return Side(
        name,
        config,
        variables,
        {what: value for what, value in target.items() if value},
        {file: entry.sha256 for file, entry in lock.files.items() if file.startswith("bootstrap/")},
        {key: _place(origin) for key, origin in origins.items()},
        frozenset(secrets),
    )


def _place(origin: Origin) -> str:
    return str(origin.position) if origin.position else f"{origin.layer.value}, {origin.reason}"


def _leaves(file: Path) -> dict[Key, Value]:
    """The leaves of a complete config, without Hydra's own node."""
    from vlac.check.marks import read_marked
    from vlac.errors import SpecError

    marked = read_marked(file.read_text("utf-8", "replace"), str(file))
    if marked.problems:
        raise SpecError(marked.problems)
    return {key: value for key, value in marked.values.items() if key[0] != "hydra"}


def _of_config(path: Path, tree: Path | None) -> Side:
    """An RLinf config; one with `defaults` is composed in its tree."""
    leaves = _leaves(path)
    if ("defaults",) not in leaves:
        return Side(str(path), leaves, has_environment=False)
    from vlac.rlinf.compose import compose

    composed = compose(path, tree)
    places = {".".join(key): f"{leaf.file}:{leaf.line}" for key, leaf in composed.leaves.items() if leaf.file}
    return Side(str(path), composed.values, places=places, has_environment=False)
