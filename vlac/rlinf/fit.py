"""Whether a value of an RLinf configuration is one that a spec field can hold, and which value that is there.

The strictness is the spec's own (`vlac/spec/model.py`, `text_rules.py`): what these refuse does not fit, so that a
field never says more than the configuration did. An interpolation fits only where it heads a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING

from vlac.spec import paths
from vlac.spec.shapes import is_placement
from vlac.spec.text_rules import is_name, is_plain_text, is_resume_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vlac.plan.origins import Value
    from vlac.spec.fields import Field


def fit(field: Field, value: Value) -> Value:
    """The value as the field holds it (numbers as floats, lists as tuples); None where it does not fit."""
    convert = _BY_TYPE.get(field.type)
    return convert(field, value) if convert else None


def _integer(field: Field, value: Value) -> Value:
    return value if type(value) is int and _is_within(field, value) else None


def _number(field: Field, value: Value) -> Value:
    if type(value) not in (int, float):
        return None
    number = float(value)  # type: ignore[arg-type]  # the line above leaves numbers alone
    return number if isfinite(number) and _is_within(field, number) else None


def _betas(field: Field, value: Value) -> Value:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    pair = tuple(_number(field, item) for item in value)
    return None if None in pair else pair


def _boolean(_field: Field, value: Value) -> Value:
    return value if isinstance(value, bool) else None


def _choice(field: Field, value: Value) -> Value:
    return value if isinstance(value, str) and value in field.choices else None


def _text(_field: Field, value: Value) -> Value:
    return value if isinstance(value, str) and is_plain_text(value) else None


def _name(_field: Field, value: Value) -> Value:
    return value if isinstance(value, str) and is_name(value) else None


def _path(field: Field, value: Value) -> Value:
    if not isinstance(value, str) or not _is_path(value, hub=False):
        return None
    return value if field.path != "checkpoints.resume" or is_resume_folder(value) else None


def _dataset(_field: Field, value: Value) -> Value:
    if isinstance(value, str):
        return value if _is_path(value, hub=True) else None
    if not isinstance(value, (list, tuple)) or not value:
        return None
    return tuple(value) if all(isinstance(item, str) and _is_path(item, hub=True) for item in value) else None


def _loggers(field: Field, value: Value) -> Value:
    if not isinstance(value, (list, tuple)):
        return None
    names = tuple(value)
    known = all(isinstance(name, str) and name in field.choices for name in names)
    return names if known and len(set(names)) == len(names) else None


def _options(_field: Field, value: Value) -> Value:
    if not isinstance(value, Mapping) or not value or None in value.values():
        return None
    return value if all("${" not in paths.after_variable(text) for text in _texts(value)) else None


def _placement(_field: Field, value: Value) -> Value:
    if not isinstance(value, Mapping) or not value:
        return None
    placed = all(isinstance(ranks, str) and is_placement(name, ranks) for name, ranks in value.items())
    return value if placed else None


def _mix(_field: Field, value: Value) -> Value:
    if not isinstance(value, (list, tuple)) or not value:
        return None
    return tuple(value) if all(map(_is_data_set, value)) else None


def _is_data_set(item: Value) -> bool:
    if not isinstance(item, Mapping) or not {"path"} <= item.keys() <= {"path", "weight", "config"}:
        return False
    path, weight, config = item["path"], item.get("weight", 1.0), item.get("config", "a")
    named = isinstance(path, str) and _is_path(path, hub=True)
    return (
        named
        and type(weight) is float
        and 0 < weight < inf
        and isinstance(config, str)
        and is_plain_text(config)
    )


def _texts(value: Value) -> Iterator[str]:
    """Every text in a value, at any depth; the keys of mappings too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for part in pair for text in _texts(part))
    elif isinstance(value, (list, tuple)):
        yield from (text for item in value for text in _texts(item))


def _is_path(text: str, *, hub: bool) -> bool:
    """Whether a spec can hold the path and emits it as it is: a relative one means another folder there."""
    return paths.complaint(text, hub=hub) is None and paths.run_side_path(text, "") == text


def _is_within(field: Field, value: float) -> bool:
    return (
        (field.minimum is None or value >= field.minimum)
        and (field.maximum is None or value <= field.maximum)
        and (field.above is None or value > field.above)
        and (field.below is None or value < field.below)
        and (not field.choices or value in field.choices)
    )


_BY_TYPE: dict[str, Callable[[Field, Value], Value]] = {
    "integer": _integer,
    "steps_or_never": _integer,
    "number": _number,
    "betas": _betas,
    "boolean": _boolean,
    "choice": _choice,
    "name": _name,
    "text": _text,
    "path": _path,
    "dataset": _dataset,
    "options": _options,
    "placement": _placement,
    "mix": _mix,
    "loggers": _loggers,
}
