"""The hardware of a run, which its configuration hardly speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from vlac.adapters import Adapter
    from vlac.bundle.lock import Lock
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key

_USUAL = ("cuda", "H100")  # what RLinf's own configs are written for


@dataclass(frozen=True, slots=True)
class Hardware:
    """A backend, its device, and how many ranks a card holds; `is_assumed` where nothing says so."""

    backend: str
    device: str | None
    ranks_per_card: int = 1
    is_assumed: bool = False

    @property
    def fields(self) -> dict[str, Value]:
        """As a spec says it, without the number of cards."""
        device = {"hardware.device": self.device} if self.device else {}
        return {"hardware.backend": self.backend, **device}


def lock_beside(config: Path) -> Lock | None:
    """The lock of the bundle that a config was compiled into, which knows the target; None where there is none."""
    from vlac.bundle.lock import NAME, read
    from vlac.errors import RefusedError

    try:
        return read((config.parent / NAME).read_bytes())
    except (OSError, RefusedError):
        return None


def hardware_of(leaves: Mapping[Key, Value], lock: Lock | None, asked: str | None) -> Hardware:
    """What was asked for (`B[:DEVICE]`), else what the lock says, else what the placement tells, else what is usual.

    Raises UsageError for a backend or device that is not known.
    """
    if asked:
        backend, _, device = asked.partition(":")
        return _checked(backend, device or None)
    if lock is not None and lock.backend:
        return _checked(lock.backend, lock.device)
    if _counts_processes(leaves):
        return next(hardware for hardware in map(_of, _installed()) if hardware is not None)
    backend, device = _USUAL
    return Hardware(backend, device, is_assumed=True)


def _counts_processes(leaves: Mapping[Key, Value]) -> bool:
    """Whether ranks are processes of node 0 (`0:0-7`), as they are without accelerators."""
    placed = [str(value) for key, value in leaves.items() if key[:2] == ("cluster", "component_placement")]
    return bool(placed) and all(value.startswith("0:") for value in placed)


def _installed() -> tuple[Adapter, ...]:
    from vlac import adapter_registry

    return tuple(adapter_registry.find(name) for name in adapter_registry.BUILT_IN)


def _of(adapter: Adapter) -> Hardware | None:
    return Hardware(adapter.name, None) if adapter.placement == "processes" else None


def _checked(backend: str, device: str | None) -> Hardware:
    from vlac import adapter_registry
    from vlac.errors import UsageError

    try:
        adapter = adapter_registry.find(backend)
    except KeyError:
        names = ", ".join(adapter_registry.names())
        raise UsageError(f"no backend {backend!r} is installed", f"installed: {names}") from None
    rows = [row for row in adapter.devices if device in (None, row.name, *row.aliases)]
    if adapter.devices and len(rows) != 1:
        known = ", ".join(row.name for row in adapter.devices)
        complaint = (
            f"backend {backend} knows no device {device!r}" if device else f"which device of {backend}?"
        )
        raise UsageError(complaint, f"write --backend {backend}:DEVICE, one of: {known}")
    return Hardware(backend, rows[0].name if rows else None, rows[0].ranks_per_card if rows else 1)
