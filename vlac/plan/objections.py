"""What a backend has against an environment or a software stack: its tables of values and versions, then its rules.

Works on mappings, so that a spec, a shell and what is found on a machine are judged alike.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from vlac.adapters import Objection, Setup

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.adapters import Adapter, Component, Stack, Variable
    from vlac.plan.ir import RunPlan


def setup_of(plan: RunPlan, variables: Mapping[str, str | None]) -> Setup:
    """The hardware and the stack of a plan with these variables."""
    cards, nodes = plan.get("hardware.cards"), plan.get("hardware.nodes")
    return Setup(
        variables,
        plan.device,
        cards if isinstance(cards, int) else 1,
        nodes if isinstance(nodes, int) else 1,
        written_stack(plan),
    )


def written_stack(plan: RunPlan) -> dict[str, str]:
    """The versions in `hardware.stack`, empty where it is not written."""
    entries = plan.loaded.entries.items() if plan.loaded else ()
    return {name: str(written.value) for (field, name), written in entries if field == "hardware.stack"}


def wrong_values(adapter: Adapter, variables: Mapping[str, str | None]) -> Iterator[Objection]:
    """Each variable whose value lies outside what it takes."""
    for variable in adapter.variables:
        value = variables.get(variable.name)
        if value is None or variable.takes is None or variable.takes.holds(value):
            continue
        message = f"{variable.name} takes {variable.takes.words}, not {value!r}"
        yield Objection((variable.name,), message, f"leave it out: {_otherwise(variable)}")


def _otherwise(variable: Variable) -> str:
    if variable.value is not None:
        return f"vlac sets {variable.value}"
    return f"{variable.default} holds then" if variable.default else "it need not be set"


def broken_rules(adapter: Adapter, setup: Setup) -> Iterator[Objection]:
    """What the backend's rules have against an environment."""
    return chain.from_iterable(rule(setup) for rule in adapter.rules)


def shell_objections(plan: RunPlan, shell: Mapping[str, str]) -> tuple[Objection, ...]:
    """What the backend has against what a shell brings into a run; the values in run.env win over the shell's.

    The first of `about` is a variable that the shell has to unset. An empty value counts as none, except where a rule
    says otherwise.
    """
    planned = {v.name: v.value for v in plan.environment if v.value is not None}
    brought = {
        name: value for name, value in shell.items() if name not in planned and name not in plan.secrets
    }
    full = {name: value for name, value in brought.items() if value}
    setup = setup_of(plan, {**brought, **planned})
    found = (*wrong_values(plan.adapter, full), *broken_rules(plan.adapter, setup))
    return tuple(_blaming(objection, brought) for objection in found if brought.keys() & set(objection.about))


def _blaming(objection: Objection, names: Mapping[str, str]) -> Objection:
    """The objection with those of its names that are in `names` first."""
    about = sorted(objection.about, key=lambda name: name not in names)
    return Objection(tuple(about), objection.message, objection.instead, objection.severity)


def stack_objections(stack: Stack, versions: Mapping[str, str]) -> tuple[Objection, ...]:
    """What a backend has against versions that are written, or found on a machine: components that it does not know
    are for the caller. What its rules find comes first; only then is the table asked.
    """
    found = tuple(chain.from_iterable(rule(Setup({}, stack=versions)) for rule in stack.rules))
    if any(objection.severity == "error" for objection in found):
        return found
    return (*found, *_outside(stack, versions))


def _outside(stack: Stack, versions: Mapping[str, str]) -> Iterator[Objection]:
    known = [component for component in stack.components if component.name in versions]
    if len(known) < 1 or any(_fits(row, known, versions) for row in stack.rows):
        return
    about = tuple(component.name for component in reversed(known))
    together = ", ".join(f"{component.name} {versions[component.name]}" for component in known)
    message = f"{together}: not in the table of versions that are tested together"
    yield Objection(about, message, "; ".join(_rows_with(stack, known, versions)), "warning")


def _fits(row: Mapping[str, str], components: list[Component], versions: Mapping[str, str]) -> bool:
    return all(c.name not in row or c.fits(versions[c.name], row[c.name]) for c in components)


def _rows_with(stack: Stack, known: list[Component], versions: Mapping[str, str]) -> Iterator[str]:
    """For each version that is written, what the table has beside it: "cann 8.5 goes with torch_npu 2.9.0 or ..."."""
    for component in known:
        rows = [row for row in stack.rows if component.name in row and _fits(row, [component], versions)]
        others = [
            other
            for other in stack.components
            if other is not component and any(other.name in r for r in rows)
        ]
        pairs = [
            f"{o.name} {' or '.join(dict.fromkeys(r[o.name] for r in rows))}" for o in others if o in known
        ]
        if pairs:
            yield f"{component.name} {versions[component.name]} goes with {' and '.join(pairs)}"
        elif not rows and any(component.name in row for row in stack.rows):
            listed = " ".join(
                dict.fromkeys(row[component.name] for row in stack.rows if component.name in row)
            )
            yield f"{component.name} has {listed}"
