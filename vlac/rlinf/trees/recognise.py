"""Which RLinf version a tree is, by its content; package metadata and git where the content leaves it open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.rlinf.trees.files import EXAMPLES, PACKAGE, SHORT, part_of, read_files
from vlac.rlinf.trees.git_head import head_commit
from vlac.rlinf.trees.known_files import known_files
from vlac.rlinf.trees.package_version import package_version
from vlac.rlinf.versions import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from vlac.rlinf.trees.files import TreeFiles
    from vlac.rlinf.versions import Version

_FEW = (
    0.01  # the share of a version's files that may differ while the tree is still called that version, edited
)
# The version that a known commit's `pyproject.toml` gives: v0.3 and a4b6abe20 share theirs.
_PACKAGE_VERSIONS: Mapping[str, str] = {"0.3": "0.3.0", "a4b6abe20": "0.3.0", "main": "0.4.0"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A tree beside one known version: the files that are equal, changed, and in one of the two only.

    Parts that the tree does not have (`vlac.rlinf.trees.files.part_of`) do not count as missing.
    """

    version: Version
    equal: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def differing(self) -> tuple[str, ...]:
        """The version's files that the tree has not, or not so."""
        return tuple(sorted((*self.changed, *self.missing)))

    @property
    def likeness(self) -> tuple[int, int, int]:
        """The greater, the more alike."""
        return self.equal, -len(self.differing), -len(self.added)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a tree is.

    `nearest` is the known version that shares the most files with it, `alike` are others that the files at hand
    cannot tell from it. `commit` is the git HEAD, `package_version` what the tree calls itself, None where nothing
    says it. `digest` identifies the content (sha256 over all files that matter).
    """

    tree: Path
    digest: str
    parts: frozenset[str]
    nearest: Comparison
    alike: tuple[Version, ...]
    commit: str | None
    package_version: str | None

    @property
    def is_known(self) -> bool:
        """Whether every file of the version is there unchanged; files of the user's own may lie beside them."""
        return self.nearest.equal > 0 and not self.nearest.differing

    @property
    def is_edited(self) -> bool:
        """Whether it is the nearest version with a few of its files changed."""
        if self.is_known or not self.nearest.equal:
            return False
        few = len(self.nearest.differing) <= max(1, _FEW * (self.nearest.equal + len(self.nearest.differing)))
        return few or self.commit == self.nearest.version.commit

    @property
    def version(self) -> Version | None:
        """The known version that the tree is, a few edits aside; None for a tree that nobody has seen."""
        return self.nearest.version if self.is_known or self.is_edited else None

    @property
    def has_code(self) -> bool:
        """Whether the package is there, whose code can be read."""
        return PACKAGE in self.parts

    @property
    def code_is_known(self) -> bool:
        """Whether no Python file differs, so that the keys which the code reads are those of the version."""
        return self.version is not None and not any(file.endswith(".py") for file in self.nearest.differing)

    @property
    def described(self) -> str:
        """What the tree is, in words that go after "the tree is"."""
        near, count = self.nearest, len(self.nearest.differing)
        if self.is_known:
            others = "".join(f" or {version.name}" for version in self.alike)
            return f"RLinf {near.version.name}{others}"
        if self.is_edited:
            at = f" (commit {self.commit[:9]})" if self.commit and self.commit != near.version.commit else ""
            return f"RLinf {near.version.name} with {count} {'file' if count == 1 else 'files'} changed{at}"
        called = (
            f"calls itself {self.package_version}" if self.package_version else "does not say its version"
        )
        at = f", is at commit {self.commit[:9]}" if self.commit else ""
        return (
            f"no RLinf that vlac knows: it {called}{at}; nearest is {near.version.name} with {near.equal} equal files,"
            f" {len(near.changed)} changed, {len(near.missing)} missing and {len(near.added)} more"
        )


def recognise(tree: Path) -> Recognised:
    """Recognise a checkout, an installed package (the folder that holds `rlinf/`), or a copy of `examples/` alone.

    Raises RefusedError where it is none of these.
    """
    files = read_files(tree)
    if not files.hashes:
        reason = f"it holds neither {PACKAGE}/ nor {EXAMPLES}/" if tree.is_dir() else "no such folder"
        raise RefusedError(
            f"{tree} is no RLinf tree: {reason}",
            hint="give the root of a checkout, or the folder that holds rlinf/",
        )
    commit, called = head_commit(tree), package_version(tree)
    first, *others = _nearest(files, commit, called)
    return Recognised(
        tree=tree,
        digest=files.digest,
        parts=files.parts,
        nearest=first,
        alike=tuple(other.version for other in others),
        commit=commit,
        package_version=called,
    )


def _nearest(files: TreeFiles, commit: str | None, called: str | None) -> list[Comparison]:
    """The most alike version, and those that only the order of the table tells from it."""
    every = [compare(files, VERSIONS[name], known) for name, known in known_files().items()]
    most = max(comparison.likeness for comparison in every)
    found = [comparison for comparison in every if comparison.likeness == most]
    here = [one for one in found if one.version.commit == commit]
    return here or [one for one in found if _PACKAGE_VERSIONS.get(one.version.name) == called] or found


def compare(files: TreeFiles, version: Version, known: Mapping[str, str]) -> Comparison:
    """A tree beside the files of one version."""
    here = files.hashes
    expected = {file: digest for file, digest in known.items() if part_of(file) in files.parts}
    both = [file for file in expected if file in here]
    changed = [file for file in both if here[file][:SHORT] != expected[file]]
    return Comparison(
        version=version,
        equal=len(both) - len(changed),
        changed=tuple(sorted(changed)),
        missing=tuple(sorted(expected.keys() - here.keys())),
        added=tuple(sorted(here.keys() - known.keys())),
    )
