"""Check every config that RLinf ships, have each kind of finding confirmed by RLinf's own code, and write the page.

    python scripts/check_shipped_configs.py [--configs DIR] [--only TEXT] [--keep FILE] > docs/findings.md

Configs: a folder with `VERSION/configs`, trees that hold `examples/` alone. `VLAC_TEST_RLINF` is a folder of checkouts,
whose code the configs are held against; `VLAC_TEST_PYTHON` an interpreter that has RLinf, which confirms. Exit 2 where
one of them is not at hand. It takes minutes; with `--keep` one that was interrupted goes on from what FILE holds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "real"))

from confirm import composed, confirm  # noqa: E402  # lies beside the tests, which run the same
from finding_cases import CASES, UNCOMPOSED, by_config  # noqa: E402

from vlac.check import check_file  # noqa: E402
from vlac.diagnostics import Diagnostic  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from finding_cases import Case

CHECKOUTS = {"v0.3": "rlinf-v0.3", "main": "rlinf-a3816b596"}
TITLES = {"v0.3": "v0.3", "main": "main (a3816b596)"}
CONFIG = re.compile(r"^\W*(runner|cluster|advantage|defaults):", re.MULTILINE)
FOLDERS = ("config", "math", "vqa")  # the others hold groups
HEAD = """\
# What `vlac check` finds in the configs that RLinf ships

<!-- Made by scripts/check_shipped_configs.py; edit there. -->

Every config of the examples of v0.3 and of main at a3816b596, held against the code of its own checkout.
An error is what a run dies of; a warning is a key that nothing reads, a name of another version, or a value that is
still to be written. Placeholders are meant: the configs are there to be filled in.
"""


@dataclass
class Findings:
    """What was found in the configs of one version."""

    configs: int = 0
    by_code: Counter[tuple[str, str]] = field(default_factory=Counter)
    configs_by_code: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    errors: defaultdict[str, list[Diagnostic]] = field(default_factory=lambda: defaultdict(list))
    dead: Counter[str] = field(default_factory=Counter)


def main() -> int:
    """Check, confirm, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--configs", type=Path, default=ROOT.parent / "shared" / "rlinf")
    parser.add_argument("--only", default="", metavar="TEXT", help="configs whose path holds this")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep what is found in each config")
    arguments = parser.parse_args()
    trees = {v: Path(os.environ.get("VLAC_TEST_RLINF", "")) / name for v, name in CHECKOUTS.items()}
    python = os.environ.get("VLAC_TEST_PYTHON", "")
    lacking = [str(tree) for tree in trees.values() if not (tree / "rlinf").is_dir()]
    if lacking or not python or not arguments.configs.is_dir():
        print(__doc__, f"not at hand: {', '.join(lacking) or 'configs or interpreter'}", file=sys.stderr)
        return 2
    kept = Kept(arguments.keep)
    found = {
        version: check_all(arguments.configs / version / "configs", tree, arguments.only, kept)
        for version, tree in trees.items()
    }
    outcomes = dict(confirm_all(arguments.configs, trees, python))
    print("\n".join([HEAD, *kinds(found), *errors(found, outcomes), *dead(found), *confirmed(outcomes)]))
    return 0


def check_all(folder: Path, tree: Path, only: str, kept: Kept) -> Findings:
    """Check the configs of a version against its checkout."""
    found = Findings()
    for file in sorted((folder / "examples").rglob("config/**/*.yaml")):
        name = file.relative_to(folder).as_posix()
        is_config = file.parent.name in FOLDERS and CONFIG.search(file.read_text(encoding="utf-8"))
        if only in name and is_config:
            print(name, file=sys.stderr, flush=True)
            found.configs += 1
            note(found, name.removesuffix(".yaml"), kept.checked(file, tree))
    return found


class Kept:
    """What was found in each config, as a line of JSON a config, so that an interrupted run can go on."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file and file.is_file() else []
        self._found = dict(json.loads(line) for line in lines)

    def checked(self, file: Path, tree: Path) -> tuple[Diagnostic, ...]:
        """The diagnostics of a config, without their places."""
        if str(file) not in self._found:
            found = [(one.code, one.message, one.severity) for one in check_file(file, tree=tree).diagnostics]
            self._found[str(file)] = found
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps([str(file), found]) + "\n")
        return tuple(Diagnostic(*row) for row in self._found[str(file)])


def note(found: Findings, name: str, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Count what was found in one config."""
    for diagnostic in diagnostics:
        found.by_code[diagnostic.severity, diagnostic.code] += 1
        found.configs_by_code[diagnostic.code].add(name)
        if diagnostic.is_error:
            found.errors[name].append(diagnostic)
        if diagnostic.code == "check-key-dead":
            found.dead[diagnostic.message.split("`")[1]] += 1


def confirm_all(folder: Path, trees: Mapping[str, Path], python: str) -> Iterator[tuple[Case, str]]:
    """What RLinf's code does with each case."""
    for case in CASES:
        config = composed(folder / case.version / "configs", case)
        with tempfile.TemporaryDirectory() as work:
            path = Path(work) / "config.json"
            path.write_text(json.dumps(config), encoding="utf-8")
            print(case.id, file=sys.stderr, flush=True)
            yield case, confirm(python, case.confirm, path, trees[case.version])


def kinds(found: Mapping[str, Findings]) -> Iterator[str]:
    """The table of kinds."""
    yield "## Kinds of findings\n"
    total = ", ".join(f"{one.configs} of {TITLES[version]}" for version, one in found.items())
    yield f"Configs: {total}. Each cell: findings, and in how many configs.\n"
    yield f"| severity | code | {' | '.join(TITLES[version] for version in found)} |"
    yield f"|---|---|{'---|' * len(found)}"
    for severity, code in sorted({pair for one in found.values() for pair in one.by_code}):
        cells = (
            f"{one.by_code[severity, code]} in {len(one.configs_by_code[code])}" for one in found.values()
        )
        yield f"| {severity} | `{code}` | {' | '.join(cells)} |"


def errors(found: Mapping[str, Findings], outcomes: Mapping[Case, str]) -> Iterator[str]:
    """Each config with errors, and what RLinf's own code does with it."""
    shipped = by_config()
    yield "\n## Configs with errors\n\nThe last column is what RLinf's own code ended with, run on the config.\n"
    yield "| version | config | what is wrong | RLinf |\n|---|---|---|---|"
    for version, one in found.items():
        for name, diagnostics in sorted(one.errors.items()):
            said = "<br>".join(f"`{d.code}` {cell(d.message)}" for d in diagnostics)
            cases = [shipped.get((d.code, version, name)) for d in diagnostics]
            ends = dict.fromkeys(cell(outcomes[case]) for case in cases if case)
            if (version, name) == UNCOMPOSED:
                ends = dict.fromkeys(["`MissingConfigException` of Hydra"])
            config, end = name.removeprefix("examples/"), "<br>".join(ends) or "**not confirmed**"
            yield f"| {version} | {config} | {said} | {end} |"


def dead(found: Mapping[str, Findings]) -> Iterator[str]:
    """The dead keys and in how many configs they are set."""
    yield "\n## Dead keys\n\nSet by so many configs, read by nothing.\n"
    yield f"| key | {' | '.join(TITLES[version] for version in found)} |\n|---|{'---|' * len(found)}"
    names = {key for one in found.values() for key in one.dead}
    for key in sorted(names, key=lambda key: (-sum(one.dead[key] for one in found.values()), key)):
        yield f"| `{key}` | {' | '.join(str(one.dead[key] or '') for one in found.values())} |"


def confirmed(outcomes: Mapping[Case, str]) -> Iterator[str]:
    """Each kind with what RLinf's own code does."""
    yield "\n## Confirmed\n\nEach kind of finding, and what RLinf's own code made of a config that has it"
    yield "(`tests/real/confirm_findings.py`; rlinf 0.3.0, and main's checkout on its path).\n"
    yield "| code | version | config | change | RLinf |\n|---|---|---|---|---|"
    for case, outcome in outcomes.items():
        config = case.config.removeprefix("examples/")
        yield f"| `{case.code}` | {case.version} | {config} | {cell(case.described)} | {cell(outcome)} |"
    version, name = UNCOMPOSED
    config = name.removeprefix("examples/")
    yield f"| `check-not-composed` | {version} | {config} | as shipped | `MissingConfigException` of Hydra |"


def cell(text: str) -> str:
    """A text as the cell of a table, with the paths of this machine left out."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    raise SystemExit(main())
