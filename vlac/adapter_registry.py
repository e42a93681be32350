"""The installed backends: vlac's own, and those of others under the entry points `vlac.adapters`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from vlac.errors import VlacError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.adapters import Adapter

GROUP = "vlac.adapters"

# Read before any scan: importlib.metadata alone would cost a quarter of a compile.
BUILT_IN: Mapping[str, str] = {
    "ascend": "vlac_ascend:adapter",
    "cuda": "vlac_cuda:adapter",
    "cpu": "vlac_cpu:adapter",
}


def names() -> tuple[str, ...]:
    """The names of all installed backends, vlac's own first."""
    others = sorted(set(_third_party()) - set(BUILT_IN))
    return (*BUILT_IN, *others)


def find(name: str) -> Adapter:
    """The adapter of a backend.

    Raises `KeyError` with the known names where there is none, `VlacError` where its package is broken.
    """
    target = BUILT_IN.get(name) or _third_party().get(name)
    if target is None:
        known = ", ".join(names())
        raise KeyError(f"unknown backend {name!r}; installed are {known}")
    return _load(name, target)


def _third_party() -> dict[str, str]:
    """Entry points by name; the scan reads the metadata of every installed distribution."""
    from importlib.metadata import entry_points  # slow, and seldom needed

    return {entry.name: entry.value for entry in entry_points(group=GROUP)}


def _load(name: str, target: str) -> Adapter:
    """The object that `module:attribute` names, checked to be an adapter of that name."""
    module, _, attribute = target.partition(":")
    try:
        adapter: object = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # a third party's code may fail in any way
        raise VlacError(
            f"the adapter of backend {name!r} does not load ({target}): {type(error).__name__}: {error}",
            hint="reinstall the package that brings it, or choose another backend",
        ) from error
    return _checked(name, target, adapter)


def _checked(name: str, target: str, adapter: object) -> Adapter:
    from vlac.adapters import Adapter

    if isinstance(adapter, Adapter) and adapter.name == name:
        return adapter
    found = f"an adapter named {adapter.name!r}" if isinstance(adapter, Adapter) else type(adapter).__name__
    raise VlacError(
        f"backend {name!r} should be an Adapter of that name, but {target} is {found}",
        hint="tell the author of the package that brings it",
    )
