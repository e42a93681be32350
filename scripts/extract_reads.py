"""List the configuration keys that the openpi SFT path of an RLinf checkout reads.

    python scripts/extract_reads.py NAME=CHECKOUT ... > vlac/rlinf/known_reads.json

NAME is a version as specs write it (`0.3=../RLinf`). This is a static scan of names, not of data flow:
`cfg.optim.lr` and `cfg["lr"]` read the name `lr` strictly (a missing key is fatal), `.get("lr")`, `getattr`,
`hasattr` and `"lr" in cfg` leniently. Only what goes through something called cfg or config counts as strict.
A name that any other object is asked for in these words counts as read too, so that "nothing reads it" errs
to the safe side. Strict reads are listed for the keys that the checkout's openpi SFT configs set.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# What an openpi SFT run imports or starts. Folders are read with everything below them.
PATHS = (
    "examples/sft/train_vla_sft.py",
    "rlinf/config.py",
    "rlinf/data/datasets/openpi_rlinf/__init__.py",
    "rlinf/data/datasets/openpi_rlinf/official_sft_data_loader.py",
    "rlinf/data/lerobot_paths.py",
    "rlinf/data/utils.py",
    "rlinf/hybrid_engines/fsdp",
    "rlinf/models/__init__.py",
    "rlinf/models/embodiment/openpi",
    "rlinf/runners/sft_runner.py",
    "rlinf/scheduler",
    "rlinf/utils",
    "rlinf/workers/sft/fsdp_sft_worker.py",
    "rlinf/workers/sft/fsdp_vla_sft_worker.py",
    "rlinf/workers/sft/utils.py",
)
# Tools that live beside it and no training runs.
LEFT_OUT = ("rlinf/utils/ckpt_convertor",)
CONFIGS = "examples/sft/config"
CONFIG_NAMES = ("*openpi*.yaml", "pi0*.yaml", "fsdp.yaml")
SCALAR_KEY = re.compile(r"^\s*(\w+):[ \t]+[^\s#]", re.MULTILINE)
CONFIG_NAME = re.compile(r"(^|_)(cfg|config)$")
LENIENT_CALLS = frozenset({"getattr", "hasattr"})
LENIENT_METHODS = frozenset({"get", "pop", "setdefault"})


def main(arguments: list[str]) -> int:
    """Print the reads of every NAME=CHECKOUT as JSON."""
    versions = dict(argument.split("=", 1) for argument in arguments)
    if not versions:
        print(__doc__, file=sys.stderr)
        return 2
    reads = {name: scan(Path(folder)) for name, folder in versions.items()}
    print(json.dumps(reads, indent=0, sort_keys=True))
    return 0


def scan(tree: Path) -> dict[str, object]:
    """Strict reads with their places, every name that is read at all, and the packages that are imported."""
    strict: dict[str, set[str]] = {}
    names: set[str] = set()
    imports: set[str] = set()
    set_keys = keys_of_configs(tree)
    for file in python_files(tree):
        module = ast.parse(file.read_text(encoding="utf-8"))
        imports.update(imports_of(module))
        for name, line in reads_of(module):
            names.add(name)
            if line and name in set_keys:
                strict.setdefault(name, set()).add(f"{file.relative_to(tree).as_posix()}:{line}")
    return {
        "commit": commit_of(tree),
        "paths": [path for path in PATHS if (tree / path).exists()],
        "names": " ".join(sorted(names)),
        "imports": " ".join(sorted(imports - sys.stdlib_module_names)),
        "strict": {name: sorted(places, key=by_line) for name, places in sorted(strict.items())},
    }


def python_files(tree: Path) -> Iterator[Path]:
    """The Python files of the SFT path that this checkout has."""
    for path in PATHS:
        root = tree / path
        for file in sorted(root.rglob("*.py")) if root.is_dir() else [root] * root.exists():
            if not file.relative_to(tree).as_posix().startswith(LEFT_OUT):
                yield file


def keys_of_configs(tree: Path) -> set[str]:
    """The keys that the openpi SFT configs and their templates give a value."""
    folders = [tree / CONFIGS, *tree.glob("examples/*/config/hybrid_engines")]
    files = (file for folder in folders for name in CONFIG_NAMES for file in folder.rglob(name))
    return {key for file in files for key in SCALAR_KEY.findall(file.read_text(encoding="utf-8"))}


def imports_of(module: ast.Module) -> Iterator[str]:
    """The packages that a module imports anywhere in its text."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def reads_of(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Names that are read; the line of a strict read, 0 for a lenient one."""
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and is_config(node.value):
            yield node.attr, node.lineno
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            line = node.lineno if is_config(node.value) else 0
            yield from ((name, line) for name in constants([node.slice]))
        elif isinstance(node, ast.Call):
            yield from ((name, 0) for name in constants(lenient_arguments(node)))
        elif isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            yield from ((name, 0) for name in constants([node.left]))


def lenient_arguments(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call that may name a key without demanding it."""
    if isinstance(call.func, ast.Name) and call.func.id in LENIENT_CALLS:
        return call.args[1:2]
    if not isinstance(call.func, ast.Attribute):
        return []
    if call.func.attr == "select":  # OmegaConf.select(cfg, "a.b")
        return call.args[1:2]
    return call.args[:1] if call.func.attr in LENIENT_METHODS else []


def constants(nodes: list[ast.expr]) -> Iterator[str]:
    """The keys that constant strings name; `a.b` names both."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (part for part in node.value.split(".") if part.isidentifier())


def is_config(node: ast.expr) -> bool:
    """Whether an expression goes through something called cfg or config."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and CONFIG_NAME.search(node.attr):
            return True
        node = node.value
    return isinstance(node, ast.Name) and bool(CONFIG_NAME.search(node.id))


def by_line(place: str) -> tuple[str, int]:
    """Sort key of a place."""
    file, line = place.rsplit(":", 1)
    return file, int(line)


def commit_of(tree: Path) -> str:
    """The commit of a checkout."""
    command = ["git", "-C", str(tree), "rev-parse", "--short=9", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
