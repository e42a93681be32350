"""Apply a spec's `overrides` to the lowered configuration: the escape hatch (docs/spec.md).

An existing key keeps its type, `+key` adds, `~key: null` deletes, a mapping merges, a list replaces. A key that a spec
field sets is refused with the field's name, so that derived figures stay true. Beside a base it stands, with a warning,
where the field cannot hold the value (an interpolation, another type).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.config_yaml import RESERVED
from vlac.rlinf.leaves import fill_section
from vlac.rlinf.lower import field_of
from vlac.rlinf.override_checks import broken_values, dotted, doubts, owned_by_fields
from vlac.rlinf.value_types import item_at, kept, kind, same_type, with_item

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Value
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.templates import Key
    from vlac.spec.loaded import Written


def override(plan: RunPlan, leaves: Leaves) -> tuple[Leaves, tuple[Diagnostic, ...]]:
    """The configuration with the overrides in it, and what is wrong with them."""
    work = _Overriding(dict(leaves), has_base=plan.base is not None)
    for (section, text), written in plan.loaded.entries.items():
        if section == "overrides":
            work.apply(text, written)
    leaves = work.leaves
    found = (
        *work.found,
        *owned_by_fields(plan, leaves, work.owned),
        *broken_values(plan, leaves, work.deleted),
        *doubts(plan, leaves),
    )
    return leaves, found


@dataclass
class _Overriding:
    leaves: Leaves
    has_base: bool = False
    owned: dict[Key, Written] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    deleted: dict[Key, Written] = field(default_factory=dict)

    def apply(self, text: str, written: Written) -> None:
        """One entry of `overrides`."""
        from vlac.spec.override_keys import parse_override_key

        parsed = parse_override_key(text)
        path = tuple(str(part) for part in parsed.path)
        if any(isinstance(part, int) for part in parsed.path):
            self._set_item(parsed.path, written)
        elif parsed.operation == "delete":
            self._delete(path, written)
        else:
            self._set(path, written.value, written, adds=parsed.operation == "add")

    def _set(self, path: Key, value: Value, written: Written, *, adds: bool) -> None:
        if self._is_taken(path, written):
            return
        if isinstance(value, Mapping) and value:
            for name, item in value.items():
                self._set((*path, name), item, written, adds=adds)
            return
        present = self.leaves.get(path)
        if present is None:
            self._add(path, value, written, adds=adds)
        elif adds:
            self._refuse(
                written, "override-exists", f"{dotted(path)} exists already", "write it without the plus"
            )
        elif not same_type(present.value, value):
            self._refuse_type(path, present.value, value, written)
        else:
            self.leaves[path] = present.over(kept(present.value, value), _origin(written))

    def _is_taken(self, path: Key, written: Written) -> bool:
        """Whether the key belongs to a spec field or to Hydra; if so, that is told."""
        owner = field_of(path)
        if owner and self.has_base:
            self.owned[path] = written
            owner = None
        if owner:
            message = f"{dotted(path)} is set by the spec field {owner}"
            self._refuse(written, "override-of-field", message, f"write {owner}")
        elif path[0] in RESERVED:
            message = f"{path[0]} belongs to Hydra: the file is complete, and vlac writes this node itself"
            self._refuse(written, "override-reserved", message, "leave it out")
        return owner is not None or path[0] in RESERVED

    def _add(self, path: Key, value: Value, written: Written, *, adds: bool) -> None:
        fill_section(self.leaves, path)
        above = next((path[:size] for size in range(1, len(path)) if path[:size] in self.leaves), None)
        below = any(key[: len(path)] == path for key in self.leaves)
        if above or below:
            problem = (
                f"{dotted(above)} is a value, not a section" if above else f"{dotted(path)} is a section"
            )
            self._refuse(
                written, "override-type", problem, "name a key inside the section" if below else None
            )
        elif not adds:
            self._refuse(
                written, "override-unknown", f"the configuration has no key {dotted(path)}", self._near(path)
            )
        else:
            self.leaves[path] = Setting(value, _origin(written))

    def _delete(self, path: Key, written: Written) -> None:
        gone = [key for key in self.leaves if key[: len(path)] == path]
        owned = next((owner for key in gone if (owner := field_of(key))), None)
        if owned and self.has_base:
            self.owned[path] = written
        elif owned:
            message = f"~{dotted(path)} would delete what the spec field {owned} sets"
            self._refuse(written, "override-of-field", message, "name the keys below it that you mean")
            return
        if not gone:
            self._refuse(
                written, "override-unknown", f"the configuration has no key {dotted(path)}", self._near(path)
            )
        else:
            self.deleted[path] = written
            self.leaves = {key: setting for key, setting in self.leaves.items() if key not in gone}

    def _set_item(self, parts: tuple[str | int, ...], written: Written) -> None:
        split = next(index for index, part in enumerate(parts) if isinstance(part, int))
        path = tuple(str(part) for part in parts[:split])
        if self._is_taken(path, written):
            return
        present = self.leaves.get(path)
        if present is None or not isinstance(present.value, (list, tuple)):
            self._refuse(written, "override-unknown", f"the configuration has no list {dotted(path)}", None)
            return
        try:
            item = item_at(present.value, parts[split:])
        except LookupError:
            self._refuse(written, "override-unknown", f"{dotted(path)} has no such item", None)
            return
        if not same_type(item, written.value):
            self._refuse_type(path, item, written.value, written)
            return
        changed = with_item(present.value, parts[split:], kept(item, written.value))
        self.leaves[path] = present.over(changed, _origin(written))

    def _near(self, path: Key) -> str:
        from difflib import get_close_matches

        names = [".".join(key) for key in self.leaves]
        close = get_close_matches(dotted(path), names, n=1, cutoff=0.6)
        meant = f"did you mean {close[0]}? " if close else ""
        return f"{meant}to add a key, write +{dotted(path)}"

    def _refuse_type(self, path: Key, present: Value, value: Value, written: Written) -> None:
        expected = kind(present)
        message = f"{dotted(path)} is {expected}, not {kind(value)}"
        self._refuse(written, "override-type", message, f"write {expected}")

    def _refuse(self, written: Written, code: str, message: str, hint: str | None) -> None:
        self.found.append(Diagnostic(code, message, "error", written.position, hint, written.excerpt))


def _origin(written: Written) -> Origin:
    return Origin(Layer.OVERRIDE, str(written.position), written.position)
