"""`vlac init`: a commented spec to start from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import file_path

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

_SCHEMA_LINE = "# yaml-language-server: $schema=./spec-v1.schema.json\n"
_DEFAULT_FILE = "spec.yaml"

_PI05 = """\
# A run of vlac. What is left out has a default: `vlac plan {file}` shows every value and where it is from.
# The line above gives completion in editors, once `vlac schema > spec-v1.schema.json` has run in this folder.
vlac: 1
name: pi05-libero

# The RLinf that trains. Without `path`, the installed package.
rlinf:
  path: /workspace/RLinf
  version: "0.3"

model:
  family: pi05              # or pi0
  weights: /data/pi05_base  # the folder of the weights to start from
  tune: full                # or expert, lora

data:
  path: /data/libero        # a LeRobot data set
  config: pi05_libero       # openpi's name for how the data set is read

# Where it runs. Changing this section moves the same run to other hardware.
hardware:
  backend: {backend}
{device}  cards: 8                  # per node

train:
  steps: 30000              # optimizer steps
  micro_batch: 4            # samples a rank
  global_batch: 128         # samples an optimizer step, over all ranks
  lr: 2.5e-5
  warmup_steps: 1000

checkpoints:
  every: 2000               # steps

# secrets: [WANDB_API_KEY]  # names that the shell must set, never values
"""

_DEMO = """\
# A run of vlac on a machine without accelerators: a small model of its own, trained by the real RLinf.
# What is left out has a default: `vlac plan {file}` shows every value and where it is from.
# The line above gives completion in editors, once `vlac schema > spec-v1.schema.json` has run in this folder.
vlac: 1
name: first-run

# The RLinf that trains. Without `path`, the installed package.
rlinf:
  version: "0.3"

model:
  family: demo              # pi0 and pi05 also need `weights` and a `data` section

# Where it runs. Changing this section moves the same run to other hardware.
hardware:
  backend: {backend}
{device}  cards: 4                  # processes

train:
  steps: 36                 # optimizer steps
  micro_batch: 2            # samples a rank
  global_batch: 32          # samples an optimizer step, over all ranks
  lr: 3.0e-3
  warmup_steps: 4
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("init", help="write a commented spec to start from")
    parser.add_argument(
        "--backend", default="cpu", metavar="B[:DEVICE]", help="the hardware, as ascend:910B3 (default: cpu)"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=file_path,
        default=_DEFAULT_FILE,
        metavar="FILE",
        help="default: spec.yaml; - prints",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the spec; an existing file is never overwritten."""
    backend, _, device = args.backend.partition(":")
    path: Path = args.output
    text = starting_spec(backend, device or None, file=_DEFAULT_FILE if str(path) == "-" else str(path))
    if str(path) == "-":
        sys.stdout.write(text)
        return 0
    _write_new(path, text)
    sys.stderr.write(f"wrote {path}; next: vlac plan {path}\n")
    return 0


def starting_spec(backend: str, device: str | None = None, *, file: str = "spec.yaml") -> str:
    """A commented spec for a backend, which compiles. `device` is the first of the adapter's table by default.

    Raises UsageError where no such backend is installed.
    """
    from vlac import adapter_registry
    from vlac.errors import UsageError

    try:
        adapter = adapter_registry.find(backend)
    except KeyError:
        names = ", ".join(adapter_registry.names())
        raise UsageError(f"no backend {backend!r} is installed", f"installed: {names}") from None
    known = [row.name for row in adapter.devices]
    if device is not None and device not in known:
        raise UsageError(
            f"backend {backend} knows no device {device!r}", f"known: {', '.join(known) or 'none'}"
        )
    chosen = device or (known[0] if known else None)
    line = (
        f"  device: {chosen}{' ' * max(1, 18 - len(chosen))}# or {_others(known, chosen)}\n" if chosen else ""
    )
    body = _DEMO if adapter.placement == "processes" else _PI05
    return _SCHEMA_LINE + body.format(file=file, backend=backend, device=line)


def _others(known: list[str], chosen: str) -> str:
    return ", ".join(name for name in known if name != chosen) or "another, once the adapter knows it"


def _write_new(path: Path, text: str) -> None:
    from vlac.errors import RefusedError

    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise RefusedError(f"{path} exists already", "name another file with -o") from None
    except OSError as error:
        raise RefusedError(
            f"{path} cannot be written: {error.strerror}", "name another file with -o"
        ) from None
