"""The openpi data configs that a tree registers, from its own code.

They stand as `TrainConfig(name=, model=Pi0Config(pi05=, action_horizon=), data=SomeDataConfig(...))` in
`rlinf/models/embodiment/openpi/dataconfig/__init__.py` (RLinf 0.2, 0.3 and main); the fields of a data-config class are
what `data.options` may set. What the code does not say, the size of an action and the number of images, comes from
vlac's table for a config of the same name, else from RLinf's template.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.models import DataConfig
from vlac.models.data_configs import DATA_CONFIGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.rlinf.reads import Tree
    from vlac.rlinf.reads.tree import Module

_MODULE = "rlinf.models.embodiment.openpi.dataconfig"
_FACTORY = ("repo_id", "assets", "base_config")  # openpi 15a9616, training/config.py, DataConfigFactory
_HORIZON = 50  # openpi 15a9616, models/pi0_config.py, Pi0Config
_CHUNK, _ACTION_DIM, _IMAGES = 10, 7, 2  # model/pi0 of RLinf, as in `vlac.models.data_configs`


def openpi_configs(tree: Tree, more_options: tuple[str, ...] = ()) -> Mapping[str, DataConfig]:
    """The configs by name; `more_options` are keys of openpi_data that the tree reads beside the class's fields."""
    module = tree.module(_MODULE)
    return {config.name: config for config in _configs(tree, module, more_options)} if module else {}


def _configs(tree: Tree, module: Module, more_options: tuple[str, ...]) -> Iterator[DataConfig]:
    for call in _calls(module):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        name, model = _constant(given.get("name")), given.get("model")
        if not isinstance(name, str) or not isinstance(model, ast.Call) or _called(model) != "Pi0Config":
            continue
        settings = {keyword.arg: _constant(keyword.value) for keyword in model.keywords}
        horizon = settings.get("action_horizon", _HORIZON)
        options = (*_fields(tree, module, given.get("data")), *_FACTORY, *more_options)
        yield _config(name, "pi05" if settings.get("pi05") else "pi0", horizon, options)


def _config(name: str, family: str, horizon: object, options: tuple[str, ...]) -> DataConfig:
    known = DATA_CONFIGS.get(name)
    length = horizon if isinstance(horizon, int) else _HORIZON
    return DataConfig(
        name=name,
        family=family,
        action_horizon=length,
        action_chunk=min(known.action_chunk if known else _CHUNK, length),
        action_dim=known.action_dim if known else _ACTION_DIM,
        images=known.images if known else _IMAGES,
        options=tuple(dict.fromkeys(options)),
        main_options=(),
        versions=(),
    )


def _calls(module: Module) -> Iterator[ast.Call]:
    for statement in module.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _called(node) == "TrainConfig":
                yield node


def _fields(tree: Tree, module: Module, data: ast.expr | None) -> Iterator[str]:
    """The fields of the data-config class that is called, its bases in the tree included."""
    if not isinstance(data, ast.Call):
        return
    yield from _fields_of_class(tree, module, _called(data), seen=frozenset())


def _fields_of_class(tree: Tree, module: Module, name: str, seen: frozenset[str]) -> Iterator[str]:
    imported = module.imports.get(name)
    home = tree.module(imported.module) if imported else module
    made = home.definitions.get(name) if home else None
    if home is None or not isinstance(made, ast.ClassDef) or name in seen:
        return
    for base in made.bases:
        yield from _fields_of_class(tree, home, _last_name(base), seen | {name})
    fields = (statement for statement in made.body if isinstance(statement, ast.AnnAssign))
    yield from (_last_name(field.target) for field in fields if not _holds_an_object(field))


def _holds_an_object(field: ast.AnnAssign) -> bool:
    """Whether a field's type is of another module, as `_transforms.Group`: no YAML can set it."""
    return any(isinstance(node, ast.Attribute) for node in ast.walk(field.annotation))


def _called(call: ast.Call) -> str:
    return _last_name(call.func)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
