"""Rules between fields that hold for every family and backend. Those of a family are for the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.spec.source import MappingNode, ScalarNode, is_null

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from vlac.diagnostics import Diagnostic
    from vlac.plan.origins import Value
    from vlac.spec.layers import Layers, Leaf
    from vlac.spec.source import Source


def broken_rules(
    layers: Layers,
    values: Mapping[str, Value],
    settled: Collection[str],
    source: Source,
    *,
    complete: bool,
) -> Iterator[Diagnostic]:
    """Every broken rule. Fields in `settled` already have a message and are left alone.

    Nothing is said to be missing where `complete` is false.
    """
    if complete and not {"train", "train.steps", "train.epochs", "base"}.intersection(settled):
        yield from _length(layers, values, source)
    yield from _warm_up(layers)
    yield from _base(layers, values)
    yield from _mix(layers)
    if not {"model", "model.lora", "model.tune", "model.lora.rank"}.intersection(settled):
        yield from _adapter(layers, values, complete=complete)
    yield from _secret_values(layers, values)


def _leaf(layers: Layers, path: str) -> Leaf | None:
    return layers.leaves.get(tuple(path.split(".")))


def _length(layers: Layers, values: Mapping[str, Value], source: Source) -> Iterator[Diagnostic]:
    if "train.steps" in values or "train.epochs" in values or "base" in values:
        return
    message = "the length of the training is missing: `train.steps` or `train.epochs`"
    section = layers.sections.get("train")
    if section is not None:
        yield section.diagnostic("spec-missing", message, hint="add to `train`: `steps: 30000`")
    else:
        yield source.diagnostic("spec-missing", message, hint="add the line `train: {steps: 30000}`")


def _base(layers: Layers, values: Mapping[str, Value]) -> Iterator[Diagnostic]:
    """A base says which task it is; only a base has several components to place."""
    task, placement = _leaf(layers, "task"), layers.writings.get("hardware.placement")
    if "base" in values and task is not None:
        message = "`base` decides the task: `task` beside it would say it twice"
        yield task.key.diagnostic("spec-excludes", message, hint="leave `task` out")
    if "base" not in values and placement:
        message = "`hardware.placement` places the components of a `base`; this run has one, on all cards"
        yield placement[-1].key.diagnostic(
            "spec-unused", message, hint="leave it out, `hardware.cards` is enough"
        )


def _mix(layers: Layers) -> Iterator[Diagnostic]:
    mix, path = _leaf(layers, "data.mix"), _leaf(layers, "data.path")
    if mix is not None and path is not None:
        message = "`data.path` and `data.mix` name the data twice"
        yield mix.key.diagnostic("spec-excludes", message, hint="keep one of them")


def _warm_up(layers: Layers) -> Iterator[Diagnostic]:
    steps, ratio = _leaf(layers, "train.warmup_steps"), _leaf(layers, "train.warmup_ratio")
    if steps is not None and ratio is not None:
        message = "`train.warmup_steps` and `train.warmup_ratio` say the same thing twice"
        yield ratio.key.diagnostic("spec-excludes", message, hint="keep one of them")


def _adapter(layers: Layers, values: Mapping[str, Value], *, complete: bool) -> Iterator[Diagnostic]:
    rank, tune = _leaf(layers, "model.lora.rank"), _leaf(layers, "model.tune")
    if complete and values.get("model.tune") == "lora" and rank is None and tune is not None:
        hint = "add to `model`: `lora: {rank: 32}`"
        yield tune.value.diagnostic("spec-missing", "`tune: lora` needs `model.lora.rank`", hint=hint)
    if rank is not None and values.get("model.tune") != "lora":
        hint = "write `tune: lora` in `model`, or leave `lora` out"
        yield rank.key.diagnostic(
            "spec-unused", "`model.lora.rank` is read only with `tune: lora`", hint=hint
        )


def _secret_values(layers: Layers, values: Mapping[str, Value]) -> Iterator[Diagnostic]:
    secrets = values.get("secrets")
    names = {name for name in secrets if isinstance(name, str)} if isinstance(secrets, tuple) else set()
    for name in sorted(names):
        entry = layers.leaves.get(("env", name))
        if entry is not None and not is_null(entry.value):
            message = f"`{name}` is one of `secrets`: its value has no place in a spec"
            hint = "delete it from `env`; the shell that launches the run sets it"
            yield entry.key.diagnostic("spec-secret-value", message, hint=hint)


def hide_secrets(layers: Layers) -> None:
    """Keep secrets out of every excerpt: what `secrets` holds as a mapping, and `env` values of its names."""
    names: set[str] = set()
    for leaf in layers.writings.get("secrets", ()):
        if isinstance(leaf.value, MappingNode):
            leaf.value.source.hide(leaf.key.line, leaf.value.last_line)
            continue
        names.update(item.text for item in getattr(leaf.value, "items", ()) if isinstance(item, ScalarNode))
    for leaf in layers.writings.get("env", ()):
        if isinstance(leaf.value, MappingNode):
            _hide_entries(leaf.value, names)


def _hide_entries(env: MappingNode, names: set[str]) -> None:
    for name, (key, value) in env.entries.items():
        if name in names:
            value.source.hide(key.line, value.last_line)
