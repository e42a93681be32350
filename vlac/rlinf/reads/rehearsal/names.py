"""Names: what the modules of the tree define, import and assign at their top level."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.records import Frame
from vlac.rlinf.reads.rehearsal.values import ClassRef, Code, External, ModuleRef, Value, unknown

if TYPE_CHECKING:
    from vlac.rlinf.reads.rehearsal.records import Items, Table
    from vlac.rlinf.reads.rehearsal.world import World
    from vlac.rlinf.reads.tree import ImportedName, Module


class Names:
    """The top-level names of a tree. The code that assigns them is followed when one is first asked for."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._frames: dict[str, Frame] = {}
        self._ran: set[str] = set()
        self._importing: set[ImportedName] = set()
        self._filled: set[str] = set()
        self._running = 0

    def frame(self, module: Module) -> Frame:
        """The frame of a module."""
        if module.name not in self._frames:
            self._frames[module.name] = Frame(module)
        return self._frames[module.name]

    def find(self, frame: Frame, name: str) -> Value:
        """What a name holds in a frame: there, in those around it, in the module, or a builtin."""
        scope: Frame | None = frame.declared.get(name, frame)
        while scope is not None:
            if name in scope.slots:
                return scope.slots[name]
            scope = scope.outer
        found = self.symbol(frame.module, name)
        return Value(External(f"builtins.{name}")) if found is None else found

    def symbol(self, module: Module, name: str) -> Value | None:
        """What a top-level name of a module holds, None where it has no such name."""
        frame = self.frame(module)
        if name in frame.slots:
            return frame.slots[name]
        definition = module.definitions.get(name)
        if isinstance(definition, ast.ClassDef):
            return self._class(module, definition)
        if definition is not None:
            return Value(Code(module, definition))
        if name in module.imports:
            return self.imported(module.imports[name])
        if name in module.assigned and self.run(module):
            return frame.slots.get(name, unknown())
        return self._from_stars(module, name)

    def _class(self, module: Module, definition: ast.ClassDef) -> Value:
        if definition.name in module.extended:
            self.run(module)
        return Value(ClassRef(module.name, definition))

    def run(self, module: Module) -> bool:
        """Follow the top-level code of a module, once; whether it has now been followed."""
        from vlac.rlinf.reads.rehearsal import calls, statements

        if module.name in self._ran:
            return True
        self._ran.add(module.name)
        frame = self.frame(module)
        self._running += 1
        with self._world.apart():
            statements.block(self._world, frame, module.body)
            for definition in module.definitions.values():
                calls.decorate(self._world, frame, definition)
        self._running -= 1
        return True

    def _from_stars(self, module: Module, name: str) -> Value | None:
        for source in module.stars:
            found = self._world.tree.module(source)
            value = self.symbol(found, name) if found else None
            if value is not None:
                return value
        return None

    def imported(self, imported: ImportedName) -> Value:
        """What an import binds."""
        if not self._world.tree.knows(imported.module):
            name = f"{imported.module}.{imported.name}" if imported.name else imported.module
            return Value(External(name))
        if imported.name is None:
            return Value(ModuleRef(imported.module))
        if imported in self._importing:
            return unknown()  # modules that import a name from each other
        self._importing.add(imported)
        value = self.member(imported.module, imported.name)
        self._importing.discard(imported)
        return value

    def member(self, module_name: str, name: str) -> Value:
        """A name of a module of the tree: what it defines, or a module below it."""
        module = self._world.tree.module(module_name)
        value = self.symbol(module, name) if module else None
        if value is not None:
            return value
        below = f"{module_name}.{name}"
        return Value(ModuleRef(below)) if self._world.tree.module(below) else unknown()

    def fill(self, holder: Table | Items) -> None:
        """Follow the modules whose decorators or top-level calls may fill a collection of another module."""
        home = self._world.tree.module(holder.home) if holder.home else None
        if home is None or holder.home in self._filled or self._running:
            return  # while a module is run, its collections hold what it has put there so far
        self._filled.add(holder.home)
        self.run(home)
        files = {file for name in home.definitions for file in self._world.tree.called_at_top.get(name, ())}
        for file in sorted(files):
            name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            module = self._world.tree.module(name)
            if module is not None:
                self.run(module)
