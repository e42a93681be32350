"""The machine: its cards, the versions of its software, what the shell brings in, and the RLinf checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.doctor.finding import fail, ok, some, unchecked, warning
from vlac.errors import RefusedError
from vlac.plan.objections import shell_objections, stack_objections, written_stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.adapters import NodeReport, Objection
    from vlac.doctor.finding import Finding
    from vlac.doctor.subject import Subject
    from vlac.rlinf.trees.recognise import Recognised


def machine(subject: Subject) -> Iterator[Finding]:
    """Everything about the machine."""
    if subject.plan.adapter.name:
        yield from _cards(subject, subject.plan.adapter.probe())
        yield from _stack(subject)
        yield from _shell(subject)
    else:
        yield unchecked("machine", "the spec names no backend", "add --backend, as --backend cpu")
    yield from _checkout(subject)


def _cards(subject: Subject, report: NodeReport) -> Iterator[Finding]:
    adapter, cards = subject.plan.adapter, subject.plan.get("hardware.cards")
    remarks = "; ".join(report.remarks)
    if adapter.placement == "processes":
        yield ok("machine", remarks or adapter.name)
        return
    if not report.devices:
        fix = "run the doctor on the machine that trains"
        yield fail("machine", "doctor-device", f"no cards of backend {adapter.name}: {remarks}", fix)
        return
    wanted = subject.plan.device
    others = sorted({name for name in report.devices if wanted and name != wanted.name})
    if isinstance(cards, int) and len(report.devices) < cards:
        message = f"of {cards} cards that hardware.cards names, {len(report.devices)} are here"
        yield fail("machine", "doctor-device", message, f"write hardware.cards: {len(report.devices)}")
    elif others and wanted:
        message = f"here is {', '.join(others)}, the spec is for {wanted.name}"
        yield warning("machine", "doctor-device", message, f"--backend {adapter.name}:{others[0]}")
    else:
        yield ok(
            "machine", f"{len(report.devices)} x {report.devices[0]}" + (f" ({remarks})" if remarks else "")
        )


def _stack(subject: Subject) -> Iterator[Finding]:
    stack, interpreter = subject.plan.adapter.stack, subject.interpreter
    if stack is None:
        return
    found = interpreter.versions if interpreter else {}
    written = written_stack(subject.plan)
    versions = {c.name: v for c in stack.components if (v := found.get(c.name) or written.get(c.name))}
    yield from _differing(written, found)
    objections = stack_objections(stack, versions)
    yield from _objections(objections, "doctor-stack")
    if not versions:
        yield unchecked("machine", "no version of the backend's software is known")
    elif not objections:
        yield ok("machine", ", ".join(f"{name} {version}" for name, version in versions.items()))


def _differing(written: dict[str, str], found: dict[str, str]) -> Iterator[Finding]:
    for name, version in written.items():
        here = found.get(name)
        if here and not here.startswith(version):
            message = f"hardware.stack says {name} {version}, the interpreter has {here}"
            yield warning("machine", "doctor-stack", message, f"write {name}: {here}, or install {version}")


def _shell(subject: Subject) -> Iterator[Finding]:
    objections = shell_objections(subject.plan, subject.launch.shell)
    yield from _objections(objections, "doctor-shell", unset=True)
    if not objections:
        yield ok("machine", "the shell brings nothing that the backend objects to")


def _objections(objections: tuple[Objection, ...], code: str, *, unset: bool = False) -> Iterator[Finding]:
    for objection in objections:
        fix = f"unset {objection.about[0]} in this shell" if unset else objection.instead
        kind = fail if objection.severity == "error" else warning
        yield kind("machine", code, objection.message, fix)


def _checkout(subject: Subject) -> Iterator[Finding]:
    from vlac.doctor.places import place_of
    from vlac.rlinf.trees import recognise

    written = subject.plan.get("rlinf.path")
    if not isinstance(written, str):
        version = subject.interpreter.versions.get("rlinf") if subject.interpreter else None
        yield from _package(subject, version)
        return
    place = place_of(written, subject.variables)
    if place.path is None:
        yield unchecked("machine", f"RLinf checkout: {place.why}")
        return
    try:
        yield _recognised(subject, recognise(place.path))
    except RefusedError as problem:
        yield fail("machine", "doctor-checkout", problem.message, problem.hint or "correct rlinf.path")


def _package(subject: Subject, version: str | None) -> Iterator[Finding]:
    if version is None:
        fix = "pip install 'vla-compiler[run]' there, or write rlinf.path"
        yield fail(
            "machine", "doctor-checkout", f"no rlinf.path, and {subject.launch.python} has no rlinf", fix
        )
        return
    wanted = subject.plan.version.name
    if wanted[0].isdigit() and wanted[1:2] == "." and not f"{version}.".startswith(f"{wanted}."):
        message = f"rlinf {version} is installed, the spec is for {wanted}"
        yield fail("machine", "doctor-checkout", message, "correct rlinf.version, or install that version")
    else:
        yield ok("machine", f"rlinf {version} is installed")


def _recognised(subject: Subject, found: Recognised) -> Finding:
    wanted = subject.plan.version
    if wanted.tree is not None:
        return ok("machine", f"the tree at {found.tree} is {found.described}")
    same = [version.name for version in (found.version, *found.alike) if version]
    if wanted.name not in same:
        message = f"the tree at {found.tree} is {found.described}; the spec is for {wanted.name}"
        fix = "write rlinf.version: auto" + (f", or {found.version.name}" if found.version else "")
        return fail("machine", "doctor-checkout", message, fix)
    changed = [*found.nearest.differing]
    if changed:
        message = f"the tree at {found.tree} is {found.described}: {some(changed, 3)}"
        return warning(
            "machine", "doctor-checkout", message, "git -C PATH diff shows them; they come into the run"
        )
    return ok("machine", f"the tree at {found.tree} is {found.described}")
