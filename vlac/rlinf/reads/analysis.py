"""Follow one entry script of a tree from its `main(cfg)`."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.rlinf.reads import calls
from vlac.rlinf.reads.arguments import Arguments
from vlac.rlinf.reads.log import Kind, Log, Place
from vlac.rlinf.reads.state import Frame, State
from vlac.rlinf.reads.values import Config, Function, Key, Node, one
from vlac.rlinf.reads.world import World

if TYPE_CHECKING:
    from vlac.rlinf.reads.known import Known
    from vlac.rlinf.reads.tree import Module, Tree

_RECURSION_LIMIT = 20_000  # calls of the tree within calls, each some ten calls of ours


@dataclass
class Followed:
    """What one entry script reads.

    `refusals` are lines that end functions which this kind of run calls; `ends` says that one of them ends every run.
    """

    log: Log
    required: frozenset[Key]
    refusals: tuple[Place, ...]
    ends: bool

    def kind(self, key: Key, place: Place) -> Kind:
        """How a key is read at a place; strict only counts where every run comes by."""
        seen = self.log.reads[key][place]
        return Kind.GUARDED if seen is Kind.STRICT and key not in self.required else seen


def follow(tree: Tree, known: Known, module: Module, function: str) -> Followed:
    """Follow `function(cfg)` of a module with what is known about the configuration."""
    definition = module.definitions[function]
    assert isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef))
    world = World(tree, known)
    frame = Frame(module, State())
    whole = one(Config(Node(())))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        main = Function(module.name, definition)
        calls.call_function(world, frame, main, None, Arguments((whole,)), definition)
    finally:
        sys.setrecursionlimit(limit)
    required = frozenset(node.path for node in frame.state.required)
    return Followed(world.log, required, tuple(dict.fromkeys(world.log.refusals)), not frame.state.alive)
