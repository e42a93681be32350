"""What the interpreter knows beyond one call: modules, classes, the attributes of objects, the reads seen so far."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from vlac.rlinf.reads.classes import Classes
from vlac.rlinf.reads.log import Kind, Log, Place
from vlac.rlinf.reads.state import Frame, State
from vlac.rlinf.reads.values import (
    UNKNOWN,
    Bound,
    Class,
    Config,
    External,
    Function,
    Instance,
    ModuleRef,
    Node,
    Partial,
    Sequence,
    Super,
    Table,
    Unknown,
    WorkerGroup,
    join,
    one,
)

if TYPE_CHECKING:
    from vlac.rlinf.reads.known import Known
    from vlac.rlinf.reads.tree import ImportedName, Module, Tree
    from vlac.rlinf.reads.values import Atom, Value

Owner: TypeAlias = "Instance | Class | Table"
_Name = TypeVar("_Name")


@dataclass(frozen=True)
class Result:
    """What following a call gave, and the state of what it depends on: it holds until one of these grows."""

    value: Value
    after: State
    depends_on: dict[Owner, int]


@dataclass
class World:
    """Everything shared by the calls that are followed."""

    tree: Tree
    known: Known
    log: Log = field(default_factory=Log)
    attributes: dict[Instance | Class, dict[str, Value]] = field(default_factory=dict)
    tables: dict[Table, dict[Atom, Value]] = field(default_factory=dict)
    processes: dict[Instance, State] = field(default_factory=dict)
    results: dict[object, Result] = field(default_factory=dict)
    active: set[object] = field(default_factory=set)
    importing: set[ImportedName] = field(default_factory=set)
    modules: dict[str, Frame] = field(default_factory=dict)
    last_raise: Place | None = None
    versions: dict[Owner, int] = field(default_factory=dict)  # counts what was learned about each
    asked: list[set[Owner]] = field(default_factory=list)  # what the calls that are being followed depend on
    holders: set[Owner] = field(default_factory=set)  # those over which the configuration can be reached
    classes: Classes = field(init=False)

    def __post_init__(self) -> None:
        self.classes = Classes(self)

    def place(self, frame: Frame, node: ast.AST) -> Place:
        """Where a node stands. An attribute stands where its name ends."""
        line = node.end_lineno if isinstance(node, ast.Attribute) else getattr(node, "lineno", 1)
        return Place(frame.module.file, line or 1)

    def set_attribute(self, owner: Instance | Class, name: str, value: Value) -> None:
        """Add what an attribute may hold."""
        held = self.attributes.setdefault(owner, {})
        self._grow(owner, held, name, value)

    def attribute(self, owner: Instance | Class, name: str) -> Value | None:
        """What an attribute may hold by now, None where nothing set it."""
        self.ask(owner)
        return self.attributes.get(owner, {}).get(name)

    def items(self, table: Table) -> dict[Atom, Value]:
        """What a table holds by now."""
        self.ask(table)
        return self.tables.get(table, {})

    def ask(self, owner: Owner) -> None:
        """Note that the call that is being followed depends on what is known of this."""
        if self.asked:
            self.asked[-1].add(owner)

    def _grow(self, owner: Owner, held: dict[_Name, Value], name: _Name, value: Value) -> None:
        before = held.get(name)
        grown = value if before is None else join((before, value))
        if grown == before:
            return
        held[name] = grown
        self.versions[owner] = self.versions.get(owner, 0) + 1
        if self.carries(value):
            self.holders.add(owner)

    def carries(self, value: Value) -> bool:
        """Whether the configuration, or code that may be called with it, can be reached over a value."""
        return any(self._carries(atom) for atom in value)

    def _carries(self, atom: Atom) -> bool:
        match atom:
            case Instance() | Table():
                return atom in self.holders
            case Sequence():
                return any(map(self.carries, atom.items))
            case Bound() | Super():
                return isinstance(atom.receiver, Instance) and atom.receiver in self.holders
        return isinstance(atom, (Config, Function, Class, Partial, WorkerGroup))

    def set_item(self, table: Table, key: Atom | None, value: Value) -> None:
        """Add what a table may hold; under an unknown key it holds anything anywhere."""
        held = self.tables.setdefault(table, {})
        self._grow(table, held, Unknown() if key is None else key, value)

    def read(self, frame: Frame, config: Config, name: str, node: ast.AST, *, alone: bool = True) -> Config:
        """A strict read of a key. `alone`: nothing else may be read here instead."""
        state, below = frame.state, config.node.child(name)
        if state.is_written(below):
            kind = Kind.WRITTEN
        elif (
            config.optional or state.caught or not alone or state.is_present(below) or state.is_touched(below)
        ):
            kind = Kind.GUARDED
        else:
            kind = Kind.STRICT
            state.required.add(Node(below.path))
        self.log.read(below.path, self.place(frame, node), kind)
        return Config(below)

    def read_leniently(self, frame: Frame, config: Config, name: str, node: ast.AST, kind: Kind) -> Config:
        """A read that a missing key does not stop; dotted names as in `OmegaConf.select`."""
        below = config.node
        for part in name.split("."):
            below = below.child(part)
        self.log.read(below.path, self.place(frame, node), kind)
        return Config(below, optional=not frame.state.is_written(below))

    # Names

    def symbol(self, module: Module, name: str) -> Value | None:
        """What a top-level name of a module holds, None where it has no such name."""
        frame = self.modules.get(module.name)
        if frame is not None and name in frame.state.names:
            return frame.state.names[name]
        definition = module.definitions.get(name)
        if definition is not None:
            return one(defined(module.name, definition))
        if name in module.imports:
            return self.imported(module.imports[name])
        return self._assigned(module, name) or self._from_stars(module, name)

    def _assigned(self, module: Module, name: str) -> Value | None:
        if module.name in self.modules or name not in module.assigned:
            return None
        return self.run_module(module).state.names.get(name)

    def run_module(self, module: Module) -> Frame:
        """Follow the top-level code of a module once."""
        from vlac.rlinf.reads import statements

        if module.name not in self.modules:
            self.modules[module.name] = frame = Frame(module, State())
            statements.execute(self, frame, module.body)
        return self.modules[module.name]

    def complete(self, made: Class) -> None:
        """Follow the module of a class, where it gives the class attributes from outside."""
        module = self.tree.module(made.module)
        if module is not None and made.definition.name in module.extended:
            self.run_module(module)

    def _from_stars(self, module: Module, name: str) -> Value | None:
        for source in module.stars:
            found = self.tree.module(source)
            value = self.symbol(found, name) if found else None
            if value is not None:
                return value
        return None

    def imported(self, imported: ImportedName) -> Value:
        """What an import binds."""
        if not self.tree.knows(imported.module):
            name = f"{imported.module}.{imported.name}" if imported.name else imported.module
            return one(External(name))
        if imported.name is None:
            return one(ModuleRef(imported.module))
        if imported in self.importing:
            return UNKNOWN  # modules that import a name from each other
        self.importing.add(imported)
        value = self.member(imported.module, imported.name)
        self.importing.discard(imported)
        return value

    def member(self, module_name: str, name: str) -> Value:
        """A name of a module of the tree: what it defines, or a module below it."""
        module = self.tree.module(module_name)
        value = self.symbol(module, name) if module else None
        if value is not None:
            return value
        below = f"{module_name}.{name}"
        return one(ModuleRef(below)) if self.tree.module(below) else UNKNOWN


def defined(
    module: str, definition: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
) -> Class | Function:
    """A top-level class or function."""
    if isinstance(definition, ast.ClassDef):
        return Class(module, definition)
    return Function(module, definition)
