"""Paths in a spec: what may be written, and how a relative one is kept free of the compiling machine."""

from __future__ import annotations

import posixpath
import re

SPEC_FOLDER = "${oc.env:VLAC_SPEC_DIR}"
"""Stands for the folder of the spec in emitted paths; `vlac run` sets the variable."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_VARIABLE_HEAD = re.compile(r"\$\{oc\.env:[A-Za-z_][A-Za-z0-9_]*\}(?=/|$)", re.ASCII)
_PLACEHOLDER = re.compile(r"(/path/to(/.*)?)|(.*<[^/<>]+>.*)")
_RELATIVE = re.compile(r"\.\.?(/.*)?", re.DOTALL)

Complaint = tuple[str, str, "str | None"]
"""Code, message and hint."""


def run_side_path(text: str, folder: str) -> str:
    """The path as it is emitted. `folder` is that of the file that holds it, relative to the spec's.

    An absolute path and a hub id stay; `./results` becomes `${oc.env:VLAC_SPEC_DIR}/results`.
    """
    if not _RELATIVE.fullmatch(text):
        return text
    relative = posixpath.normpath(posixpath.join(folder, text))
    return SPEC_FOLDER if relative == "." else f"{SPEC_FOLDER}/{relative}"


def complaint(text: str, *, hub: bool) -> Complaint | None:
    """What is wrong with a run-side path; `hub` tells whether a hub id may stand there."""
    if (expansion := _expansion(text)) is not None:
        return expansion
    if any(ord(character) < 32 or character == "\x7f" for character in text):
        return "spec-path", "a path cannot hold line breaks or control characters", None
    if _PLACEHOLDER.fullmatch(text):
        return "spec-placeholder", f"`{text}` is a placeholder", "write the real path"
    if text.startswith("/") or _RELATIVE.fullmatch(text) or _VARIABLE_HEAD.match(text):
        return None
    if hub and _HUB_ID.fullmatch(text):
        return None
    return "spec-path", f"`{text}` is neither absolute nor relative to the spec", _where(text, hub=hub)


def parent_complaint(text: str) -> Complaint | None:
    """What is wrong with a path of `extends`."""
    if (expansion := _expansion(text)) is not None:
        return expansion
    if text.startswith("/"):
        return (
            "spec-path",
            "`extends` takes paths relative to this file",
            "a spec means the same on every machine",
        )
    return None


def after_variable(text: str) -> str:
    """A path without the `${oc.env:NAME}` that may head it."""
    return text[match.end() :] if (match := _VARIABLE_HEAD.match(text)) else text


def _expansion(text: str) -> Complaint | None:
    if text.startswith("~"):
        return "spec-path-expansion", "`~` is not expanded", "write the whole path, or ${oc.env:HOME}/..."
    if "$" not in after_variable(text):
        return None
    message = "variables are not expanded when a spec is compiled"
    return "spec-path-expansion", message, "${oc.env:NAME}/... at the start of a path is resolved at launch"


def _where(text: str, *, hub: bool) -> str:
    relative = f"write ./{text} for a path beside the spec, or begin with /"
    return relative + ("; a hub id is owner/name" if hub else "")
