"""A plan as text, for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting, Value
    from vlac.rlinf.source_patches import Offer

_FIGURES = {
    "world_size": "world size",
    "gradient_accumulation": "gradient accumulation",
    "samples_per_step": "samples a step",
    "injection": "backend in each process",
    "lr_step_1": "logged learning rate, step 1",
    "lr_last_step": "logged learning rate, last step",
}


def whole_plan(plan: RunPlan) -> str:
    """The plan as a person wants to read it: the run in words, its figures, every decision, the environment."""
    notes = "".join(f"  note: {note}\n" for note in _notes(plan))
    return (
        f"{_headline(plan)}\n{notes}\n"
        f"figures\n{figures(plan)}\n"
        f"settings\n{_table(_rows(plan.settings))}\n"
        f"environment\n{_table(_variables(plan))}"
    )


def figures(plan: RunPlan) -> str:
    """The derived figures, one a line, with the arithmetic behind each."""
    return _table(
        [
            (title, text(plan.derived[name].value), plan.derived[name].origin.reason)
            for name, title in _FIGURES.items()
            if name in plan.derived
        ]
    )


def settings_table(plan: RunPlan) -> str:
    """Every setting, derived figure and variable so far, with where it comes from."""
    return _table([*_rows(plan.settings), *_rows(plan.derived), *_variables(plan)])


def patches_table(offers: Sequence[Offer]) -> str:
    """The source patches that the spec could list, with what each would do here and what speaks for it."""
    rows = [
        (offer.patch.id, f"{'listed' if offer.is_listed else 'not listed'}, {offer.verdict}", offer.why)
        for offer in offers
    ]
    return f"\nsource patches\n{_table(rows)}" if rows else ""


def text(value: Value) -> str:
    """A value as a person writes it in YAML flow style."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return value if value and value.isprintable() else json.dumps(value)
    if isinstance(value, float):
        return f"{value:.9g}"
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    """Mappings that json does not know, such as a mappingproxy."""
    return dict(value) if hasattr(value, "keys") else list(value)  # type: ignore[call-overload]  # json asks only for these


def _headline(plan: RunPlan) -> str:
    device = f" {plan.device.name}" if plan.device else ""
    length = " or ".join(
        f"{plan.value(path)} {path.split('.')[1]}"
        for path in ("train.steps", "train.epochs")
        if path in plan.settings
    )
    target = f"  with RLinf {plan.version.name} ({plan.version.described})"
    if plan.base:
        return f"{plan.name}: {plan.base.task or 'a run'} of {plan.base.name}\n{_where(plan, device)}{target}"
    return (
        f"{plan.name}: {plan.get('model.tune')} fine-tuning of {plan.family.name} for {length}\n"
        f"  on {plan.get('hardware.nodes')} node(s) of {plan.get('hardware.cards')} x {plan.adapter.name}{device}: "
        f"{text(plan.derived['world_size'].value)} ranks, FSDP {plan.get('fsdp.version')} {plan.get('fsdp.sharding')}, "
        f"{plan.adapter.collective}\n{target}"
    )


def _where(plan: RunPlan, device: str) -> str:
    if not plan.adapter.name:
        return "  on no backend yet: config.yaml alone is compiled\n"
    where = f"{plan.get('hardware.nodes') or 1} node(s) of {plan.get('hardware.cards')} x {plan.adapter.name}{device}"
    return f"  on {where}, {plan.adapter.collective}\n"


def _notes(plan: RunPlan) -> Iterable[str]:
    if plan.get("model.tune") == "lora":
        yield from plan.family.notes
    yield from plan.adapter.notes


def _variables(plan: RunPlan) -> list[tuple[str, str, str]]:
    rows = [
        (variable.name, "(the shell's)" if variable.value is None else text(variable.value), variable.why)
        for variable in plan.environment
    ]
    return rows + [
        (name, "(secret)", "must exist when the run starts; never written") for name in plan.secrets
    ]


def _rows(settings: Mapping[str, Setting]) -> list[tuple[str, str, str]]:
    return [
        (path, text(setting.value), f"{setting.origin.layer.value}: {setting.origin.reason}")
        for path, setting in sorted(settings.items())
    ]


def _table(rows: list[tuple[str, str, str]]) -> str:
    if not rows:
        return ""
    first = max(len(row[0]) for row in rows)
    second = min(44, max(len(row[1]) for row in rows))
    return "".join(f"  {name:<{first}}  {value:<{second}}  {reason}\n" for name, value, reason in rows)
