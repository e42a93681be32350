"""The format of a data set against LeRobot and datasets of the interpreter that trains.

Sources: openpi 15a9616, pyproject.toml and uv.lock (lerobot 0cf8648, which is 0.1.0 and reads v2.1; datasets 3.6.0);
huggingface/lerobot 0.4, `lerobot/datasets/v30/convert_dataset_v21_to_v30.py`; for the other ways
https://github.com/Tavish9/any4lerobot, ds_version_convert.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.doctor.finding import fail, ok, unchecked, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.doctor.dataset import Dataset
    from vlac.doctor.finding import Finding
    from vlac.doctor.interpreter import Interpreter
    from vlac.doctor.subject import Subject

KNOWN = ("v2.0", "v2.1", "v3.0")
_LAST_V2 = 4  # of `0.N`: LeRobot 0.4 is the first that reads v3.0 only
_CONVERTERS = "https://github.com/Tavish9/any4lerobot/tree/main/ds_version_convert"


def format_fits(subject: Subject, found: Dataset) -> Iterator[Finding]:
    """The version of the format, and whether the LeRobot that trains reads it."""
    if found.version not in KNOWN:
        message = f"meta/info.json says codebase_version {found.version or 'nothing'}: vlac knows {', '.join(KNOWN)}"
        yield fail("data", "doctor-data-format", message, _convert(found, "v2.1"))
        return
    yield ok("data", f"LeRobot {found.version} at {found.root}")
    interpreter = subject.interpreter
    if interpreter is None or not subject.is_openpi:
        return
    yield from _lerobot(interpreter, found)


def _lerobot(interpreter: Interpreter, found: Dataset) -> Iterator[Finding]:
    version = interpreter.versions.get("lerobot")
    if version is None:
        yield unchecked("data", "LeRobot is not installed in the interpreter that trains")
        return
    reads = interpreter.lerobot_format or ("v2.1" if _is_old(version) else "v3.0")
    if reads == found.version:
        yield ok("data", f"lerobot {version} reads {reads}")
    elif found.version == "v2.0" and reads == "v2.1":
        message = (
            f"the data set is v2.0; lerobot {version} reads it, but its statistics by episode are missing"
        )
        yield warning("data", "doctor-data-format", message, _convert(found, reads))
    else:
        message = f"the data set is {found.version}, and lerobot {version} reads {reads}"
        yield fail("data", "doctor-data-format", message, _convert(found, reads))
    yield from _datasets(interpreter, reads)


def _datasets(interpreter: Interpreter, reads: str) -> Iterator[Finding]:
    version = interpreter.versions.get("datasets")
    if version is None:
        return
    if reads.startswith("v2") and not version.startswith(("0.", "1.", "2.", "3.")):
        message = f"datasets {version} returns columns that a LeRobot of {reads} cannot stack"
        yield fail("data", "doctor-data-format", message, "pip install 'datasets<4'")
    else:
        yield ok("data", f"datasets {version} goes with it")


def _is_old(version: str) -> bool:
    major, _, rest = version.partition(".")
    minor = rest.partition(".")[0]
    return major == "0" and minor.isdecimal() and int(minor) < _LAST_V2


def _convert(found: Dataset, to: str) -> str:
    """The command that brings a data set into the format `to`.

    LeRobot's converter adds the repo id to `--root`, and would upload the result unless it is told not to.
    """
    name = f"{found.root.parent.name}/{found.root.name}"
    if found.version == "v2.1" and to == "v3.0":
        above = found.root.parent.parent
        command = "python -m lerobot.datasets.v30.convert_dataset_v21_to_v30"
        return f"{command} --repo-id={name} --root={above} --push-to-hub=false (of lerobot 0.4)"
    script = {("v3.0", "v2.1"): "v30_to_v21", ("v2.0", "v2.1"): "v20_to_v21"}.get((found.version, to))
    if script:
        command = f"python convert_dataset_{script}.py --repo-id={name} --root={found.root}"
        return f"{command} ({_CONVERTERS}/{script})"
    return f"convert it to {to}, one version after the other: {_CONVERTERS}"
