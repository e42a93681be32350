"""Apply a spec's `overrides` to the lowered configuration: the escape hatch (docs/spec.md).

An existing key keeps its type, `+key` adds, `~key: null` deletes, a mapping merges, a list replaces. A key that a spec
field sets is refused with the field's name, so that derived figures stay true. Beside a base it stands, with a warning,
where the field cannot hold the value (an interpolation, another type).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.config_yaml import RESERVED, check, check_key
from vlac.rlinf.interpolation import missing, returns
from vlac.rlinf.leaves import fill_section
from vlac.rlinf.lower import field_of
from vlac.spec.secrecy import is_secret_name

if TYPE_CHECKING:
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Value
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.templates import Key
    from vlac.spec.loaded import Written

_OF_THE_BASE = ("name", "model.family", "hardware.cards")
"""Fields that set no key beside a base: its bundle's name, and what others follow from once it is written."""


def override(plan: RunPlan, leaves: Leaves) -> tuple[Leaves, tuple[Diagnostic, ...]]:
    """The configuration with the overrides in it, and what is wrong with them."""
    work = _Overriding(dict(leaves), has_base=plan.base is not None)
    for (section, text), written in plan.loaded.entries.items():
        if section == "overrides":
            work.apply(text, written)
    if plan.base is not None:
        work.check_owned(plan)
    work.check_values(plan)
    work.warn(plan)
    return work.leaves, tuple(work.found)


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

    def warn(self, plan: RunPlan) -> None:
        """Warn of overridden keys that nothing reads, and of values that look like secrets."""
        written = {writing.position: writing for writing in plan.loaded.writings()}
        ours = [(key, made) for key, made in self.leaves.items() if made.origin.layer is Layer.OVERRIDE]
        for key, setting in ours:
            found = _secret(key, setting.value) or _dead(plan, key)
            if found:
                place = written[setting.origin.position] if setting.origin.position else None
                excerpt = place.excerpt if place else None
                self.found.append(replace(found, position=setting.origin.position, excerpt=excerpt))

    def check_values(self, plan: RunPlan) -> None:
        """Refuse values that config.yaml cannot carry and interpolations that lead nowhere."""
        written = {writing.position: writing for writing in plan.loaded.writings()}
        for key, setting in self.leaves.items():
            position = setting.origin.position
            writing = written.get(position) if position else None
            uncarriable = next(filter(None, map(check_key, key)), None) or check(setting.value)
            if uncarriable:
                self._tell(key, "value-uncarriable", uncarriable, writing)
            elif (absent := missing(key, setting.value, self.leaves)) is not None:
                cause = next((self.deleted[path] for path in _heads(absent) if path in self.deleted), writing)
                if cause is None and self.has_base:
                    continue  # RLinf's own, which another file or its code may complete
                self._tell(key, "override-unresolved", f"nothing is at {_dotted(absent)}", cause)
            elif writing and returns(key, setting.value, self.leaves):
                self._tell(key, "override-unresolved", "the interpolation leads back to itself", writing)

    def _tell(self, key: Key, code: str, problem: str, written: Written | None) -> None:
        position, excerpt = (written.position, written.excerpt) if written else (None, None)
        self.found.append(Diagnostic(code, f"{_dotted(key)}: {problem}", "error", position, None, excerpt))

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
                written, "override-exists", f"{_dotted(path)} exists already", "write it without the plus"
            )
        elif not same_type(present.value, value):
            self._refuse_type(path, present.value, value, written)
        else:
            self.leaves[path] = present.over(_kept(present.value, value), _origin(written))

    def _is_taken(self, path: Key, written: Written) -> bool:
        """Whether the key belongs to a spec field or to Hydra; if so, that is told."""
        owner = field_of(path)
        if owner and self.has_base:
            self.owned[path] = written
            owner = None
        if owner:
            message = f"{_dotted(path)} is set by the spec field {owner}"
            self._refuse(written, "override-of-field", message, f"write {owner}")
        elif path[0] in RESERVED:
            message = f"{path[0]} belongs to Hydra: the file is complete, and vlac writes this node itself"
            self._refuse(written, "override-reserved", message, "leave it out")
        return owner is not None or path[0] in RESERVED

    def check_owned(self, plan: RunPlan) -> None:
        """Beside a base: refuse overridden keys whose fields could say the same, warn of the others."""
        from vlac.rlinf.lift import lift

        lifted = lift({key: setting.value for key, setting in self.leaves.items()}, plan.version)
        unable = {path for path in _OF_THE_BASE if path == "name" or not plan.is_written(path)}
        held = lifted.keys() - unable - {refusal.field for refusal in plan.family.refused}
        for path, written in self.owned.items():
            owner = field_of(path)
            assert owner is not None
            message = f"{_dotted(path)} is set by the spec field {owner}"
            if owner in held and path in self.leaves:
                self._refuse(written, "override-of-field", message, f"write {owner}")
            else:
                message += ", which cannot hold this value: it stands as written"
                code = "override-beside-field"
                self.found.append(
                    Diagnostic(code, message, "warning", written.position, None, written.excerpt)
                )

    def _add(self, path: Key, value: Value, written: Written, *, adds: bool) -> None:
        fill_section(self.leaves, path)
        above = next((path[:size] for size in range(1, len(path)) if path[:size] in self.leaves), None)
        below = any(key[: len(path)] == path for key in self.leaves)
        if above or below:
            problem = (
                f"{_dotted(above)} is a value, not a section" if above else f"{_dotted(path)} is a section"
            )
            self._refuse(
                written, "override-type", problem, "name a key inside the section" if below else None
            )
        elif not adds:
            self._refuse(
                written, "override-unknown", f"the configuration has no key {_dotted(path)}", self._near(path)
            )
        else:
            self.leaves[path] = Setting(value, _origin(written))

    def _delete(self, path: Key, written: Written) -> None:
        gone = [key for key in self.leaves if key[: len(path)] == path]
        owned = next((owner for key in gone if (owner := field_of(key))), None)
        if owned and self.has_base:
            self.owned[path] = written
        elif owned:
            message = f"~{_dotted(path)} would delete what the spec field {owned} sets"
            self._refuse(written, "override-of-field", message, "name the keys below it that you mean")
            return
        if not gone:
            self._refuse(
                written, "override-unknown", f"the configuration has no key {_dotted(path)}", self._near(path)
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
            self._refuse(written, "override-unknown", f"the configuration has no list {_dotted(path)}", None)
            return
        try:
            item = _item(present.value, parts[split:])
        except LookupError:
            self._refuse(written, "override-unknown", f"{_dotted(path)} has no such item", None)
            return
        if not same_type(item, written.value):
            self._refuse_type(path, item, written.value, written)
            return
        changed = _with_item(present.value, parts[split:], _kept(item, written.value))
        self.leaves[path] = present.over(changed, _origin(written))

    def _near(self, path: Key) -> str:
        from difflib import get_close_matches

        names = [".".join(key) for key in self.leaves]
        close = get_close_matches(_dotted(path), names, n=1, cutoff=0.6)
        meant = f"did you mean {close[0]}? " if close else ""
        return f"{meant}to add a key, write +{_dotted(path)}"

    def _refuse_type(self, path: Key, present: Value, value: Value, written: Written) -> None:
        kind = _kind(present)
        message = f"{_dotted(path)} is {kind}, not {_kind(value)}"
        self._refuse(written, "override-type", message, f"write {kind}")

    def _refuse(self, written: Written, code: str, message: str, hint: str | None) -> None:
        self.found.append(Diagnostic(code, message, "error", written.position, hint, written.excerpt))


def _dead(plan: RunPlan, key: Key) -> Diagnostic | None:
    if plan.family.model_type != "openpi" or plan.task != "sft":
        return None  # what the demo's worker reads, or another task, is in no table
    if plan.version.tree is not None and plan.version.tree.is_own:
        return None  # nor is what a tree reads that nobody has seen
    from vlac.rlinf.known_reads import known_reads, why_unread

    if known_reads(plan.version.table).reads(key):
        return None
    why = why_unread(key)
    message = (
        f"nothing in RLinf {plan.version.name} reads {_dotted(key)} on this path{': ' + why if why else ''}"
    )
    return Diagnostic("override-dead", message, "warning", hint="leave it out")


def _secret(key: Key, value: Value) -> Diagnostic | None:
    if value is None or _is_interpolation(value) or not is_secret_name(key[-1]):
        return None
    message = f"{_dotted(key)} looks like a secret: its value stands in config.yaml for all to read"
    return Diagnostic(
        "override-secret", message, "warning", hint="write ${oc.env:NAME}, and NAME under secrets"
    )


def _dotted(path: Key) -> str:
    return ".".join(f'"{part}"' if "." in part else part for part in path)


def _origin(written: Written) -> Origin:
    return Origin(Layer.OVERRIDE, str(written.position), written.position)


def _heads(path: Key) -> list[Key]:
    return [path[:size] for size in range(1, len(path) + 1)]


def _item(items: Value, parts: tuple[str | int, ...]) -> Value:
    """What is at `parts` in nested lists and mappings. Raises LookupError where nothing is."""
    for part in parts:
        if not isinstance(items, (list, tuple) if isinstance(part, int) else Mapping):
            raise LookupError(part)
        items = items[part]  # type: ignore[index]  # the line above fits the part to it
    return items


def _with_item(items: Value, parts: tuple[str | int, ...], value: Value) -> Value:
    """A copy of nested lists and mappings with one item, which is there, replaced."""
    if not parts:
        return value
    part, rest = parts[0], parts[1:]
    if isinstance(part, int) and isinstance(items, (list, tuple)):
        return [*items[:part], _with_item(items[part], rest, value), *items[part + 1 :]]
    assert isinstance(part, str) and isinstance(items, Mapping)
    return {**items, part: _with_item(items[part], rest, value)}


def _kept(present: Value, value: Value) -> Value:
    """The value in the type that the key has: an integer for a number becomes one."""
    return float(value) if isinstance(present, float) and type(value) is int else value


def same_type(present: Value, value: Value) -> bool:
    """Whether an override may put `value` where `present` is: null and interpolations may stand anywhere."""
    if present is None or value is None or _is_interpolation(present) or _is_interpolation(value):
        return True
    return _kind(present) == _kind(value) or (isinstance(present, float) and type(value) is int)


def _is_interpolation(value: Value) -> bool:
    return isinstance(value, str) and "${" in value


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "true or false"
    kinds = (
        (int, "an integer"),
        (float, "a number"),
        (str, "text"),
        (Mapping, "a mapping"),
        ((list, tuple), "a list"),
    )
    return next((words for types, words in kinds if isinstance(value, types)), "null")
