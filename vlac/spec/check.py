"""Whether what was written is a spec: every problem, one message each, in the words of the field table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from vlac.spec.fields import BY_PATH, FIELDS, SECTIONS
from vlac.spec.model import RunSpec
from vlac.spec.rules import broken_rules, hide_secrets
from vlac.spec.shapes import broken_shapes
from vlac.spec.source import ListNode, ScalarNode, is_null
from vlac.spec.text_rules import broken_text_rules
from vlac.spec.types import entry_value, field_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vlac.diagnostics import Diagnostic
    from vlac.plan.origins import Value
    from vlac.spec.fields import Field
    from vlac.spec.layers import Layers, Leaf
    from vlac.spec.source import AnyNode, Source

Values = dict[str, "Value"]

_SPECIAL = frozenset(("secrets", "env"))  # fields whose wrong shapes deserve better words


class Check:
    """One validation. `problems` holds what was found, `values` what was written, by dotted path."""

    def __init__(self, layers: Layers, source: Source, *, complete: bool) -> None:
        self.problems: list[Diagnostic] = []
        self.values: Values = {}
        self.broken: set[str] = set()  # fields that are wrong or missing
        self._layers = layers
        self._source = source
        self._complete = complete  # else something was dropped, and nothing can be said to be missing
        self._settled: set[str] = set()  # fields and sections whose value has a message
        self._meant: set[str] = set()  # fields that an unknown key probably stands for

    def run(self) -> RunSpec:
        """The spec; an empty one where it is not valid, with at least one error among the problems."""
        hide_secrets(self._layers)
        self._structure()
        model = self._model()
        self._texts()
        if self._complete and "base" not in self._settled:
            self._missing()
        told = self._settled | self._meant
        found = list(broken_rules(self._layers, self.values, told, self._source, complete=self._complete))
        self.problems += found
        self.broken |= self._settled | self._meant
        if any(problem.code == "spec-secret-value" for problem in found):
            self.broken.add("env")  # it holds a secret, which no plan may show
        return model

    def _structure(self) -> None:
        unknown = []
        for leaf in self._layers.leaves.values():
            if leaf.field is None and leaf.dotted not in SECTIONS:
                unknown.append(leaf)
            elif (problem := self._misplaced(leaf)) is not None:
                self._tell(leaf, problem)
            else:
                self._take(leaf)
        if unknown:
            self._unknown(unknown)

    def _unknown(self, leaves: list[Leaf]) -> None:
        from vlac.spec.unknown_keys import guesses

        for guess in guesses(leaves):
            self.problems.append(guess.diagnostic)
            if guess.meant:
                self._meant.add(guess.meant)

    def _misplaced(self, leaf: Leaf) -> Diagnostic | None:
        if leaf.field is not None and leaf.field.later:
            message = f"`{leaf.dotted}` is not offered yet by this version of vlac"
            return leaf.key.diagnostic("spec-later", message, hint="leave the key out")
        if is_null(leaf.value) and not _takes_null(leaf):
            hint = "leave the key out; null means something only in a spec that extends another"
            place = leaf.key if getattr(leaf.value, "text", "") == "" else leaf.value
            return place.diagnostic("spec-null", f"`{leaf.dotted}` is empty", hint=hint)
        if leaf.field is not None and (isinstance(leaf.value, ScalarNode) or leaf.field.path not in _SPECIAL):
            return None
        from vlac.spec.wrong_values import not_a_section, special_shape

        return special_shape(leaf) if leaf.field else not_a_section(leaf)

    def _take(self, leaf: Leaf) -> None:
        assert leaf.field is not None
        if not leaf.is_entry:
            self.values[leaf.field.path] = field_value(leaf.field, leaf.value)
            return
        entries = self.values.setdefault(leaf.field.path, {})
        assert isinstance(entries, dict), leaf.field.path
        entries[leaf.path[-1]] = entry_value(leaf.field, leaf.value)

    def _model(self) -> RunSpec:
        try:
            return RunSpec.model_validate(nested(self.values))
        except ValidationError as error:
            for found in error.errors(include_url=False, include_context=False, include_input=False):
                self._refuse(found["loc"])
        return RunSpec.model_construct()

    def _refuse(self, location: tuple[int | str, ...]) -> None:
        """Tell about the value at a place of the model, once for each field; `_missing` tells what is absent."""
        from vlac.spec.wrong_values import wrong_value

        row, rest = _field_at(location)
        leaf = self._layers.leaves.get(tuple(row.path.split("."))) if row else None
        if row and leaf and row.path not in self._settled:
            self._tell(leaf, wrong_value(row, _item(leaf.value, rest)))

    def _texts(self) -> None:
        for leaf in self._layers.leaves.values():
            if leaf.field is None or leaf.field.path in self._settled:
                continue
            found = [*broken_text_rules(leaf), *broken_shapes(leaf)]
            self.problems += found
            if any(problem.is_error for problem in found):
                self.broken.add(leaf.field.path)

    def _missing(self) -> None:
        absent: dict[str, list[Field]] = {}  # by section
        for row in FIELDS:
            if self._is_needed(row) and row.path not in self.values and not self._is_settled(row.path):
                absent.setdefault(row.section, []).append(row)
                self.broken.add(row.path)
        for section, rows in absent.items():
            self.problems += self._absent(section, rows)

    def _is_needed(self, row: Field) -> bool:
        if "base" in self.values:
            # A base says what is trained; where it is trained, a backend asks.
            of_backend = row.path == "hardware.cards" and "hardware.backend" in self.values
            return row.required and (not row.unless_base or of_backend)
        family = self.values.get("model.family")
        return row.required or (isinstance(family, str) and family in row.required_for)

    def _is_settled(self, path: str) -> bool:
        parts = path.split(".")
        told = self._settled | self._meant
        return any(".".join(parts[:length]) in told for length in range(1, len(parts) + 1))

    def _absent(self, section: str, rows: list[Field]) -> Iterator[Diagnostic]:
        """One message a field where its section is there, one message for a section that is not."""
        key = self._layers.sections.get(section)
        if section and key is None:
            names = " and ".join(f"`{row.path}`" for row in rows)
            written = ", ".join(f"{row.key}: {row.example}" for row in rows)
            message = f"{names} {'is' if len(rows) == 1 else 'are'} missing{self._who(rows[0])}"
            hint = f"add the line `{section}: {{{written}}}`"
            yield self._source.diagnostic("spec-missing", message, hint=hint)
            return
        for row in rows:
            message = f"`{row.path}` is missing{self._who(row)}: {row.meaning}"
            hint = f"add{f' to `{section}`' if section else ''}: `{row.key}: {row.example}`"
            place = key or self._source
            yield place.diagnostic("spec-missing", message, hint=hint)

    def _who(self, row: Field) -> str:
        if row.unless_base and "base" in self.values:
            return " for backend " + str(self.values["hardware.backend"])
        return "" if row.required else f" for family {self.values['model.family']}"

    def _tell(self, leaf: Leaf, problem: Diagnostic) -> None:
        self.problems.append(problem)
        self._settled.add(leaf.field.path if leaf.field else leaf.dotted)


def nested(values: Values) -> dict[str, Value]:
    """Values by dotted path as nested mappings."""
    result: dict[str, Value] = {}
    for path, value in values.items():
        *sections, key = path.split(".")
        inner = result
        for section in sections:
            inner = inner.setdefault(section, {})  # type: ignore[assignment]  # sections hold mappings only
        inner[key] = value
    return result


def _takes_null(leaf: Leaf) -> bool:
    return leaf.is_entry and leaf.field is not None and leaf.field.type in ("overrides", "environment")


def _field_at(location: tuple[int | str, ...]) -> tuple[Field | None, tuple[int | str, ...]]:
    """The field that a place of the model lies in, and the rest of the place; None for a section."""
    for length in range(1, len(location) + 1):
        row = BY_PATH.get(".".join(str(part) for part in location[:length]))
        if row is not None:
            return row, location[length:]
    return None, ()


def _item(node: AnyNode, rest: Iterable[int | str]) -> AnyNode:
    """The list item that pydantic complains about, or the whole node."""
    for part in rest:
        if isinstance(node, ListNode) and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
    return node
