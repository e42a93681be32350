"""The first plan: the names in the spec looked up in the tables of versions, families, adapters and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.adapters import Adapter
from vlac.models import UNKNOWN_FAMILY
from vlac.models.data_configs import DATA_CONFIGS, known_names
from vlac.models.families import FAMILIES
from vlac.plan.ir import RunPlan
from vlac.plan.problems import error, nearest
from vlac.rlinf import versions

if TYPE_CHECKING:
    from vlac.adapters import Device
    from vlac.diagnostics import Diagnostic
    from vlac.models import DataConfig, Family
    from vlac.rlinf.versions import Version
    from vlac.spec.loaded import LoadedSpec

_UNKNOWN_ADAPTER = Adapter(name="", summary="", placement="devices", collective="")


def start(loaded: LoadedSpec) -> RunPlan:
    """Resolve every name of the spec; a name that is unknown becomes a diagnostic and a stand-in."""
    found: list[Diagnostic] = []
    version = _version(loaded, found)
    family = _family(loaded, found)
    adapter = _adapter(loaded, found)
    device = _device(loaded, adapter, found)
    data_config = _data_config(loaded, version, family, found)
    return RunPlan(loaded, version, family, adapter, device, data_config, diagnostics=tuple(found))


def _text(loaded: LoadedSpec, path: str) -> str | None:
    written = loaded.last(path)
    return written.value if written and isinstance(written.value, str) else None


def _version(loaded: LoadedSpec, found: list[Diagnostic]) -> Version:
    text = _text(loaded, "rlinf.version")
    version = versions.find(text) if text else None
    if text and version is None:
        known = ", ".join(versions.VERSIONS)
        found.append(
            error(
                loaded,
                "rlinf.version",
                "target-unknown-version",
                f"vlac has no data for RLinf version {text!r}",
                f"write one of: {known}",
            )
        )
    return version or versions.V0_3


def _family(loaded: LoadedSpec, found: list[Diagnostic]) -> Family:
    name = _text(loaded, "model.family")
    if name is None:
        return UNKNOWN_FAMILY
    family = FAMILIES.get(name)
    if family is None:
        message = f"unknown model family {name!r}"
        found.append(
            error(loaded, "model.family", "target-unknown-family", message, nearest(name, tuple(FAMILIES)))
        )
    return family or UNKNOWN_FAMILY


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
    if name is None or not family.has_data_configs:
        return None
    config = DATA_CONFIGS.get(name)
    names = known_names(version.name, family.name)
    if config is None or version.name not in config.versions:
        message = f"RLinf {version.name} registers no openpi config {name!r}"
        if config:
            message += f" (it is in RLinf {', '.join(config.versions)})"
        found.append(error(loaded, "data.config", "data-unknown-config", message, nearest(name, names)))
        return None
    if config.family != family.name:
        message = f"{name} is a config of family {config.family}, but model.family is {family.name}"
        found.append(error(loaded, "data.config", "data-other-family", message, nearest(name, names)))
        return None
    return config
