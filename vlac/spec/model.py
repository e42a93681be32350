"""RunSpec: the pydantic model of a spec, built from the table of fields."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, create_model
from pydantic import Field as Constraint

from vlac.spec.fields import FIELDS, SECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from vlac.spec.fields import Field

_Text = Annotated[str, Constraint(min_length=1)]
_Annotation = Any  # a type made at run time from the table, for which no better word exists


@contextmanager
def _without_plugins() -> Iterator[None]:
    """Build models without looking for plugins of pydantic.

    The search (pydantic/plugin/_loader.py of pydantic 2.7 to 2.14) reads the metadata of every installed package,
    which takes longer than all models here. Where pydantic changes, this does nothing.
    """
    name = "pydantic.plugin._loader"
    if name in sys.modules:
        yield
        return
    loader = ModuleType(name)
    loader.get_plugins = tuple  # type: ignore[attr-defined]  # as pydantic reads it
    sys.modules[name] = loader
    try:
        yield
    finally:
        del sys.modules[name]


with _without_plugins():

    class _Section(BaseModel):
        """What all parts of a spec share: nothing else may be written, nothing is converted or changed later.

        A field that is not written is None; the defaults of the spec version are for the plan.
        """

        model_config = ConfigDict(
            extra="forbid", strict=True, frozen=True, protected_namespaces=(), defer_build=True
        )

    class _MixItem(_Section):
        """One data set of a mix."""

        path: _Text
        weight: Annotated[float, Constraint(gt=0, allow_inf_nan=False)] = 1.0
        config: _Text | None = None


def _choice(field: Field) -> _Annotation:
    return Literal[field.choices]


def _integer(field: Field) -> _Annotation:
    if field.choices:
        return _choice(field)
    return Annotated[int, Constraint(ge=field.minimum, le=field.maximum)]


def _tuple(*items: _Annotation) -> _Annotation:
    return tuple.__class_getitem__(items)


def _number(field: Field) -> _Annotation:
    limits = Constraint(
        ge=field.minimum, le=field.maximum, gt=field.above, lt=field.below, allow_inf_nan=False
    )
    return Annotated[float, limits]


_ANNOTATIONS: dict[str, Callable[[Field], _Annotation]] = {
    "integer": _integer,
    "number": _number,
    "boolean": lambda _: bool,
    "choice": _choice,
    "betas": lambda field: _tuple(_number(field), _number(field)),
    "steps_or_never": lambda field: _integer(field) | Literal["never"],
    "loggers": lambda field: _tuple(_choice(field), ...),
    "dataset": lambda _: _Text | Annotated[tuple[_Text, ...], Constraint(min_length=1)],
    "patches": lambda _: tuple[_Text, ...],
    "secrets": lambda _: tuple[_Text, ...],
    "options": lambda _: dict[str, Any],
    "overrides": lambda _: dict[str, Any],
    "environment": lambda _: dict[str, str | None],
    "versions": lambda _: Annotated[dict[str, _Text], Constraint(min_length=1)],
    "placement": lambda _: dict[str, str],
    "mix": lambda _: Annotated[tuple[_MixItem, ...], Constraint(min_length=1)],
}

READ_ELSEWHERE = frozenset(("extends",))
"""Fields that are used up while the spec is read."""


def annotation(field: Field) -> _Annotation:
    """The type of a field for pydantic; one without a row here is a text."""
    make = _ANNOTATIONS.get(field.type)
    return make(field) if make else _Text


def _definitions(section: str, models: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    """The fields and subsections of one section, for create_model."""
    own = [f for f in FIELDS if f.section == section and not f.later and f.path not in READ_ELSEWHERE]
    definitions: dict[str, Any] = {f.key: (annotation(f), ... if _is_always_needed(f) else None) for f in own}
    for path, model in models.items():
        parent, _, key = path.rpartition(".")
        if parent == section:
            definitions[key] = (model, ... if _has_required(path) else None)
    return definitions


def _is_always_needed(field: Field) -> bool:
    return field.required and not field.unless_base


def _has_required(section: str) -> bool:
    return any(_is_always_needed(f) for f in FIELDS if f.section == section)


def _build() -> type[BaseModel]:
    models: dict[str, type[BaseModel]] = {}
    for path in reversed(SECTIONS):
        name = "".join(part.title() for part in path.split("."))
        models[path] = create_model(f"{name}Spec", __base__=_Section, **_definitions(path, models))
    spec = create_model("RunSpec", __base__=_Section, **_definitions("", models))
    spec.model_rebuild(force=True)  # one validator for all sections; each of their own would stay unused
    return spec


if TYPE_CHECKING:

    class RunSpec(BaseModel):
        """A valid spec. Sections and fields are those of `vlac.spec.fields`; what nobody wrote is None."""

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the attributes come from the table
            """A section or field of the table."""
else:
    with _without_plugins():
        RunSpec = _build()
