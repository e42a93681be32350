"""What kills, a full disk and read-only files do to trees that are being patched.

    python benchmarks/faults_patch.py [--kills N] [--seed N]

A process applies a patch to two small trees and takes it back, over and over, until it is killed at a random moment;
then one call has to leave every file patched or every file as it was. After that the disk is full, and then read-only,
from each system call on. Standard library and vlac alone. Exit 1 where a tree is half-applied or an original is lost.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import signal
import sys
import tempfile
import time
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from vlac.adapters import PatchedFile, PatchVariant, SourcePatch
from vlac.errors import RefusedError
from vlac.patching.places import find_root
from vlac.patching.work import Job, apply, revert, status
from vlac.rlinf.trees.files import hash_of

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = "".join(f"line {number}\n" for number in range(2000))
FILES = {
    "rlinf": ("rlinf/models.py", "rlinf/fsdp/strategy.py", "rlinf/worker.py"),
    "openpi": ("openpi/models_pytorch/pi0.py",),
}
LONGEST = 0.03  # seconds until a kill; an apply takes a few milliseconds
WRITES = os.O_CREAT | os.O_WRONLY
CHANGES = {"os.mkdir", "os.rename", "os.remove"}


def main() -> int:
    """Run all faults and print the table; 1 where something was lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}\n| fault | times | while files changed | half-applied | lost originals |")
    print("| --- | --- | --- | --- | --- |")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        bad += trial.show("kill at a random moment", *trial.kills(arguments.kills, arguments.seed))
        bad += trial.show("full disk from a call on", *trial.failures(errno.ENOSPC))
        bad += trial.show("read-only disk from a call on", *trial.failures(errno.EROFS))
        bad += trial.show("read-only file", *trial.read_only())
    return 1 if bad else 0


class Trial:
    """Two trees, the patch for them, and what they hold before and after."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.before = {path: f"# {path}\n{LINES}" for paths in FILES.values() for path in paths}
        self.after = {path: _changed(text) for path, text in self.before.items()}
        variants = tuple(self._variant(project) for project in ("rlinf", "openpi"))
        for project, paths in FILES.items():
            for path in paths:
                place = folder / project / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(self.before[path])
        patch = SourcePatch("p", "purpose", "evidence", "unneeded", "none", variants)
        roots = (find_root("rlinf", folder / "rlinf"), find_root("openpi", folder / "openpi"))
        self.job = Job((patch,), roots, None)
        self.half = self.lost = 0

    def kills(self, count: int, seed: int) -> tuple[int, int]:
        """Kill a busy writer at random moments; how often, and how often while files were being changed."""
        moments, interrupted = random.Random(seed), 0
        for _ in range(count):
            writer = _forked(lambda: self._forever())
            time.sleep(moments.uniform(0, LONGEST))
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
            interrupted += bool(status(self.job).interrupted)
            self._settle(moments.choice((apply, revert)))
        return count, interrupted

    def failures(self, code: int) -> tuple[int, int]:
        """Let every call that writes fail from the first on, from the second on, ...; how often, how often refused."""
        refused = number = 0
        untouched = 0
        while untouched < 5:
            number += 1
            action = (apply, revert)[number % 2]
            writer = _forked(lambda n=number, act=action: self._failing(n, code, act))  # type: ignore[misc]
            ended = os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1])
            refused += ended == 1
            untouched = untouched + 1 if ended == 0 else 0
            self._count(self._held())
            self._settle(action)
        return number, refused

    def read_only(self) -> tuple[int, int]:
        """Protect each file in turn; how often, and how often that was refused."""
        refused = 0
        self._settle(revert)
        places = [self.folder / project / path for project, paths in FILES.items() for path in paths]
        for place in places:
            place.chmod(0o444)
            try:
                apply(self.job)
            except RefusedError:
                refused += 1
            place.chmod(0o644)
            self._count(self._held())
        return len(places), refused

    def show(self, fault: str, times: int, within: int) -> int:
        """Print a row; the number of trees that were harmed."""
        print(f"| {fault} | {times} | {within} | {self.half} | {self.lost} |", flush=True)
        bad, self.half, self.lost = self.half + self.lost, 0, 0
        return bad

    def _forever(self) -> None:
        while True:
            apply(self.job)
            revert(self.job)

    def _failing(self, number: int, code: int, action: Callable[[Job], object]) -> None:
        count = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            writes = event in CHANGES or (event == "open" and int(str(arguments[2] or 0)) & WRITES)
            if writes:
                count += 1
                # A full disk still renames and removes; a read-only one does neither.
                if count >= number and (code == errno.EROFS or event not in ("os.rename", "os.remove")):
                    raise OSError(code, os.strerror(code))

        sys.addaudithook(hook)
        action(self.job)

    def _settle(self, action: Callable[[Job], object]) -> None:
        """One call after the fault: all files are old or new, as asked."""
        action(self.job)
        wanted = self.after if action is apply else self.before
        held = self._held()
        self.half += held != wanted
        self._count(held)

    def _count(self, held: dict[str, str]) -> None:
        self.half += held not in (self.before, self.after) and not status(self.job).interrupted
        self.lost += sum(text not in (self.before[path], self.after[path]) for path, text in held.items())

    def _held(self) -> dict[str, str]:
        return {
            path: (self.folder / project / path).read_text()
            for project, paths in FILES.items()
            for path in paths
        }

    def _variant(self, project: str) -> PatchVariant:
        paths = FILES[project]
        diffs = (
            unified_diff(
                self.before[path].splitlines(True),
                self.after[path].splitlines(True),
                f"a/{path}",
                f"b/{path}",
            )
            for path in paths
        )
        diff = self.folder / f"{project}.patch"
        diff.write_text("".join("".join(one) for one in diffs))
        hashed = tuple(
            PatchedFile(path, hash_of(self.before[path].encode()), hash_of(self.after[path].encode()))
            for path in paths
        )
        return PatchVariant(project, "x", diff, hashed)  # type: ignore[arg-type]  # one of the two words


def _changed(text: str) -> str:
    return text.replace("line 500\n", "five hundred\n").replace("line 1500\n", "")


def _forked(work: Callable[[], object]) -> int:
    """Do it in a process of its own: 0 where it ended, 1 where it was refused."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        work()
        code = 0
    except RefusedError:
        code = 1
    finally:
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
