"""Compose a config with Hydra."""

from __future__ import annotations

import os
import re
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlac.errors import RefusedError
from vlac.rlinf.compose.composition import Composed, ComposeError, Composition, flatten
from vlac.rlinf.compose.layout import layout_of
from vlac.rlinf.compose.places import places_of, read_marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.rlinf.compose.layout import Layout
    from vlac.rlinf.compose.places import Part

_ABSENT = re.compile(r"(?:Could not find|Could not load) '(?P<name>[^']+)'")
_ASKED_BY = re.compile(r"In '(?P<file>[^']+)'")


def compose(config: Path, tree: Path | None = None) -> Composition:
    """What Hydra composes from a config of an RLinf tree, without the node `hydra`.

    `tree` is needed only for a config that lies outside of any. EMBODIED_PATH and its like are those that RLinf's
    start scripts would set, whatever the environment says. Raises ComposeError where Hydra cannot compose it, and
    RefusedError where Hydra is not installed or the file not there.
    """
    layout = layout_of(config, tree)
    _require_hydra()
    with _environment(layout.variables()):
        composed, parts = _run_hydra(layout)
    places = places_of(parts, layout.tree)
    leaves = {key: Composed(value, *places.get(key, (None, None))) for key, value in flatten(composed)}
    return Composition(layout, leaves, tuple(dict.fromkeys(part.file for part in parts)))


def _require_hydra() -> None:
    try:
        import hydra  # noqa: F401 - asked for only
    except ImportError as absent:
        raise RefusedError(
            "this needs Hydra, which composes RLinf's configs, and it is not installed",
            hint="pip install 'vla-compiler[compose]'",
        ) from absent


def _run_hydra(
    layout: Layout,
) -> tuple[dict[str, Any], list[Part]]:  # a configuration holds values of all types
    import hydra
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    GlobalHydra.instance().clear()
    try:
        with _quietly(), hydra.initialize_config_dir(str(layout.config.parent), version_base="1.1"):
            composed = hydra.compose(layout.config.stem, _overrides(layout))
            parts = _parts(layout)
    except (
        HydraException,
        OmegaConfBaseException,
        YAMLError,
        ValueError,
        OSError,
        AssertionError,
    ) as problem:
        raise _refusal(layout, problem) from problem
    container = OmegaConf.to_container(composed, resolve=False)
    assert isinstance(container, dict)
    return _text_keys(container), parts


@contextmanager
def _quietly() -> Iterator[None]:
    """Without Hydra's advice to authors of configs, which a user of RLinf's cannot follow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _text_keys(value: Any) -> Any:  # noqa: ANN401 - values of all types
    """The same with text for keys: YAML takes `0:` for a number, and a key of a configuration is text to vlac."""
    if isinstance(value, dict):
        return {str(key): _text_keys(item) for key, item in value.items()}
    return [_text_keys(item) for item in value] if isinstance(value, list) else value


def _parts(layout: Layout) -> list[Part]:
    """The files of the composition with their packages, lowest precedence first.

    Hydra tells them through its loader only; where that changes, the leaves have no places.
    """
    from hydra.core.global_hydra import GlobalHydra
    from hydra.types import RunMode

    loader = GlobalHydra.instance().config_loader()
    listed = loader.compute_defaults_list(layout.config.stem, _overrides(layout), RunMode.RUN).defaults
    folders = [layout.config.parent, *_searched(layout)]
    found = []
    for default in listed:
        name, package = str(default.config_path), default.package or ""
        file = next(
            (folder / f"{name}.yaml" for folder in folders if (folder / f"{name}.yaml").is_file()), None
        )
        if file is not None and not package.startswith("hydra"):
            found.append(read_marks(file, tuple(filter(None, package.split(".")))))
    return found


def _overrides(layout: Layout) -> list[str]:
    """What Hydra is told beside the config: where the groups of one lie that was copied out of its folder."""
    if layout.is_inside:
        return []
    quoted = ("'file://" + str(folder).replace("'", "\\'") + "'" for folder in _searched(layout))
    return [f"hydra.searchpath=[{','.join(quoted)}]"]


def _searched(layout: Layout) -> list[Path]:
    """The folders that the config adds to Hydra's search path; outside of the tree, the one it was copied from too."""
    text = layout.config.read_text("utf-8", "replace")
    variables = layout.variables()
    folders = []
    for found in re.findall(r"^\s*-\s*[\"']?file://(\S+?)[\"']?\s*$", text, re.MULTILINE):
        named = re.sub(r"\$\{oc\.env:(\w+)\}", lambda name: variables.get(name[1], ""), found)
        folders.append(Path(named))
    return folders if layout.is_inside else [*folders, layout.example / "config"]


def _refusal(layout: Layout, problem: Exception) -> ComposeError:
    """Hydra's error in a sentence: which file is missing, and who asked for it."""
    absent = _ABSENT.search(str(problem))
    if absent is None:
        message = f"{layout.name} does not compose: {_words(problem)}"
        return ComposeError(message, file=layout.config, line=_marked_line(problem))
    name = absent["name"]
    asked_by = _ASKED_BY.search(str(problem))
    file = _asking_file(layout, asked_by["file"] if asked_by else layout.config.stem)
    return ComposeError(
        f"{layout.name} does not compose: its defaults name {name}, and no such file is on its search path",
        hint=_nearest(layout, name),
        file=file,
        line=_line_of(file, name),
        missing=name,
    )


def _words(problem: BaseException) -> str:
    """What an exception says in one line; where it says nothing, what the one below it says."""
    specific = getattr(problem, "problem", None)  # a YAMLError's own words, without the file
    said = str(specific or problem).strip()
    if not said and problem.__cause__ is not None:
        return _words(problem.__cause__)
    return said.splitlines()[0] if said else type(problem).__name__


def _marked_line(problem: Exception) -> int | None:
    mark = getattr(problem, "problem_mark", None)
    return int(mark.line) + 1 if mark is not None else None


def _asking_file(layout: Layout, name: str) -> Path:
    folders = [layout.config.parent, *_searched(layout)]
    return next(
        (folder / f"{name}.yaml" for folder in folders if (folder / f"{name}.yaml").is_file()), layout.config
    )


def _line_of(file: Path, name: str) -> int | None:
    for number, line in enumerate(file.read_text("utf-8", "replace").splitlines(), 1):
        if name in line or (name.rpartition("/")[2] in line and line.lstrip().startswith("-")):
            return number
    return None


def _nearest(layout: Layout, name: str) -> str | None:
    """The option that is called the same in another group, or the one whose whole name is like it."""
    from difflib import get_close_matches

    folders = [layout.config.parent, *_searched(layout)]
    known = {
        file.relative_to(folder).with_suffix("").as_posix()
        for folder in folders
        for file in folder.rglob("*/*.yaml")
    }
    same = sorted(option for option in known if option.rpartition("/")[2] == name.rpartition("/")[2])
    close = same or get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f"did you mean {' or '.join(close[:3])}?" if close else None


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
