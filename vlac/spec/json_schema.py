"""The JSON Schema of a spec (draft 2020-12), made from the table of fields; for editors and other tools.

It accepts what a spec may say field by field. Rules between fields and those of a family or a backend are not in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vlac.spec.fields import FIELDS, SECTIONS, VERSION
from vlac.spec.scalars import resolve

if TYPE_CHECKING:
    from vlac.spec.fields import Field

JsonObject = dict[str, Any]  # what json.dumps takes; JSON has no narrower type

_URL = "https://json-schema.org/draft/2020-12/schema"
_VARIABLE = "^[A-Za-z_][A-Za-z0-9_]*$"
_ONE_LINE = "^[^\\u0000-\\u001f]+$"
_RUN_PATH = "^(/|\\.{1,2}(/|$)|\\$\\{oc\\.env:[A-Za-z_][A-Za-z0-9_]*\\}(/|$))"
_DATASET = f"{_RUN_PATH}|^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$"
_LITERAL: JsonObject = {"type": ["string", "number", "boolean"]}


def json_schema() -> JsonObject:
    """The whole schema."""
    schema = _section("")
    # A spec that extends others may leave to them what is required.
    schema |= {
        "if": {"required": ["extends"]},
        "then": {},
        "else": {
            "if": {"required": ["base"]},
            "then": _required("", base=True),
            "else": _required("", base=False),
        },
    }
    schema["patternProperties"] = {"^x-": {"description": "Ignored: a place for anchors and notes."}}
    head = {"$schema": _URL, "title": f"vlac run spec, version {VERSION}"}
    return {**head, **schema}


def _section(path: str) -> JsonObject:
    rows = [row for row in FIELDS if row.section == path and not row.later]
    properties: JsonObject = {row.key: _field(row) for row in rows}
    for key, inner in _sections_in(path):
        properties[key] = {"description": SECTIONS[inner], **_section(inner)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _required(path: str, *, base: bool) -> JsonObject:
    """What a section must have, with the sections in it that must have something."""
    rows = [row for row in FIELDS if row.section == path and row.required]
    required = [row.key for row in rows if not (base and row.unless_base)]
    inside = {key: _required(inner, base=base) for key, inner in _sections_in(path)}
    properties = {key: needed for key, needed in inside.items() if needed}
    needed: JsonObject = {"required": [*required, *properties]} if required or properties else {}
    return {**needed, "properties": properties} if properties else needed


def _sections_in(path: str) -> list[tuple[str, str]]:
    """The keys and paths of the sections in a section."""
    parts = [(inner.rpartition("."), inner) for inner in SECTIONS]
    return [(key, inner) for (section, _, key), inner in parts if section == path]


def _field(row: Field) -> JsonObject:
    described: JsonObject = {"description": _description(row), **_type(row)}
    if row.default is not None:
        described["default"] = list(row.default) if isinstance(row.default, tuple) else row.default
    if row.type in ("integer", "number", "text", "name", "path", "version", "choice", "boolean"):
        described["examples"] = [resolve(row.example) if row.example[0] != '"' else row.example.strip('"')]
    return described


def _description(row: Field) -> str:
    """One paragraph without the marks of the documentation."""
    meaning = row.meaning[0].upper() + row.meaning[1:] + "."
    return f"{meaning} {row.rule}".strip()


def _type(row: Field) -> JsonObject:
    if row.choices and row.type in ("choice", "integer"):
        return {"enum": list(row.choices)}
    if row.type == "loggers":
        return {"type": "array", "items": {"enum": list(row.choices)}, "uniqueItems": True}
    if row.type == "betas":
        return {"type": "array", "items": _number("number", row), "minItems": 2, "maxItems": 2}
    if row.type == "steps_or_never":
        return {"anyOf": [_number("integer", row), {"const": "never"}]}
    if row.type in ("integer", "number"):
        return _number(row.type, row)
    return dict(_TYPES[row.type])


def _number(name: str, row: Field) -> JsonObject:
    limits = {
        "minimum": row.minimum,
        "maximum": row.maximum,
        "exclusiveMinimum": row.above,
        "exclusiveMaximum": row.below,
    }
    return {"type": name, **{key: limit for key, limit in limits.items() if limit is not None}}


def _one_or_more(pattern: str) -> JsonObject:
    one: JsonObject = {"type": "string", "pattern": pattern}
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


_TYPES: dict[str, JsonObject] = {
    "boolean": {"type": "boolean"},
    "name": {"type": "string", "minLength": 1, "maxLength": 64},
    "text": {"type": "string", "pattern": _ONE_LINE},
    "version": {"type": ["string", "number"]},
    "path": {"type": "string", "pattern": _RUN_PATH},
    "dataset": _one_or_more(_DATASET),
    "files": _one_or_more("^[^/~$]"),
    "patches": {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True},
    "options": {"type": "object"},
    "overrides": {"type": "object"},
    "environment": {
        "type": "object",
        "patternProperties": {_VARIABLE: {"anyOf": [_LITERAL, {"type": "null"}]}},
        "additionalProperties": False,
    },
    "file_in_tree": {"type": "string", "pattern": "^[^/~$].*\\.yaml$"},
    "mix": {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "pattern": _DATASET},
                "weight": {"type": "number", "exclusiveMinimum": 0},
                "config": {"type": "string"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    "placement": {"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
    "versions": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": ["string", "number"]},
    },
    "secrets": {"type": "array", "items": {"type": "string", "pattern": _VARIABLE}, "uniqueItems": True},
}
