"""Where a value comes from: the chain of decisions behind a spec field, a figure, an RLinf key or a variable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vlac.bundle.lock import dotted
from vlac.plan.origins import Layer, Origin, Setting
from vlac.plan.show import text

if TYPE_CHECKING:
    from vlac.adapters import Variable
    from vlac.bundle import Bundle
    from vlac.diagnostics import Position
    from vlac.plan.ir import PlannedVariable


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known about one key. `remarks` say what it is, `setting` how it was decided."""

    key: str
    kind: str
    setting: Setting
    remarks: tuple[str, ...] = ()

    def as_text(self, prefix: str) -> str:
        """For people: value, remarks, and the chain with the decision that holds marked and last."""
        lines = [f"{self.key} = {text(self.setting.value)}", *(f"  {remark}" for remark in self.remarks)]
        chain = self.setting.chain
        for number, (value, origin) in enumerate(chain, 1):
            mark = "->" if number == len(chain) else "  "
            reason = _place(origin.position, prefix) if origin.position else origin.reason
            lines.append(f"  {mark} {origin.layer.value:<20}  {text(value):<12}  {reason}")
        return "\n".join(lines) + "\n"

    def as_json(self, prefix: str) -> dict[str, object]:
        """For machines: the chain lowest precedence first."""
        return {
            "key": self.key,
            "kind": self.kind,
            "value": self.setting.value,
            "remarks": list(self.remarks),
            "origins": [
                {
                    "layer": origin.layer.value,
                    "value": value,
                    "reason": origin.reason,
                    "file": _file(origin.position, prefix),
                    "line": origin.position.line if origin.position else None,
                    "column": origin.position.column if origin.position else None,
                }
                for value, origin in self.setting.chain
            ],
        }


def explain(bundle: Bundle, key: str) -> Explanation | None:
    """The explanation of a spec field, a derived figure, an RLinf key or a variable; None for an unknown key."""
    kinds = (_field, _figure, _config, _variable, _secret, _unset_variable, _unset_field, _unset_config)
    return next((found for kind in kinds if (found := kind(bundle, key))), None)


def nearest_keys(bundle: Bundle, key: str) -> tuple[str, ...]:
    """The known keys that look most like an unknown one."""
    from difflib import get_close_matches

    return tuple(get_close_matches(key, _known(bundle), n=3, cutoff=0.4))


def _known(bundle: Bundle) -> list[str]:
    plan = bundle.plan
    planned = [variable.name for variable in plan.environment]
    known = [variable.name for variable in plan.adapter.variables if variable.name not in planned]
    return [
        *plan.settings,
        *plan.derived,
        *(dotted(key) for key in bundle.config),
        *planned,
        *known,
        *plan.secrets,
    ]


def _field(bundle: Bundle, key: str) -> Explanation | None:
    from vlac.spec.fields import BY_PATH

    setting = bundle.plan.settings.get(key)
    if setting is None:
        return None
    field = BY_PATH[key]
    becomes = (f"becomes {', '.join(field.keys)}",) if field.keys else ()
    return Explanation(key, "spec field", setting, (field.meaning, *becomes))


def _figure(bundle: Bundle, key: str) -> Explanation | None:
    setting = bundle.plan.derived.get(key)
    return Explanation(key, "derived figure", setting) if setting else None


def _config(bundle: Bundle, key: str) -> Explanation | None:
    from vlac.rlinf.lower import field_of

    for path, setting in bundle.config.items():
        if key not in (".".join(path), dotted(path)):
            continue
        field = field_of(path)
        remarks = (
            f"an RLinf key, set by the spec field {field}" if field else "an RLinf key without a spec field",
        )
        return Explanation(key, "RLinf key", setting, remarks)
    return None


def _variable(bundle: Bundle, key: str) -> Explanation | None:
    for variable in bundle.plan.environment:
        if variable.name == key:
            setting = Setting(variable.value, variable.origin, variable.replaced)
            return Explanation(key, "variable", setting, _remarks(bundle, variable))
    return None


def _secret(bundle: Bundle, key: str) -> Explanation | None:
    if key not in bundle.plan.secrets:
        return None
    setting = replace(bundle.plan.settings["secrets"], value=None, replaced=())
    return Explanation(key, "secret", setting, ("the shell sets it; its value is in no file of vlac",))


def _unset_field(_bundle: Bundle, key: str) -> Explanation | None:
    from vlac.spec.fields import BY_PATH

    field = BY_PATH.get(key)
    if field is None:
        return None
    unset = Setting(None, Origin(Layer.DEFAULT, f"nobody set it. {field.rule}".strip()))
    return Explanation(key, "spec field", unset, (field.meaning,))


def _unset_config(bundle: Bundle, key: str) -> Explanation | None:
    from vlac.rlinf.lower import field_of

    path = tuple(key.split("."))
    field = field_of(path)
    if field is None or any(other[: len(path)] == path for other in bundle.config):
        return None
    unset = Setting(
        None, Origin(Layer.RLINF, "not in the configuration: what RLinf does without the key holds")
    )
    return Explanation(key, "RLinf key", unset, (f"the spec field {field} would set it",))


def _unset_variable(bundle: Bundle, key: str) -> Explanation | None:
    """A variable that the adapter knows and this run does not set."""
    adapter = bundle.plan.adapter
    known = _known_variable(bundle, key)
    if known is None:
        return None
    reason = "left alone"
    if known.value is not None:  # the way into the processes that this run takes does without
        reason = f"not needed: {bundle.plan.derived['injection'].origin.reason}"
    unset = Setting(None, Origin(Layer.ADAPTER, f"{adapter.name}: {reason}"))
    remarks = (f"a variable of the {known.scope} that vlac does not set", *_facts(known), f"why: {known.why}")
    return Explanation(key, "variable", unset, (*remarks, f"source: {known.source}"))


def _known_variable(bundle: Bundle, name: str) -> Variable | None:
    return next((variable for variable in bundle.plan.adapter.variables if variable.name == name), None)


def _facts(known: Variable | None) -> tuple[str, ...]:
    """What a variable takes, its default, and who reads it from when on."""
    if known is None:
        return ()
    facts = [f"takes {known.takes.words}"] if known.takes else []
    if known.default is not None:
        facts.append(f"where nobody sets it: {known.default}")
    if known.since:
        facts.append(f"read from {' '.join(known.since)} on")
    if known.by_node != "same":
        facts.append("may have another value on each node")
    return tuple(facts)


def _remarks(bundle: Bundle, variable: PlannedVariable) -> tuple[str, ...]:
    owner = (
        f"set by the {bundle.plan.adapter.name} adapter"
        if variable.source != "the spec's env"
        else variable.why
    )
    return (
        f"a variable of the {variable.scope}, {owner}",
        *_facts(_known_variable(bundle, variable.name)),
        f"why: {variable.why}",
        f"source: {variable.source}",
    )


def _file(position: Position | None, prefix: str) -> str | None:
    if position is None:
        return None
    return f"{prefix}/{position.file}" if prefix and not position.file.startswith("--") else position.file


def _place(position: Position, prefix: str) -> str:
    return f"{_file(position, prefix)}:{position.line}:{position.column}"
