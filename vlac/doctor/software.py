"""The software that trains: interpreter, transformers with openpi's files, tokenizer, network, wandb.

Sources: openpi 15a9616, pyproject.toml (transformers 4.53.2), models_pytorch/pi0_pytorch.py (its check of the replaced
files), models/tokenizer.py and shared/download.py (where the tokenizer lies); huggingface_hub documentation,
environment variables (HF_HUB_OFFLINE); wandb documentation, environment variables (WANDB_MODE, WANDB_API_KEY).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.doctor.finding import fail, ok, unchecked, warning
from vlac.doctor.places import home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vlac.doctor.finding import Finding
    from vlac.doctor.interpreter import Interpreter
    from vlac.doctor.subject import Subject

TRANSFORMERS = "4.53.2"
_LEAST_TOKENIZER = 1 << 20
"""Bytes: the file has some 4 MB; a page that says 401 has a few hundred."""
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
_ON = ("1", "ON", "YES", "TRUE")  # huggingface_hub, constants.py, ENV_VARS_TRUE_VALUES
_WANDB_QUIET = ("offline", "disabled", "dryrun")


def software(subject: Subject) -> Iterator[Finding]:
    """Everything about the software of a run."""
    interpreter = subject.interpreter
    if interpreter is None:
        fix = "name the interpreter that has RLinf with rlinf.python"
        yield fail("software", "doctor-python", f"{subject.launch.python} does not answer", fix)
    else:
        yield from _packages(subject, interpreter)
    if subject.is_openpi:
        yield from _tokenizer(subject)
    yield from _network(subject)
    yield from _wandb(subject)


def _packages(subject: Subject, interpreter: Interpreter) -> Iterator[Finding]:
    versions = interpreter.versions
    known = ", ".join(
        f"{name} {versions[name]}" for name in ("python", "rlinf", "torch", "ray") if name in versions
    )
    yield ok("software", f"{subject.launch.python}: {known}")
    needed = [name for name in ("torch", "ray") if name not in versions]
    if needed:
        fix = "install them there, or name another interpreter with rlinf.python"
        yield fail(
            "software", "doctor-python", f"{subject.launch.python} has no {' and no '.join(needed)}", fix
        )
    if subject.is_openpi:
        yield from _openpi(interpreter, versions)


def _openpi(interpreter: Interpreter, versions: dict[str, str]) -> Iterator[Finding]:
    if "openpi" not in versions and "rlinf-openpi" not in versions:
        fix = "bash requirements/install.sh embodied --model openpi --env libero, in the RLinf checkout"
        yield fail("software", "doctor-python", "openpi is not installed in the interpreter that trains", fix)
    version = versions.get("transformers")
    if version is None:
        yield fail("software", "doctor-transformers", "transformers is not installed", _copy())
    elif version != TRANSFORMERS:
        message = f"transformers is {version}; openpi's check passes with {TRANSFORMERS} alone"
        yield fail("software", "doctor-transformers", message, _copy())
    elif not interpreter.replaced:
        message = (
            "openpi's files do not lie over those of transformers: the model ends with `transformers_replace`"
        )
        yield fail("software", "doctor-transformers", message, _copy())
    else:
        yield ok("software", f"transformers {version} with openpi's files")


def _copy() -> str:
    site = "$(python -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')"
    return (
        f"pip install transformers=={TRANSFORMERS}, then with that python: "
        f"cp -r {site}/openpi/models_pytorch/transformers_replace/* {site}/transformers/"
    )


def tokenizer_file(subject: Subject) -> Path:
    """Where openpi looks for PaliGemma's tokenizer before it downloads it."""
    from pathlib import Path

    data_home = subject.variables.get("OPENPI_DATA_HOME")
    folder = Path(data_home) if data_home else home(subject.variables) / ".cache/openpi"
    return folder / "big_vision/paligemma_tokenizer.model"


def _tokenizer(subject: Subject) -> Iterator[Finding]:
    file = tokenizer_file(subject)
    fix = "put paligemma_tokenizer.model there, or write env: {OPENPI_DATA_HOME: the folder that holds big_vision/}"
    if not file.is_file():
        misplaced = file.parent.parent / file.name
        found = f"; {misplaced} is, one folder too high" if misplaced.is_file() else ""
        message = f"{file} is not there{found}: every rank would download it from gs://big_vision"
        cure = f"mkdir -p {file.parent} && cp {misplaced} {file}" if found else fix
        yield (fail if _is_offline(subject) else warning)("software", "doctor-tokenizer", message, cure)
    elif file.stat().st_size < _LEAST_TOKENIZER:
        message = f"{file} has {file.stat().st_size:,} bytes, too few for a tokenizer"
        yield fail("software", "doctor-tokenizer", message, "download it again")
    else:
        yield ok("software", f"tokenizer {file}")


def _is_offline(subject: Subject) -> bool:
    return subject.variables.get("HF_HUB_OFFLINE", "").upper() in _ON


def _network(subject: Subject) -> Iterator[Finding]:
    on = [name for name in _OFFLINE if subject.variables.get(name, "").upper() in _ON]
    remote = [
        place.written for place in subject.data if place.path is None and not place.written.startswith("$")
    ]
    if on and remote:
        message = f"{on[0]} is set, and {remote[0]} is not on this machine"
        fix = f"download it first, or unset {on[0]}"
        yield fail("software", "doctor-offline", message, fix)
    elif on:
        yield ok("software", f"offline: {', '.join(on)}")
    else:
        yield unchecked(
            "software",
            "whether the nodes reach huggingface.co: LeRobot may ask it even for local data",
            "without a network: env: {HF_HUB_OFFLINE: 1, HF_DATASETS_OFFLINE: 1, TRANSFORMERS_OFFLINE: 1}",
        )


def _wandb(subject: Subject) -> Iterator[Finding]:
    backends = subject.plan.get("logging.backends")
    if not isinstance(backends, (list, tuple)) or "wandb" not in backends:
        return
    mode = subject.variables.get("WANDB_MODE", "online")
    if mode in _WANDB_QUIET:
        yield ok("software", f"wandb: WANDB_MODE={mode}")
    elif subject.variables.get("WANDB_API_KEY") or _has_login(subject):
        yield ok("software", "wandb: online, with a key")
    else:
        fix = "env: {WANDB_MODE: offline}, or secrets: [WANDB_API_KEY] and export it"
        message = "wandb is online and there is no key: without a terminal it ends the run"
        yield fail("software", "doctor-wandb", message, fix)


def _has_login(subject: Subject) -> bool:
    """`wandb login` leaves the key in ~/.netrc; only the name of the host is looked at."""
    try:
        return "api.wandb.ai" in (home(subject.variables) / ".netrc").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
