"""Calls: functions, methods and constructors of the tree are followed with what is known of their arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads import attributes, expressions, externals, methods, workers
from vlac.rlinf.reads.arguments import Arguments, arguments_of, bind_parameters
from vlac.rlinf.reads.state import Frame, State, merged
from vlac.rlinf.reads.values import (
    NONE,
    UNKNOWN,
    Bound,
    Class,
    Config,
    Const,
    External,
    Function,
    Instance,
    Member,
    Method,
    Node,
    Partial,
    Super,
    Value,
    configs,
    join,
    nodes_within,
    one,
    ordered,
)
from vlac.rlinf.reads.world import Result

if TYPE_CHECKING:
    from vlac.rlinf.reads.values import Atom
    from vlac.rlinf.reads.world import World

MOST_CALLS = 60  # calls within calls; deeper ones are not followed


def evaluate_call(world: World, frame: Frame, node: ast.Call) -> Value:
    """What a call may return; its effects on the configuration and on objects hold from here on."""
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(frame)
    if not isinstance(node.func, ast.Attribute):
        callee = expressions.evaluate(world, frame, node.func)
        return call(world, frame, callee, arguments_of(world, frame, node), node)
    owner = expressions.evaluate(world, frame, node.func.value)
    sections = configs(owner)
    # The method of a configuration node is no key of it.
    others = frozenset(atom for atom in owner if not isinstance(atom, Config))
    callee = attributes.attribute(world, frame, others, node.func.attr, node.func)
    arguments = arguments_of(world, frame, node)
    found: list[Value] = []
    if sections:
        found.append(methods.config_method(world, frame, sections, node.func.attr, arguments, node))
    if callee:
        found.append(call(world, frame, callee, arguments, node))
    return join(found)


def _super(frame: Frame) -> Value:
    scope: Frame | None = frame
    while scope is not None:
        if scope.receiver is not None and scope.function is not None and scope.function.owner is not None:
            return one(Super(scope.function.owner, scope.receiver))
        scope = scope.outer
    return UNKNOWN


def call(world: World, frame: Frame, callee: Value, arguments: Arguments, node: ast.AST) -> Value:
    """Call whatever the callee may be."""
    if len(callee) == 1:
        (atom,) = callee
        return _call_atom(world, frame, atom, arguments, node)
    before, states, values = frame.state, [], []
    for atom in ordered(callee):
        frame.state = before.branch()
        values.append(_call_atom(world, frame, atom, arguments, node))
        states.append(frame.state)
    frame.state = before
    if states:
        before.become(merged(states))
    return join(values)


def _call_atom(world: World, frame: Frame, atom: Atom, arguments: Arguments, node: ast.AST) -> Value:
    match atom:
        case Function():
            return call_function(world, frame, atom, None, arguments, node)
        case Bound():
            return _call_bound(world, frame, atom, arguments, node)
        case Class():
            return instantiate(world, frame, atom, arguments, node)
        case Instance():
            return _call_instance(world, frame, atom, arguments, node)
        case Partial():
            joined = Arguments(
                (*atom.arguments, *arguments.positional), {**dict(atom.keywords), **arguments.keywords}
            )
            return _call_atom(world, frame, atom.function, joined, node)
        case Method():
            return methods.call_method(world, frame, atom, arguments, node)
        case External():
            return externals.call_external(world, frame, atom.name, arguments, node)
    return call_unknown(world, frame, arguments, node)


def call_unknown(world: World, frame: Frame, arguments: Arguments, node: ast.AST) -> Value:
    """A call that is not followed: sections leave the followed code, callbacks may be called."""
    for value in arguments.values():
        expressions.hand_on(world, frame, value, node)
        _call_back(world, frame, value, node)
    return expressions.computed(arguments.values())


def _call_back(world: World, frame: Frame, value: Value, node: ast.AST) -> None:
    """Follow a function that is handed on, as something that may be called with anything."""
    before = frame.state
    for atom in ordered(value):
        if isinstance(atom, (Function, Bound, Partial)):
            frame.state = before.branch()
            _call_atom(world, frame, atom, Arguments(), node)
    frame.state = before


def _call_bound(world: World, frame: Frame, bound: Bound, arguments: Arguments, node: ast.AST) -> Value:
    receiver = bound.receiver
    if _name_of(bound.function) == "create_group" and isinstance(receiver, Class):
        return workers.worker_group(world, frame, receiver, arguments, node)
    if isinstance(receiver, Instance) and receiver.remote and not workers.is_inside(frame, receiver):
        return workers.call_remote(world, frame, bound, receiver, arguments, node)
    return call_function(world, frame, bound.function, receiver, arguments, node)


def _name_of(function: Function) -> str:
    return "" if isinstance(function.definition, ast.Lambda) else function.definition.name


def instantiate(world: World, frame: Frame, made: Class, arguments: Arguments, node: ast.AST) -> Value:
    """Make an object of a class of the tree."""
    if world.classes.is_enumeration(made):
        return _member(world, frame, made, arguments)
    instance = Instance(made, parts_of(arguments))
    initialize = world.classes.method(made, "__init__")
    fields = world.classes.fields(made)
    if initialize is not None:
        call_function(world, frame, initialize, instance, arguments, node)
    elif fields is not None:
        _fill_fields(world, frame, instance, fields, arguments, node)
    else:
        call_unknown(world, frame, arguments, node)
    return one(instance)


def parts_of(arguments: Arguments) -> tuple[Node, ...]:
    """The configuration nodes among the arguments, which tell the objects of a class apart."""
    nodes = {node for value in arguments.values() for node in nodes_within(value)}
    return tuple(sorted(nodes, key=lambda node: (node.path, node.copy)))


def _member(world: World, frame: Frame, made: Class, arguments: Arguments) -> Value:
    """`SupportedModel(text)`: the member of that value."""
    from vlac.rlinf.reads import branches

    value = arguments.get(0) or UNKNOWN
    constants = branches.settled(world, frame.state, value)
    scalars = [c for c in constants or () if c is None or isinstance(c, (str, int, float, bool))]
    if constants and len(scalars) == len(constants):
        return frozenset(Member(made, constant) for constant in scalars)
    return expressions.computed([value])


def _fill_fields(
    world: World,
    frame: Frame,
    instance: Instance,
    fields: dict[str, bool],
    arguments: Arguments,
    node: ast.AST,
) -> None:
    given = {**dict(zip(fields, arguments.positional, strict=False)), **arguments.keywords}
    for name, value in given.items():
        world.set_attribute(instance, name, value)
    after = world.classes.method(instance.made_from, "__post_init__")
    if after is not None:
        call_function(world, frame, after, instance, Arguments(), node)


def _call_instance(
    world: World, frame: Frame, instance: Instance, arguments: Arguments, node: ast.AST
) -> Value:
    """Call an object: its `__call__`, or the `forward` that torch calls for it."""
    for name in ("__call__", "forward"):
        method = world.classes.method(instance.made_from, name)
        if method is not None:
            return call_function(world, frame, method, instance, arguments, node)
    return call_unknown(world, frame, arguments, node)


def call_function(
    world: World,
    frame: Frame,
    function: Function,
    receiver: Instance | Class | None,
    arguments: Arguments,
    node: ast.AST,
) -> Value:
    """Follow a function of the tree; what it returns, requires and writes comes back to the caller."""
    module = world.tree.module(function.module)
    names = bind_parameters(world, function, receiver, arguments)
    running = (function, receiver, frozenset(names.items()))
    if module is None or running in world.active or len(world.active) >= MOST_CALLS:
        return call_unknown(world, frame, arguments, node) if module is None else UNKNOWN
    if not _matters(world, frame, function, receiver, names):
        return UNKNOWN
    state = frame.state
    present = _about(state.present, names)
    facts = (frozenset(state.written.items()), state.touched, present, state.caught)
    result = world.results.get((running, facts))
    if result is None or any(world.versions.get(o, 0) != v for o, v in result.depends_on.items()):
        inner = State(names, state.written, state.touched, present, caught=state.caught)
        called = Frame(module, inner, function, receiver or _explicit(function, names), function.frame)
        world.active.add(running)
        world.asked.append(set())
        value, after = _follow(world, called)
        world.active.discard(running)
        depends_on = {owner: world.versions.get(owner, 0) for owner in world.asked.pop()}
        result = world.results[running, facts] = Result(value, after, depends_on)
    for owner in result.depends_on:
        world.ask(owner)
    state.written, state.touched = result.after.written, result.after.touched
    state.required |= result.after.required
    state.alive = state.alive and result.after.alive
    return result.value


def _about(present: frozenset[Node], names: dict[str, Value]) -> frozenset[Node]:
    """The keys known to be there that the sections given to a function hold, or lie in.

    Who gets the whole configuration starts without: a key that only some ways read is guarded all the same.
    """
    if not present:
        return present
    parts = [node.path for value in names.values() for node in nodes_within(value) if node.path]
    return frozenset(
        node for node in present if any(node.path[: len(part)] == part[: len(node.path)] for part in parts)
    )


def _matters(
    world: World,
    frame: Frame,
    function: Function,
    receiver: Instance | Class | None,
    names: dict[str, Value],
) -> bool:
    """Whether a call can reach the configuration: over its arguments, its receiver, or what it closes over."""
    if frame.function is None or function.frame is not None or receiver in world.holders:
        return True
    if any(map(world.carries, names.values())):
        return True
    return receiver is None and all(any(isinstance(a, Const) for a in value) for value in names.values())


def _explicit(function: Function, names: dict[str, Value]) -> Instance | None:
    """The receiver of `Base.method(self, ...)`."""
    first = next(iter(names.values()), UNKNOWN)
    if function.owner is None or len(first) != 1:
        return None
    (atom,) = first
    return atom if isinstance(atom, Instance) else None


def _follow(world: World, frame: Frame) -> tuple[Value, State]:
    from vlac.rlinf.reads import statements

    assert frame.function is not None
    definition = frame.function.definition
    if isinstance(definition, ast.Lambda):
        return expressions.evaluate(world, frame, definition.body), frame.state
    statements.execute(world, frame, definition.body)
    if frame.state.alive:
        frame.returns.append((frame.state, NONE))
    if not frame.returns:
        _note_refusal(world, definition)
        return UNKNOWN, frame.state
    states = [state for state, _ in frame.returns]
    value = join(value for _, value in frame.returns)
    return value, meeting(states)


def _note_refusal(world: World, definition: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Every way through a function raises: this run is none that the function is made for."""
    code = [part for part in definition.body if not _is_text(part)]
    if world.last_raise is not None and not (len(code) == 1 and isinstance(code[0], ast.Raise)):
        world.log.refusals.append(world.last_raise)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def meeting(states: list[State]) -> State:
    """Where ways meet that left a function or loop early; ways of chance do not say what is required."""
    sure = [state for state in states if not state.by_chance]
    if not sure:
        return merged(states, either=True)
    together = merged(states)
    together.required = merged(sure).required
    return together
