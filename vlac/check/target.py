"""What a configuration is checked against: what the code of an RLinf tree reads for it, and the words it accepts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from vlac.check.accepted import accepted
from vlac.errors import RefusedError
from vlac.rlinf.reads import Read, Run, Tree, find_installed, read_for, read_tree
from vlac.rlinf.reads.entries import MADE_UP
from vlac.rlinf.reads.known import ABSENT, Known
from vlac.rlinf.reads.log import Place
from vlac.rlinf.versions import V0_3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.check.subject import Subject
    from vlac.rlinf.templates import Key
    from vlac.rlinf.trees.key_reads import KeyReads
    from vlac.rlinf.versions import Version

_MEASURED = (("sft", "openpi"), ("sft", "vlac_demo"))
"""Task and model type of the runs for which the reader was compared with a trace (docs/reads.md): only there is it told
that a key which the code knows is not read on the way of this run, and that a key read on some ways is missing."""


@dataclass(frozen=True)
class Target:
    """The code that a configuration meets.

    `reads` is what a run with it reads, None where that is not known; `handed_on` are sections that go whole to code
    that is not followed. `tree` is absent where vlac's own tables of `version` stand in. `undecided` says in words what
    could not be looked at.
    """

    described: str
    reads: tuple[Read, ...] | None
    handed_on: frozenset[Key] = frozenset()
    entries: tuple[str, ...] = ()
    tree: Tree | None = None
    version: Version | None = None
    is_measured: bool = False
    undecided: tuple[str, ...] = ()
    run: Run | None = None
    cache: Path | None = None
    _words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def words(self, name: str) -> tuple[str, ...]:
        """The words that are accepted, empty where that is not known."""
        if name in self._words:
            return self._words[name]
        return accepted(self.tree, name) if self.tree else ()

    @cached_property
    def by_key(self) -> Mapping[Key, tuple[Read, ...]]:
        """The reads of each key."""
        found: dict[Key, tuple[Read, ...]] = {}
        for read in self.reads or ():
            found[read.key] = (*found.get(read.key, ()), read)
        return found

    @cached_property
    def heads(self) -> frozenset[Key]:
        """Every key that is read, and the sections around it."""
        return frozenset(key[:size] for key in self.by_key for size in range(1, len(key) + 1))

    def is_read(self, key: Key) -> bool:
        """Whether anything may read a key: by its name, as part of a section, or in code that is not followed."""
        heads = (key[:size] for size in range(1, len(key) + 1))
        return key in self.heads or any(head in self.handed_on for head in heads)

    def hands_on(self, key: Key) -> bool:
        """Whether a section of the same name as one around the key goes whole to code that is not followed.

        `env.eval.init_params` is what `env.train.init_params` is, also where this run evaluates nothing.
        """
        return not {section[-1] for section in self.handed_on}.isdisjoint(key[:-1])

    def is_set_by_all(self, key: Key, subject: Subject) -> bool:
        """Whether every config of the same task beside the entry script writes the key: then it is needed."""
        task = re.escape(str(subject.value("runner", "task_type")))
        folders = {f"{PurePosixPath(entry).parent}/config" for entry in self.entries}
        texts = [
            text
            for file, text in (self.tree.configs if self.tree else {}).items()
            if str(PurePosixPath(file).parent) in folders and re.search(rf"task_type:\s*[\"']?{task}\b", text)
        ]
        written = re.compile(rf"^\s*{re.escape(key[-1])}\s*:", re.MULTILINE)
        return len(texts) > 1 and all(written.search(text) for text in texts)

    def is_read_by_kind(self, key: Key) -> bool:
        """Whether some run of the same task, model and back end reads a key, with another configuration."""
        return any(read.key[: len(key)] == key for read in self._of_kind)

    @cached_property
    def _of_kind(self) -> tuple[Read, ...]:
        if self.tree is None or self.run is None:
            return ()
        return read_tree(self.tree, self.run, folder=self.cache).reads

    def missing(self, subject: Subject, *, kind: str = "strict") -> list[Read]:
        """The reads of a kind that the configuration has no key for, those inside a missing section left out.

        A key that is there with an interpolation that leads nowhere is another matter.
        """
        known = Known(config=subject.nested)
        asked = [read for read in self.reads or () if read.kind == kind and not subject.has(read.key)]
        absent = [read for read in asked if known.look_up(read.key) is ABSENT]
        return [read for read in absent if len(read.key) == 1 or known.look_up(read.key[:-1]) is not ABSENT]


def target_of(subject: Subject, tree: Path | None, version: Version | None, cache: Path | None) -> Target:
    """The target for a configuration: the code of a tree, else vlac's tables of a version.

    Without a tree, or with one that holds no code, the tables of the version stand in: the given one, else the one that
    the tree is recognised as. `cache` is the folder for what the reader found, None keeps nothing.
    """
    if tree is not None and (tree / "rlinf" / "config.py").is_file():
        return _of_tree(subject, tree, cache)
    found = version or (_recognised(tree) if tree is not None else V0_3)
    if found is None:
        return Target(
            str(tree), None, undecided=(f"{tree} holds no code of RLinf, and its version is not known",)
        )
    return _of_tables(subject, found)


def find_tree(config: Path, given: Path | None) -> Path | None:
    """The tree for a config: the given one, the one it lies in, the installed package; None where there is none."""
    if given is not None:
        return given
    around = next((folder.parent for folder in config.absolute().parents if folder.name == "examples"), None)
    if around is not None:
        return around
    try:
        return find_installed()
    except RefusedError:
        return None


def _of_tree(subject: Subject, root: Path, cache: Path | None) -> Target:
    tree, run = Tree(root), _run(subject)
    try:
        reads = read_for(tree, subject.nested, file=subject.file, folder=cache)
    except RefusedError as problem:
        from vlac.rlinf.reads import enumerations

        undecided = (f"which keys the run reads: {problem.message}",)
        return Target(f"RLinf at {root}", None, tree=tree, undecided=undecided, _words=enumerations(tree))
    if subject.file and not _is_near(subject.file, reads.entries):
        undecided = (f"which keys the run reads: no script of {_example(subject.file)} takes this config",)
        return Target(f"RLinf at {root}", None, tree=tree, undecided=undecided, _words=reads.enumerations)
    unread = tuple(f"{one.file}:{one.line} is not read: {one.reason}" for one in reads.unread)
    return Target(
        f"RLinf at {root}",
        reads.reads,
        frozenset(key for key, _ in reads.handed_on),
        reads.entries,
        tree,
        is_measured=(run.task, run.model_type) in _MEASURED,
        run=run,
        cache=cache,
        undecided=unread,
        _words=reads.enumerations,
    )


def _is_near(config: str, entries: tuple[str, ...]) -> bool:
    """Whether the scripts are of the config's own example, the one that evaluates, or made up for a package."""
    others = [entry for entry in entries if entry != MADE_UP and not entry.startswith("evaluations/")]
    return all(_example(entry) == _example(config) for entry in others)


def _example(file: str) -> str:
    return "/".join(PurePosixPath(file).parts[:2])


def _recognised(tree: Path) -> Version | None:
    from vlac.rlinf.trees import recognise

    return recognise(tree).version


def _of_tables(subject: Subject, version: Version) -> Target:
    from vlac.rlinf.trees.version_reads import version_reads

    described = f"vlac's tables of RLinf {version.name}"
    without = "RLinf's own assertions, losses and environments: they need a checkout (--rlinf PATH)"
    run = _run(subject)
    run = replace(run, backend=run.backend or "fsdp")  # the only one that there are tables for
    try:
        kept = version_reads(version, run)
    except RefusedError:
        kind = "/".join(filter(None, (run.task, run.model_type, run.backend)))
        undecided = (f"which keys a run of {kind or 'this kind'} reads: vlac keeps no table of it", without)
        return Target(described, None, version=version, undecided=undecided)
    return Target(
        described,
        tuple(_reads(kept)),
        _HANDED_ON,
        version=version,
        is_measured=True,
        undecided=(without,),
        _words=kept.words,
    )


_RUN = (("runner", "task_type"), ("actor", "model", "model_type"), ("actor", "training_backend"))
# Copied key by key, made into the arguments of a class, or walked: rlinf/models/embodiment/openpi/__init__.py and
# dataconfig, rlinf/scheduler/cluster/config.py (v0.3, a4b6abe20, main).
_HANDED_ON = frozenset(
    {("actor", "model", "openpi"), ("actor", "model", "openpi_data"), ("actor", "openpi_data"), ("cluster",)}
)


def _run(subject: Subject) -> Run:
    return Run(*(str(subject.value(*key) or "") for key in _RUN))


def _reads(kept: KeyReads) -> list[Read]:
    return [
        Read(
            key,
            "guarded" if kind == "conditional" else kind,
            tuple(Place(place.file, place.line) for place in places),
            kind == "conditional",
        )
        for key, kinds in kept.keys.items()
        for kind, places in kinds.items()
    ]
