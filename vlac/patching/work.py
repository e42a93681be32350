"""Status, apply and revert of source patches on the trees of one machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.patching import change
from vlac.patching.holding import holding
from vlac.patching.journal import is_unsettled, read_journal, trees_of
from vlac.patching.look import Seen, is_as_recorded, look
from vlac.patching.places import mode
from vlac.patching.record import HOME, Record, Recorded, digest, original, read_record
from vlac.patching.recovery import recover
from vlac.patching.transaction import Replacement, carry_out
from vlac.patching.unknown import why_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from vlac.adapters import SourcePatch
    from vlac.patching.places import Root

_OWNER_WRITES = 0o200


@dataclass(frozen=True)
class Job:
    """Patches and the trees that they are for; `trees` names the RLinf version that is meant, None: any known one."""

    patches: tuple[SourcePatch, ...]
    roots: tuple[Root, ...]
    trees: tuple[str, ...] | None

    def seen(self) -> tuple[Seen, ...]:
        """Every file of the patches in the trees. Raises RefusedError where a patch has nothing for a tree."""
        return tuple(one for root in self.roots for patch in self.patches for one in self._in(patch, root))

    def _in(self, patch: SourcePatch, root: Root) -> tuple[Seen, ...]:
        if not any(variant.project == root.project for variant in patch.variants):
            return ()
        found = look(patch, root, self.trees if root.project == "rlinf" else None)
        if not found:
            raise RefusedError(f"{patch.id} is not made for RLinf {', '.join(self.trees or ())}")
        return found


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file for a person: `done` says what was done to it now, empty where nothing was."""

    patch: str
    project: str
    folder: str
    path: str
    state: str
    detail: str = ""
    lines: tuple[str, ...] = ()
    done: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The files, and the trees in which an earlier call was interrupted."""

    files: tuple[FileReport, ...]
    interrupted: tuple[str, ...] = ()

    @property
    def is_applied(self) -> bool:
        """Whether every file is patched, and nothing is half done."""
        return not self.interrupted and all(file.state == "applied" for file in self.files)


class UnknownFilesError(RefusedError):
    """Files are not as the patch knows them; `report` names each with its reason. Nothing was changed."""

    def __init__(self, report: Report) -> None:
        self.report = report
        strange = [file for file in report.files if file.state in ("unknown", "missing")]
        told = "; ".join(f"{file.path}: {file.detail}" for file in strange)
        super().__init__(
            f"{len(strange)} of {len(report.files)} files are not as the patch knows them, nothing was changed: {told}",
            hint="`vlac patch SPEC status` shows each of them",
        )


def status(job: Job) -> Report:
    """What the trees hold. Nothing is written."""
    interrupted = tuple(str(root.folder) for root in job.roots if read_journal(root.folder))
    return Report(tuple(_report(one) for one in job.seen()), interrupted)


def apply(job: Job) -> Report:
    """Apply the patches, to all files or to none; twice is once. Raises RefusedError, and changes nothing."""
    return _change(job, "not applied", _applied, "applied now")


def revert(job: Job) -> Report:
    """Take the patches back, byte for byte where vlac applied them. Raises RefusedError, and changes nothing."""
    return _change(job, "applied", _reverted, "taken back now")


def _change(job: Job, state: str, made: Callable[[Seen], bytes], done: str) -> Report:
    seen = job.seen()
    folders = [root.folder for root in job.roots]
    if not any(map(is_unsettled, folders)) and not _to_do(seen, state):
        return _known(seen)
    peers = [tree for folder in folders for tree in trees_of(folder) if tree.is_dir()]
    with holding([*folders, *peers]):
        recover(folders)
        seen = job.seen()
        _known(seen)
        todo = _to_do(seen, state)
        contents = [made(one) for one in todo]
        records = _records(todo, contents)
        if todo:
            carry_out([_replacement(*pair) for pair in zip(todo, contents, strict=True)], records)
    # What was written is known: reading it again could fail, and the change stands.
    changed = {id(one): content for one, content in zip(todo, contents, strict=True)}
    return Report(tuple(_reported(one, changed.get(id(one)), records, done) for one in seen))


def _to_do(seen: Sequence[Seen], state: str) -> list[Seen]:
    return [one for one in seen if one.state == state]


def _reported(seen: Seen, content: bytes | None, records: Mapping[Path, Record], done: str) -> FileReport:
    """The report on a file that got another content, or none."""
    if content is None:
        return _report(seen)
    recorded = records[seen.root.folder].get(seen.path)
    return _report(replace(seen, content=content, recorded=recorded), done)


def _known(seen: Sequence[Seen]) -> Report:
    report = Report(tuple(_report(one) for one in seen))
    if not all(one.is_known for one in seen):
        raise UnknownFilesError(report)
    return report


def _applied(seen: Seen) -> bytes:
    return change.after(seen.variant, seen.file, seen.content or b"")


def _reverted(seen: Seen) -> bytes:
    """The saved file, where vlac wrote the present one; else the present one without the change."""
    saved = original(seen.root.folder, seen.recorded.before) if seen.recorded else None
    if saved is not None and is_as_recorded(seen):
        return saved
    return change.before(seen.variant, seen.file, seen.content or b"")


def _replacement(seen: Seen, content: bytes) -> Replacement:
    folder, bits = seen.root.folder, mode(seen.root.folder, seen.path)
    if not bits & _OWNER_WRITES:
        raise RefusedError(
            f"{folder / seen.path} is read-only",
            hint="chmod u+w makes it yours to change; nothing was changed",
        )
    if seen.state == "applied" and seen.recorded and is_as_recorded(seen):
        bits = seen.recorded.mode
    return Replacement(folder, seen.path, seen.content or b"", content, bits)


def _records(todo: Sequence[Seen], contents: Sequence[bytes]) -> Mapping[Path, Record]:
    """The records of the trees after the change."""
    records = {one.root.folder: read_record(one.root.folder) for one in todo}
    for one, after in zip(todo, contents, strict=True):
        record = records[one.root.folder]
        if one.state == "applied":
            record.pop(one.path, None)
            continue
        bits = mode(one.root.folder, one.path)
        before = digest(one.content or b"")
        record[one.path] = Recorded(one.patch.id, one.variant.tree, before, digest(after), bits)
    return records


def _report(seen: Seen, done: str = "") -> FileReport:
    detail: str = ""
    lines: tuple[str, ...] = ()
    if not seen.is_known:
        detail, lines = why_unknown(seen)
    elif seen.state == "applied" and not is_as_recorded(seen):
        detail = "not by vlac, or with other line endings since"
    return FileReport(
        seen.patch.id,
        seen.root.project,
        str(seen.root.folder),
        seen.path,
        seen.state,
        detail,
        lines,
        done,
    )


def interrupted_hint(folder: str) -> str:
    """What to do about a tree in which a call was interrupted."""
    return f"`vlac patch SPEC apply` or `revert` puts it right ({folder}/{HOME}/journal.json)"
