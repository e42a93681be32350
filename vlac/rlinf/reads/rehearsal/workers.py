"""Ray workers: objects in processes of their own, each with its own copy of the configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.sections import copy_beside
from vlac.rlinf.reads.rehearsal.values import Value, WorkerGroup, unknown

if TYPE_CHECKING:
    import ast

    from vlac.rlinf.reads.rehearsal.records import Frame
    from vlac.rlinf.reads.rehearsal.values import ClassRef
    from vlac.rlinf.reads.rehearsal.world import World


def create_group(made: ClassRef, positional: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """`Worker.create_group(cfg)`: what the workers will be made from."""
    copies = {name: copy_beside(value) for name, value in keywords.items()}
    return Value(WorkerGroup(made, tuple(map(copy_beside, positional)), copies))


def call_group(
    world: World,
    frame: Frame,
    group: WorkerGroup,
    name: str,
    positional: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A method of a group: `launch` makes the workers, anything else is one of theirs. Results come later."""
    from vlac.rlinf.reads.rehearsal.calls import call_code
    from vlac.rlinf.reads.rehearsal.making import instantiate

    if name == "launch":
        worker = instantiate(world, frame, group.made_from, group.arguments, group.keywords, node)
        return Value(replace(group, worker=worker))
    method = world.classes.method(group.made_from, name)
    if group.worker is None or method is None:
        return world.surprise()
    call_code(world, frame, method, (group.worker, *positional), keywords, node)
    return unknown()
