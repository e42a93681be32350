"""Ray workers: objects that live in processes of their own, with their own copy of the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.rlinf.reads import calls
from vlac.rlinf.reads.values import UNKNOWN, Bound, Class, Instance, Value, WorkerGroup, one

if TYPE_CHECKING:
    import ast

    from vlac.rlinf.reads.arguments import Arguments
    from vlac.rlinf.reads.state import Frame
    from vlac.rlinf.reads.world import World


def is_inside(frame: Frame, receiver: Instance) -> bool:
    """Whether the code that is being followed runs in the process of that object."""
    scope: Frame | None = frame
    while scope is not None:
        if scope.receiver == receiver:
            return True
        scope = scope.outer
    return False


def worker_group(world: World, frame: Frame, made: Class, arguments: Arguments, node: ast.AST) -> Value:
    """`Worker.create_group(cfg)`: Ray makes the objects in processes of their own."""
    instance = Instance(made, calls.parts_of(arguments), remote=True)
    initialize = world.classes.method(made, "__init__")
    if initialize is not None:
        bound = Bound(initialize, instance)
        call_remote(world, frame, bound, instance, arguments, node)
    return one(WorkerGroup(instance))


def call_remote(
    world: World, frame: Frame, bound: Bound, receiver: Instance, arguments: Arguments, node: ast.AST
) -> Value:
    """A method in another process: it reads what it wrote itself, and its failure is the run's."""
    driver = frame.state
    frame.state = driver.branch()
    earlier = world.processes.get(receiver, driver)
    frame.state.written = {**driver.written, **earlier.written}
    frame.state.touched = driver.touched | earlier.touched
    calls.call_function(world, frame, bound.function, receiver, arguments, node)
    world.processes[receiver] = frame.state
    driver.required |= frame.state.required
    frame.state = driver
    return UNKNOWN
