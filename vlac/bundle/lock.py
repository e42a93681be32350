"""vlac.lock.json: what a bundle was made from, and the sha256 of each of its files.

The lock carries a digest of itself, so that an edit of the lock is noticed as well as one of a file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vlac import __version__
from vlac.diagnostics import Diagnostic, Position
from vlac.errors import RefusedError
from vlac.plan.origins import Layer, Origin, Setting

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import TypeAlias

    from vlac.plan.ir import PlannedVariable, RunPlan

    Document: TypeAlias = dict[str, Any]  # JSON as it was parsed, before `_lock` gives it types

NAME = "vlac.lock.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class LockedFile:
    """A file of the bundle as it was compiled."""

    sha256: str
    executable: bool


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock as it was read.

    `spec_digest` is the sha256 of the merged spec, `rlinf_commit` the commit whose facts the compiler used.
    `config` has the origin of each leaf of config.yaml by its dotted key (`dotted`), `environment` that of
    each variable. `intact` is False where somebody edited the lock.
    """

    vlac: str
    name: str
    spec_digest: str
    family: str
    rlinf_version: str
    rlinf_commit: str
    backend: str
    device: str | None
    files: Mapping[str, LockedFile]
    config: Mapping[str, Origin]
    environment: Mapping[str, Origin]
    derived: Mapping[str, Setting]
    diagnostics: tuple[Diagnostic, ...]
    intact: bool


def emit(
    plan: RunPlan,
    config: Mapping[tuple[str, ...], Setting],
    files: Mapping[str, bytes],
    diagnostics: Sequence[Diagnostic],
    executable: Collection[str],
) -> bytes:
    """The bytes of the lock of a bundle whose other files are `files`."""
    return _render(
        {
            "schema": SCHEMA,
            "vlac": __version__,
            "spec": {"name": plan.name, "sha256": plan.loaded.digest},
            "target": {
                "family": plan.family.name,
                "rlinf": _rlinf(plan),
                "backend": plan.adapter.name,
                "device": plan.device.name if plan.device else None,
                **_base(plan),
                **_patches(plan),
            },
            "files": {name: _file(content, name in executable) for name, content in files.items()},
            "config": {dotted(path): _origin(setting.origin) for path, setting in config.items()},
            "environment": {variable.name: _variable(variable) for variable in plan.environment},
            "derived": {name: _figure(setting) for name, setting in plan.derived.items()},
            "diagnostics": [_diagnostic(diagnostic) for diagnostic in diagnostics],
        }
    )


def _base(plan: RunPlan) -> Document:
    if plan.base is None:
        return {}
    return {"base": {"config": plan.base.name, "files": dict(plan.base.digests)}}


def _patches(plan: RunPlan) -> Document:
    return {"patches": [patch.id for patch in plan.patches]} if plan.patches else {}


def _rlinf(plan: RunPlan) -> Document:
    version = plan.version
    looked_at = {"tree": version.tree.digest} if version.tree else {}
    return {"version": version.name, "commit": version.commit, **looked_at}


def read(data: bytes) -> Lock:
    """The lock that `data` holds. Raises RefusedError where it holds none that this vlac can read."""
    try:
        document = json.loads(data)
        schema = document["schema"]
        if schema == SCHEMA:
            return _lock(document, intact=_render(document) == data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise RefusedError(f"{NAME} is no lock of vlac: {problem}") from problem
    raise RefusedError(
        f"{NAME} has schema {schema!r}; vlac {__version__} reads schema {SCHEMA}",
        hint="use the vlac that wrote it, or compile the bundle anew into another folder",
    )


def sha256(content: bytes) -> str:
    """The digest by which the lock knows a content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def dotted(path: tuple[str, ...]) -> str:
    """A key of config.yaml in one word, as `overrides` writes it: `a.b`, `a."b.c"`."""
    return ".".join(_quoted(part) if not part or set(part) & set('."[] \\') else part for part in path)


def _quoted(part: str) -> str:
    return json.dumps(part, ensure_ascii=False)


def _render(document: Document) -> bytes:
    body = {key: value for key, value in document.items() if key != "digest"}
    digest = sha256(json.dumps(body, ensure_ascii=False, allow_nan=False, sort_keys=True).encode())
    return _json({**body, "digest": digest}) + b"\n"


def _json(value: Document) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True).encode()


def _file(content: bytes, executable: bool) -> Document:
    return {"sha256": sha256(content), "executable": executable}


def _origin(origin: Origin) -> Document:
    entry: Document = {"layer": origin.layer.value, "reason": origin.reason}
    return {**entry, "position": str(origin.position)} if origin.position else entry


def _variable(variable: PlannedVariable) -> Document:
    return {**_origin(variable.origin), "scope": variable.scope}


def _figure(setting: Setting) -> Document:
    return {**_origin(setting.origin), "value": setting.value}


def _diagnostic(diagnostic: Diagnostic) -> Document:
    position = str(diagnostic.position) if diagnostic.position else None
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "position": position,
        "hint": diagnostic.hint,
    }


def _lock(document: Document, intact: bool) -> Lock:
    """Give types to a parsed lock. What it lacks raises KeyError, a wrong shape TypeError or ValueError."""
    target = document["target"]
    return Lock(
        vlac=_text(document["vlac"]),
        name=_text(document["spec"]["name"]),
        spec_digest=_text(document["spec"]["sha256"]),
        family=_text(target["family"]),
        rlinf_version=_text(target["rlinf"]["version"]),
        rlinf_commit=_text(target["rlinf"]["commit"]),
        backend=_text(target["backend"]),
        device=target["device"] and _text(target["device"]),
        files={name: _read_file(name, entry) for name, entry in document["files"].items()},
        config={key: _read_origin(entry) for key, entry in document["config"].items()},
        environment={name: _read_origin(entry) for name, entry in document["environment"].items()},
        derived={name: _read_figure(entry) for name, entry in document["derived"].items()},
        diagnostics=tuple(_read_diagnostic(entry) for entry in document["diagnostics"]),
        intact=intact,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} stands where a text is expected")
    return value


def _read_file(name: str, entry: Document) -> LockedFile:
    check_name(name)
    return LockedFile(_text(entry["sha256"]), entry["executable"] is True)


def check_name(name: str) -> None:
    """Raise ValueError where a file name would lead out of the bundle."""
    if not all(part not in ("", ".", "..") and "\0" not in part for part in name.split("/")):
        raise ValueError(f"{name!r} is no path inside a bundle")


def _read_origin(entry: Document) -> Origin:
    return Origin(Layer(entry["layer"]), _text(entry["reason"]), _position(entry.get("position")))


def _read_figure(entry: Document) -> Setting:
    return Setting(entry["value"], _read_origin(entry))


def _read_diagnostic(entry: Document) -> Diagnostic:
    return Diagnostic(
        code=_text(entry["code"]),
        severity=entry["severity"],
        message=_text(entry["message"]),
        position=_position(entry["position"]),
        hint=entry["hint"],
    )


def _position(text: str | None) -> Position | None:
    if text is None:
        return None
    file, line, column = text.rsplit(":", 2)
    return Position(file, int(line), int(column))
