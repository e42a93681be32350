"""RunPlan: the frozen middle level between the spec and the bundle. Passes return a new plan; nobody edits one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from vlac.plan.origins import Layer, Origin, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.adapters import Adapter, Device, SourcePatch, WorkerFile
    from vlac.diagnostics import Diagnostic, Position
    from vlac.models import DataConfig, Family
    from vlac.plan.base import Base
    from vlac.plan.origins import Value
    from vlac.rlinf.versions import Version
    from vlac.spec.loaded import LoadedSpec


@dataclass(frozen=True, slots=True)
class PlannedVariable:
    """An environment variable of the run. `value` None: the shell owns it, vlac does not set it."""

    name: str
    value: str | None
    scope: str
    why: str
    source: str
    origin: Origin
    replaced: tuple[tuple[Value, Origin], ...] = ()


@dataclass(frozen=True)
class RunPlan:
    """Everything that is decided about a run, each value with its Origin.

    `settings` holds spec fields by dotted path, written or not; `derived` holds figures that no field sets
    (world_size, gradient_accumulation, samples_per_step, lr_step_1, lr_last_step ...). With a `base`, settings are what
    its composition says and what the user wrote over it; a field that neither speaks of is absent.
    """

    loaded: LoadedSpec
    version: Version
    family: Family
    adapter: Adapter
    device: Device | None = None
    data_config: DataConfig | None = None
    base: Base | None = None
    settings: Mapping[str, Setting] = field(default_factory=lambda: MappingProxyType({}))
    derived: Mapping[str, Setting] = field(default_factory=lambda: MappingProxyType({}))
    environment: tuple[PlannedVariable, ...] = ()
    secrets: tuple[str, ...] = ()
    worker_files: tuple[WorkerFile, ...] = ()
    worker_hooks: tuple[str, ...] = ()
    patches: tuple[SourcePatch, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """The name of bundle and run folder."""
        return self.text("name")

    def value(self, path: str) -> Value:
        """The value of a spec field; KeyError where the plan has none."""
        return self.settings[path].value

    def get(self, path: str) -> Value:
        """The value of a spec field, None where the plan has none."""
        setting = self.settings.get(path)
        return setting.value if setting else None

    def text(self, path: str) -> str:
        """A field that is text."""
        value = self.value(path)
        assert isinstance(value, str), path
        return value

    def integer(self, path: str) -> int:
        """A field or derived figure that is an integer."""
        value = self.derived[path].value if path in self.derived else self.value(path)
        assert isinstance(value, int), path
        return value

    def number(self, path: str) -> float:
        """A field or derived figure that is a number."""
        value = self.derived[path].value if path in self.derived else self.value(path)
        assert isinstance(value, (int, float)), path
        return float(value)

    def position(self, path: str) -> Position | None:
        """Where the user wrote the value that holds, None for a default."""
        written = self.loaded.last(path)
        return written.position if written else None

    def is_written(self, path: str) -> bool:
        """Whether the user wrote the field, in any layer."""
        return path in self.loaded.written

    def is_ours(self, *paths: str) -> bool:
        """Whether this run decides one of the fields: a base decides what the user does not write."""
        return self.base is None or any(self.is_written(path) for path in paths)

    @property
    def task(self) -> str:
        """RLinf's word for what the run does, as `sft` or `embodied`."""
        return self.base.task if self.base else "sft"

    def with_setting(self, path: str, value: Value, origin: Origin) -> RunPlan:
        """The plan with one field decided by a layer above the present one."""
        present = self.settings.get(path)
        setting = present.over(value, origin) if present else Setting(value, origin)
        return replace(self, settings=MappingProxyType({**self.settings, path: setting}))

    def with_derived(self, name: str, value: Value, reason: str) -> RunPlan:
        """The plan with one figure computed from others; `reason` is the arithmetic in words."""
        setting = Setting(value, Origin(Layer.DERIVED, reason))
        return replace(self, derived=MappingProxyType({**self.derived, name: setting}))

    def with_diagnostics(self, *diagnostics: Diagnostic) -> RunPlan:
        """The plan with more to tell the user."""
        return replace(self, diagnostics=(*self.diagnostics, *diagnostics))
