"""config.yaml: the complete RLinf configuration as text. It formats and decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from vlac.rlinf.yaml_scalars import UncarriableError, check, check_key, scalar

if TYPE_CHECKING:
    from typing import TypeAlias, TypeGuard

    from vlac.plan.origins import Setting, Value

    _Section: TypeAlias = dict[str, Value]

__all__ = ["RESERVED", "UncarriableError", "check", "check_key", "emit"]

RESERVED = frozenset({"defaults", "hydra"})
"""Top-level keys that belong to Hydra: the first would compose other files, the second is written by vlac."""

# RLinf's entry scripts are `@hydra.main(version_base="1.1")`, which moves into `outputs/<date>/<time>` and
# writes `.hydra/` and a log file there. Hydra merges this node over its own `hydra/job_logging/default.yaml`
# (hydra-core 1.3), whose handler `file` cannot be taken out; delayed, it opens its file only to write.
_HYDRA: Mapping[str, Value] = {
    "run": {"dir": "."},
    "output_subdir": None,
    "job_logging": {"handlers": {"file": {"delay": True}}, "root": {"handlers": ["console"]}},
}


def emit(leaves: Mapping[tuple[str, ...], Setting], *, name: str) -> bytes:
    """The UTF-8 text of config.yaml for the spec called `name`.

    `leaves` maps a path of mapping keys to its setting, whose value may hold lists and mappings. Sections and
    keys come in the order of their first appearance. Raises UncarriableError for what `check` and `check_key`
    refuse, for a reserved top-level key, and for a leaf that lies below another.
    """
    tree: _Section = {"hydra": _HYDRA}
    for path, setting in leaves.items():
        _require(path, setting.value, leaves)
        _section(tree, path[:-1])[path[-1]] = setting.value
    header = (
        f"# Compiled by vlac from the spec {scalar(name)} (spec version 1): change the spec, not this file.",
        "# Where each value comes from stands in vlac.lock.json.",
    )
    return "".join(f"{line}\n" for line in (*header, *_block(tree))).encode()


def _require(path: tuple[str, ...], value: Value, leaves: Mapping[tuple[str, ...], Setting]) -> None:
    """Raise UncarriableError for a leaf that the planner had to refuse."""
    reserved = "belongs to Hydra" if path[0] in RESERVED else None
    crossed = "lies below a leaf" if any(path[:n] in leaves for n in range(1, len(path))) else None
    keys = next(filter(None, map(check_key, path)), None)
    found = reserved or crossed or keys or check(value, depth=len(path))
    if found:
        raise UncarriableError(f"{'.'.join(map(repr, path))}: {found}")


def _section(tree: _Section, path: tuple[str, ...]) -> _Section:
    """The section at `path`, made where it is not there yet."""
    for key in path:
        tree = cast("_Section", tree.setdefault(key, {}))
    return tree


def _block(value: Value) -> list[str]:
    """The lines of a value, not indented; a scalar or an empty value is one line."""
    if isinstance(value, Mapping) and value:
        return [line for key, item in value.items() for line in _entry(scalar(key), item)]
    if _is_list(value) and value:
        return [line for item in value for line in _item(item)]
    return [_inline(value)]


def _entry(key: str, value: Value) -> list[str]:
    """The lines of one key of a mapping."""
    lines = _block(value)
    if _is_nested(value):
        return [f"{key}:", *(f"  {line}" for line in lines)]
    return [f"{key}: {lines[0]}"]


def _item(value: Value) -> list[str]:
    """The lines of one item of a list."""
    first, *others = _block(value)
    return [f"- {first}", *(f"  {line}" for line in others)]


def _inline(value: Value) -> str:
    if isinstance(value, Mapping):
        return "{}"
    return "[]" if _is_list(value) else scalar(value)


def _is_nested(value: Value) -> bool:
    return (isinstance(value, Mapping) or _is_list(value)) and bool(value)


def _is_list(value: Value) -> TypeGuard[Sequence[Value]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
