"""The configuration to import: a config of an RLinf tree, or a complete one that was compiled or saved by a run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlac.diagnostics import Diagnostic, Position
from vlac.errors import RefusedError, SpecError
from vlac.importing.comments import comments_of
from vlac.spec.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.importing.comments import Comment
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key

_LARGEST = 1 << 20  # bytes; RLinf's longest has 13 KiB


@dataclass(frozen=True)
class Original:
    """What a config says.

    `leaves` are those of its composition, interpolations left as text, without Hydra's own node. `tree` is the RLinf
    tree to write a base of, None where there is none. `comments` are those of the file itself, by key.
    """

    file: Path
    tree: Path | None
    text: str
    leaves: Mapping[Key, Value]
    comments: Mapping[Key, Comment]


def read(config: Path, tree: Path | None = None) -> Original:
    """Read a config; one with `defaults` is composed, in the tree that it lies in or in `tree`.

    Raises SpecError where the file is not YAML or does not compose, RefusedError where it is no config, and where
    Hydra is needed and not installed.
    """
    text = _text(config)
    container = _load(config, text)
    config = Path(os.path.normpath(config.absolute()))  # as it is named: links are followed by nobody
    tree = Path(os.path.normpath(tree.absolute())) if tree else tree_around(config)
    leaves = _composed(config, tree) if "defaults" in container else _leaves(container)
    return Original(config, tree, text, leaves, comments_of(text))


def tree_around(config: Path) -> Path | None:
    """The RLinf tree that a config lies in: what holds the nearest folder `examples` above it."""
    return next((folder.parent for folder in config.parents if folder.name == "examples"), None)


def _text(config: Path) -> str:
    if config.is_dir():
        raise RefusedError(f"{config} is a folder, not a config", hint="name a file in it")
    try:
        data = config.read_bytes()
    except FileNotFoundError:
        raise RefusedError(f"{config}: there is no such file") from None
    except OSError as problem:
        raise RefusedError(f"{config} cannot be read: {problem.strerror}") from None
    if len(data) > _LARGEST:
        raise RefusedError(f"{config} is larger than 1 MiB: is this the right file?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError(f"{config} is not UTF-8", hint="save the file as UTF-8") from None


def _load(config: Path, text: str) -> dict[str, Any]:
    """The file as OmegaConf reads it, which is what RLinf does."""
    OmegaConf, errors = _omegaconf()  # noqa: N806 - a class
    try:
        container = OmegaConf.to_container(OmegaConf.create(text), resolve=False) if text.strip() else None
    except errors as problem:
        raise _not_yaml(config, text, problem) from None
    if not isinstance(container, dict) or not container:
        kind = "empty" if not container else "a list" if isinstance(container, list) else "one value"
        raise RefusedError(f"{config} is no RLinf config: it is {kind}")
    if "vlac" in container:
        raise RefusedError(f"{config} is a spec of vlac already", hint=f"vlac compile {config}")
    return container


def _omegaconf() -> tuple[Any, tuple[type[Exception], ...]]:
    try:
        from omegaconf import OmegaConf
        from omegaconf.errors import OmegaConfBaseException
        from yaml import YAMLError
    except ImportError as absent:
        raise RefusedError(
            "this needs OmegaConf, which reads RLinf's configs, and it is not installed",
            hint="pip install 'vla-compiler[compose]'",
        ) from absent
    return OmegaConf, (OmegaConfBaseException, YAMLError, ValueError, RecursionError)


def _not_yaml(config: Path, text: str, problem: Exception) -> SpecError:
    mark = getattr(problem, "problem_mark", None)
    words = getattr(problem, "problem", None) or next(iter(str(problem).splitlines()), "")
    source = Source(config.name, text, "spec")
    line, column = (mark.line, mark.column) if mark is not None else (0, 0)
    return SpecError(
        [source.diagnostic("yaml-syntax", f"this is no config that OmegaConf reads: {words}", line, column)]
    )


def _leaves(container: Mapping[str, Any]) -> dict[Key, Value]:
    from vlac.rlinf.compose.composition import flatten

    own = {name: value for name, value in _text_keys(container).items() if name != "hydra"}
    return dict(flatten(own))


def _text_keys(value: Any) -> Any:  # noqa: ANN401 - values of all types
    """The same with text for keys, which a key of a configuration is to vlac; YAML takes `0:` for a number."""
    if isinstance(value, dict):
        return {str(key): _text_keys(item) for key, item in value.items()}
    return [_text_keys(item) for item in value] if isinstance(value, list) else value


def _composed(config: Path, tree: Path | None) -> Mapping[Key, Value]:
    from vlac.rlinf.compose import ComposeError, compose

    try:
        return compose(config, tree).values
    except ComposeError as problem:
        raise SpecError([_broken(config, problem)]) from None


def _broken(config: Path, problem: Any) -> Diagnostic:  # noqa: ANN401 - a ComposeError, imported where it is used
    file, line = problem.file, problem.line
    if file is None or line is None:
        return Diagnostic("config-broken", problem.message, hint=problem.hint)
    lines = file.read_text("utf-8", "replace").splitlines()
    excerpt = lines[line - 1] if line <= len(lines) else None
    column = len(excerpt) - len(excerpt.lstrip()) + 1 if excerpt else 1
    name = config.name if file == config.absolute() else str(file)
    return Diagnostic(
        "config-broken", problem.message, "error", Position(name, line, column), problem.hint, excerpt
    )
