"""The first plan: the names in the spec looked up in the tables of versions, families, adapters and devices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.adapters import Adapter
from vlac.models import UNKNOWN_FAMILY
from vlac.models.data_configs import DATA_CONFIGS
from vlac.models.families import FAMILIES
from vlac.plan.base import find_base
from vlac.plan.ir import RunPlan
from vlac.plan.problems import error, nearest
from vlac.plan.version import find_version

if TYPE_CHECKING:
    from pathlib import Path

    from vlac.adapters import Device
    from vlac.diagnostics import Diagnostic
    from vlac.models import DataConfig, Family
    from vlac.plan.base import Base
    from vlac.rlinf.versions import Version
    from vlac.spec.loaded import LoadedSpec

_UNKNOWN_ADAPTER = Adapter(name="", summary="", placement="devices", collective="")


def start(loaded: LoadedSpec, tree: Path | None = None) -> RunPlan:
    """Resolve every name of the spec; a name that is unknown becomes a diagnostic and a stand-in.

    `tree` is the RLinf tree that is read instead of the one at `rlinf.path`.
    """
    found: list[Diagnostic] = []
    version = find_version(loaded, tree, found)
    base = find_base(loaded, version, tree, found)
    family = _family(loaded, base, found)
    adapter = _adapter(loaded, found)
    device = _device(loaded, adapter, found)
    data_config = _data_config(loaded, version, family, found)
    return RunPlan(loaded, version, family, adapter, device, data_config, base, diagnostics=tuple(found))


def _text(loaded: LoadedSpec, path: str) -> str | None:
    written = loaded.last(path)
    return written.value if written and isinstance(written.value, str) else None


def _family(loaded: LoadedSpec, base: Base | None, found: list[Diagnostic]) -> Family:
    name = _text(loaded, "model.family")
    if base is not None:
        return _family_of_base(loaded, base, name, found)
    if name is None:
        return UNKNOWN_FAMILY
    family = FAMILIES.get(name)
    if family is None:
        message = f"unknown model family {name!r}"
        found.append(
            error(loaded, "model.family", "target-unknown-family", message, nearest(name, tuple(FAMILIES)))
        )
    return family or UNKNOWN_FAMILY


def _family_of_base(loaded: LoadedSpec, base: Base, name: str | None, found: list[Diagnostic]) -> Family:
    """The family whose rules hold: those of the table are about supervised fine-tuning."""
    composed = base.fields.get("model.family")
    if name is not None and name != composed:
        trains = composed or base.model_type or "no model"
        message = f"model.family is {name}, but {base.name} trains {trains}"
        found.append(error(loaded, "model.family", "base-other-family", message, "leave model.family out"))
    if base.task == "sft" and isinstance(composed, str):
        return FAMILIES[composed]
    return replace(UNKNOWN_FAMILY, name=str(composed or base.model_type), model_type=base.model_type)


def _adapter(loaded: LoadedSpec, found: list[Diagnostic]) -> Adapter:
    from vlac import adapter_registry

    name = _text(loaded, "hardware.backend")
    if name is None:
        return _UNKNOWN_ADAPTER
    try:
        return adapter_registry.find(name)
    except KeyError:
        message = f"no backend {name!r} is installed"
        hint = nearest(name, adapter_registry.names())
        found.append(error(loaded, "hardware.backend", "target-unknown-backend", message, hint))
        return _UNKNOWN_ADAPTER


def _device(loaded: LoadedSpec, adapter: Adapter, found: list[Diagnostic]) -> Device | None:
    if not adapter.name:
        return None
    name = _text(loaded, "hardware.device")
    known = tuple(device.name for device in adapter.devices)
    if name is None:
        return _only_device(loaded, adapter, found)
    for device in adapter.devices:
        if name == device.name or name in device.aliases:
            return device
    if known:
        message, hint = f"backend {adapter.name} knows no device {name!r}", nearest(name, known)
    else:
        message, hint = f"backend {adapter.name} has no devices to choose from", "leave hardware.device out"
    found.append(error(loaded, "hardware.device", "target-unknown-device", message, hint))
    return None


def _only_device(loaded: LoadedSpec, adapter: Adapter, found: list[Diagnostic]) -> Device | None:
    if len(adapter.devices) == 1:
        return adapter.devices[0]
    if adapter.devices and not loaded.is_broken("hardware.device"):
        known = ", ".join(device.name for device in adapter.devices)
        message = f"hardware.device is missing: backend {adapter.name} knows more than one device"
        found.append(
            error(loaded, "hardware.backend", "spec-missing", message, f"add device: one of {known}")
        )
    return None


def _data_config(
    loaded: LoadedSpec, version: Version, family: Family, found: list[Diagnostic]
) -> DataConfig | None:
    name = _text(loaded, "data.config")
    family = FAMILIES.get(family.name, family)  # whatever the task, a config belongs to its family
    if name is None or not family.has_data_configs:
        return None
    configs = version.data_configs
    names = tuple(known for known, config in configs.items() if config.family == family.name)
    config = configs.get(name)
    if config is None:
        message = f"RLinf {version.name} registers no openpi config {name!r}"
        if name in DATA_CONFIGS:
            message += f" (it is in RLinf {', '.join(DATA_CONFIGS[name].versions)})"
        found.append(error(loaded, "data.config", "data-unknown-config", message, nearest(name, names)))
        return None
    if config.family != family.name:
        message = f"{name} is a config of family {config.family}, but model.family is {family.name}"
        found.append(error(loaded, "data.config", "data-other-family", message, nearest(name, names)))
        return None
    return config
