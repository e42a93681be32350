"""The change that an RLinf checkout needs to do what a bundle does, as a patch for `git apply`."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.diff.config_text import CannotEditError, with_value, without
from vlac.diff.judge import equal
from vlac.diff.target import start_scripts
from vlac.diff.twin import twin
from vlac.errors import RefusedError
from vlac.patches.shell_changes import exports
from vlac.rlinf.compose import compose
from vlac.rlinf.stock_configs import LIBERO_SFT_OPENPI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.bundle import Bundle
    from vlac.plan.ir import PlannedVariable
    from vlac.plan.origins import Value
    from vlac.rlinf.compose import Composition
    from vlac.rlinf.templates import Key

_ROUNDS = 5  # a section that becomes empty is a key to take away in the next
_MODEL = re.compile(r"^(\s*-\s*)model/\w+(@actor\.model\b)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Needed:
    """A patch, empty where the checkout does already what the bundle does, and what no patch of files can carry."""

    patch: str
    beside: tuple[str, ...]


def needed(bundle: Bundle, tree: Path) -> Needed:
    """The patch of a tree's config and start script. Raises RefusedError where the tree has no such config."""
    config = bundle.plan.base.name if bundle.plan.base else LIBERO_SFT_OPENPI.path
    if not (tree / config).is_file():
        raise RefusedError(f"{tree} has no {config}, which the patch would change")
    files = [(config, _config(bundle, tree, config))]
    files += _scripts(bundle, compose(tree / config, tree), tree)
    patch = "".join(_diff(tree, path, text) for path, text in files)
    return Needed(patch, tuple(_beside(bundle)))


def _config(bundle: Bundle, tree: Path, config: str) -> str:
    """The config's text so that it composes to the bundle's; where lines cannot do it, the whole configuration."""
    wanted = {key: setting.value for key, setting in bundle.config.items()}
    with twin(tree, ()) as copy:
        text = _read(copy / config)
        if bundle.plan.base is None and bundle.plan.family.template.startswith("model/"):
            text = _MODEL.sub(rf"\g<1>{bundle.plan.family.template}\g<2>", text)
        try:
            return _edited(copy, config, text, wanted)
        except CannotEditError:
            return bundle.files["config.yaml"].decode("utf-8")


def _edited(copy: Path, config: str, text: str, wanted: dict[Key, Value]) -> str:
    for _ in range(_ROUNDS):
        (copy / config).write_text(text, encoding="utf-8", newline="")
        composed = compose(copy / config, copy)
        apart = [key for key in {**composed.leaves, **wanted} if not _is_right(composed, wanted, key)]
        if not apart:
            return text
        for key in apart:
            text = _step(text, key, wanted, composed, config)
    raise CannotEditError(config)


def _is_right(composed: Composition, wanted: dict[Key, Value], key: Key) -> bool:
    leaf = composed.leaves.get(key)
    return leaf is not None and key in wanted and equal(leaf.value, wanted[key])


def _step(text: str, key: Key, wanted: dict[Key, Value], composed: Composition, config: str) -> str:
    if key in wanted:
        return with_value(text, key, wanted[key])
    if composed.leaves[key].file != config:
        raise CannotEditError(".".join(key))  # a template has it, and no line of this file can take it away
    return without(text, key)


def _scripts(bundle: Bundle, composed: Composition, tree: Path) -> Iterator[tuple[str, str]]:
    """The start script with the bundle's variables, those of nodes left out."""
    scripts = start_scripts(composed, tree)
    wanted = {
        variable.name: variable.value
        for variable in bundle.plan.environment
        if variable.value is not None and variable.scope != "node" and not _loads(variable, bundle)
    }
    if scripts and wanted:
        yield scripts[0], _exporting(_read(tree / scripts[0]), wanted)


def _exporting(script: str, wanted: dict[str, str]) -> str:
    lines = script.split("\n")
    present = exports(lines)
    new = []
    for name, value in wanted.items():
        line = f"export {name}={shlex.quote(value)}"
        if present.get(name) == value:
            continue
        places = [at for at, old in enumerate(lines) if re.match(rf"\s*export\s+{name}=", old)]
        if places:
            lines[places[-1]] = line
        else:
            new.append(line)
    at = next((number for number, line in enumerate(lines) if line.startswith("export ")), 1)
    while at < len(lines) and lines[at].startswith("export "):
        at += 1
    return "\n".join([*lines[:at], *new, *lines[at:]])


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _diff(tree: Path, path: str, text: str) -> str:
    """One file's part of the patch, empty where nothing changes."""
    before = _read(tree / path)
    if before == text:
        return ""
    lines = unified_diff(_lines(before), _lines(text), f"a/{path}", f"b/{path}")
    body = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    return f"diff --git a/{path} b/{path}\n{body}"


def _lines(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one, as in git."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _loads(variable: PlannedVariable, bundle: Bundle) -> bool:
    """Whether a variable names code of the bundle, which a checkout has not."""
    own = {Path(file).stem for file in bundle.files if file.startswith("bootstrap/")}
    return bool(own & set(re.split(r"[^\w]+", variable.value or "")))


def _beside(bundle: Bundle) -> Iterator[str]:
    """What the bundle does by other means than the files of RLinf."""
    nodes = [v.name for v in bundle.plan.environment if v.value is not None and v.scope == "node"]
    if nodes:
        yield f"to be exported before `ray start` on each node: {', '.join(nodes)} (run.env)"
    code = sorted(file for file in bundle.files if file.startswith("bootstrap/"))
    if code:
        loading = [v.name for v in bundle.plan.environment if _loads(v, bundle)]
        by = f", by {', '.join(loading)}" if loading else ""
        yield f"code that the bundle's launch.sh puts into every worker{by}: {', '.join(code)}"
    if bundle.plan.secrets:
        yield f"secrets of the shell: {', '.join(bundle.plan.secrets)}"
