"""`--backend` and `--set` of the command line as layers over a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.spec.fields import BY_PATH
from vlac.spec.parse import parse
from vlac.spec.source import MappingNode, ScalarNode, Source
from vlac.spec.types import MAPPINGS

if TYPE_CHECKING:
    from vlac.diagnostics import Diagnostic
    from vlac.spec.layers import Layers
    from vlac.spec.source import AnyNode

_FREE = tuple(path + "." for path, row in BY_PATH.items() if row.type in MAPPINGS)


def backend_layer(argument: str, layers: Layers) -> list[Diagnostic]:
    """Lay `BACKEND` or `BACKEND:DEVICE` over the spec, whose device and stack no longer hold."""
    source = Source("--backend", argument, "--backend")
    backend, colon, device = argument.partition(":")
    if not backend or (colon and not device):
        hint = "for example --backend cuda:H100"
        return [source.diagnostic("argument-backend", "--backend takes BACKEND or BACKEND:DEVICE", hint=hint)]
    layers.forget(("hardware", "device"))
    layers.forget(("hardware", "stack"))
    hardware = _mapping(source)
    _enter(hardware, "backend", _text(source, backend, 0))
    if device:
        _enter(hardware, "device", _text(source, device, len(backend) + 1))
    _add_section(layers, "hardware", hardware)
    return []


def set_layer(argument: str, number: int, layers: Layers) -> list[Diagnostic]:
    """Lay `path=VALUE` over the spec; VALUE is one YAML scalar or flow value. `number` counts from 1."""
    path, equals, text = argument.partition("=")
    name = f"--set[{number}]"
    whole = Source(name, argument, "--set")
    keys = _keys(path)
    if not equals or not all(keys):
        hint = "for example --set train.micro_batch=8"
        return [whole.diagnostic("argument-set", "--set takes path=VALUE", hint=hint)]
    if keys[0] == "extends":
        return [whole.diagnostic("argument-set", "`extends` cannot be set from the command line")]
    source = Source(name, text, "--set", prefix=path + "=")
    value, problems = _value(source)
    if value is not None:
        layers.add(_nest(source, keys, value))
    return problems


def _keys(path: str) -> list[str]:
    """The parts of a path; an entry of a free mapping is one part, whatever dots it has."""
    for free in _FREE:
        if path.startswith(free):
            return [*free[:-1].split("."), path[len(free) :]]
    return path.split(".")


def _value(source: Source) -> tuple[AnyNode | None, list[Diagnostic]]:
    if source.text == "":
        return _text(source, "", 0), []
    value, problems = parse(source)
    if problems:
        return None, problems
    if value is None:
        return ScalarNode(source, 0, 0, 0), []
    is_block = not isinstance(value, ScalarNode) and not value.flow
    if is_block or "\n" in source.text or "\r" in source.text:
        hint = "put a text in quotes; write [a, b] or {a: b}"
        problem = value.diagnostic("argument-set", "--set takes one scalar, list or mapping", hint=hint)
        return None, [problem]
    return value, []


def _nest(source: Source, keys: list[str], value: AnyNode) -> MappingNode:
    for depth in range(len(keys) - 1, -1, -1):
        outer = _mapping(source)
        column = sum(len(key) + 1 for key in keys[:depth])
        key = ScalarNode(source, 0, column - source.offset, 0, text=keys[depth], value=keys[depth])
        outer.entries[keys[depth]] = (key, value)
        value = outer
    assert isinstance(value, MappingNode)
    return value


def _mapping(source: Source) -> MappingNode:
    return MappingNode(source, 0, 0, 0)


def _text(source: Source, text: str, column: int) -> ScalarNode:
    return ScalarNode(source, 0, column, 0, text=text, value=text, quoted=True)


def _enter(mapping: MappingNode, key: str, value: AnyNode) -> None:
    mapping.entries[key] = (_text(value.source, key, 0), value)


def _add_section(layers: Layers, section: str, mapping: MappingNode) -> None:
    present = layers.sections.get(section)
    root = _mapping(mapping.source)
    _enter(root, section, mapping)
    layers.add(root)
    if present is not None:
        layers.sections[section] = present  # what is missing is added to the spec, not to the argument
