"""Which CANN, torch, torch_npu and Python go together, and how torch_npu gets into every process.

torch_npu is published per torch version with post releases; its plugin releases (7.3.0, 26.0.0) run across them and are
what its documentation counts in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from vlac.adapters import Component, Injection, Objection, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.adapters import Setup

_SOURCE = "Ascend/pytorch 9e73e708a, COMPATIBILITY.en.md and README.md"
Version = tuple[int, ...]


class Row(NamedTuple):
    """A CANN with the plugin release of torch_npu that is built for it, and the packages of that release."""

    cann: str
    release: str
    packages: tuple[str, ...]


_ROWS = (
    Row("8.0.0", "6.0.0", ("2.4.0.post2", "2.3.1.post4", "2.1.0.post10")),
    Row("8.1.RC1", "7.0.0", ("2.5.1", "2.4.0.post4", "2.3.1.post6", "2.1.0.post12")),
    Row("8.2.RC1", "7.1.0", ("2.6.0", "2.5.1.post1", "2.1.0.post13")),
    Row("8.3.RC1", "7.2.0", ("2.8.0", "2.7.1", "2.6.0.post3", "2.1.0.post17")),
    Row("8.5.0", "7.3.0", ("2.9.0", "2.8.0.post2", "2.7.1.post2", "2.6.0.post5")),
    Row("9.0.0", "26.0.0", ("2.10.0", "2.9.0.post2", "2.8.0.post4", "2.7.1.post4")),
    Row("9.1.0", "26.1.0", ("2.12.0", "2.11.0", "2.10.0.post4", "2.9.0.post6", "2.7.1.post8")),
)
_PYTHON = {  # torch: the first and the last minor version of Python 3
    "2.1": (8, 11),
    "2.3": (8, 11),
    "2.4": (8, 11),
    "2.5": (9, 11),
    "2.6": (9, 11),
    "2.7": (9, 13),
    "2.8": (9, 13),
    "2.9": (10, 13),
    "2.10": (10, 13),
    "2.11": (10, 14),
    "2.12": (10, 14),
    "2.13": (10, 14),
}
_KNOWS_THE_VARIABLE = (26, 0, 0)  # TORCH_TRANSFER_TO_NPU
_AUTOCAST = "2.6.0.post3"


def numbers(version: str) -> Version:
    """The numbers of a version, to compare: `2.7.1.post2` is (2, 7, 1, 2), `8.3.RC1` is (8, 3, -1, 1).

    A release candidate is lower than the release: 8.3.RC1 < 8.3.RC2 < 8.3.0.
    """
    plain = version.partition("+")[0].upper().replace("POST", "")
    return tuple(part for word in plain.split(".") for part in _word(word))


def _word(word: str) -> Version:
    candidate = re.fullmatch(r"RC(\d*)", word)
    if candidate:
        return (-1, int(candidate[1] or 0))
    digits = re.match(r"\d+", word)
    return (int(digits[0]),) if digits else ()


def series(version: str) -> str:
    """The first two numbers of a version: `2.7.1.post2` is `2.7`."""
    return ".".join(version.partition("+")[0].split(".")[:2])


def release(torch_npu: str) -> Version:
    """The least plugin release that a torch_npu package can be of; (0,) for one older than the table.

    A post release between two of the table is of the lower one's release or a later one.
    """
    wanted = numbers(torch_npu)
    same = [
        (numbers(package), numbers(row.release))
        for row in _ROWS
        for package in row.packages
        if numbers(package)[:3] == wanted[:3] and numbers(package) <= wanted
    ]
    if same:
        return max(same)[1]
    newest = max(numbers(package)[:3] for row in _ROWS for package in row.packages)
    return numbers(_ROWS[-1].release) if wanted[:3] > newest else (0,)


def older_than(stack: Mapping[str, str], component: str, version: str) -> bool:
    """Whether the stack is known to be older than a version; a torch_npu counts in plugin releases."""
    written = stack.get(component)
    if written is None:
        return False
    have = release(written) if component == "torch_npu" else numbers(written)
    return have < numbers(version)


def _is_equal(written: str, row: str) -> bool:
    return written.partition("+")[0] == row


def _is_of_series(written: str, row: str) -> bool:
    """Whether both begin with the same two numbers: the table names the first release of a series."""
    return series(written) == series(row)


def _row(row: Row, package: str) -> dict[str, str]:
    torch = package.partition(".post")[0]
    first, last = _PYTHON[series(torch)]
    return {"cann": row.cann, "torch": torch, "torch_npu": package, "python": f"3.{first} to 3.{last}"}


def _is_within(written: str, row: str) -> bool:
    first, _, last = row.partition(" to ")
    return numbers(first) <= numbers(series(written)) <= numbers(last)


def _packages_must_agree(setup: Setup) -> Iterator[Objection]:
    """torch_npu X.Y.Z is built against torch X.Y.Z and loads with no other."""
    stack = setup.stack
    torch, plugin = stack.get("torch"), stack.get("torch_npu")
    if torch and plugin and numbers(torch)[:3] != numbers(plugin)[:3]:
        fitting = ".".join(plugin.split(".")[:3])
        message = f"torch_npu {plugin} is built against torch {fitting} and does not load with torch {torch}"
        yield Objection(("torch", "torch_npu"), message, f"write torch: {fitting}")


def _torch_without_cuda(setup: Setup) -> Iterator[Objection]:
    """A torch that is built for CUDA and torch_npu refuse each other (ERR00007)."""
    torch = setup.stack.get("torch", "")
    if re.search(r"\+cu\d", torch):
        message = (
            f"torch {torch} is built for CUDA: torch_npu ends with ERR00007, two accelerators in one torch"
        )
        plain = torch.partition("+")[0]
        yield Objection(("torch",), message, f"install the CPU build of torch {plain}")


def _python_has_wheels(setup: Setup) -> Iterator[Objection]:
    """Each torch_npu is published for some versions of Python."""
    stack = setup.stack
    python, package = stack.get("python"), stack.get("torch_npu") or stack.get("torch")
    limits = _PYTHON.get(series(package)) if package else None
    if python is None or limits is None:
        return
    have = numbers(python)
    if have[:1] != (3,) or not limits[0] <= (*have, 0)[1] <= limits[1]:
        message = f"torch_npu of torch {series(package or '')} is not published for Python {python}"
        yield Objection(("python",), message, f"take Python 3.{limits[0]} to 3.{limits[1]}")


def _autocast_is_switched(setup: Setup) -> Iterator[Objection]:
    """transfer_to_npu before torch_npu 2.6.0.post3 leaves RLinf's autocast off."""
    plugin = setup.stack.get("torch_npu")
    if plugin and numbers(plugin) < numbers(_AUTOCAST):
        message = (
            f"transfer_to_npu of torch_npu {plugin} does not switch torch.amp.autocast: RLinf's "
            "autocast(device_type='cuda') stays off, and only a line in the log says so"
        )
        yield Objection(("torch_npu",), message, f"take torch_npu {_AUTOCAST} or later", "warning")


STACK = Stack(
    components=(
        Component("cann", "CANN, as its install.info says: 8.3.RC2", _is_of_series),
        Component("torch", "PyTorch", _is_equal),
        Component("torch_npu", "the plugin for PyTorch: 2.7.1.post2", _is_equal),
        Component("python", "Python of driver and workers", _is_within),
    ),
    rows=tuple(_row(row, package) for row in _ROWS for package in row.packages),
    source=_SOURCE,
    rules=(_packages_must_agree, _torch_without_cuda, _python_has_wheels, _autocast_is_switched),
)


def _reads_the_variable(stack: Mapping[str, str]) -> bool:
    return "torch_npu" in stack and release(stack["torch_npu"]) >= _KNOWS_THE_VARIABLE


def _needs_the_hook(stack: Mapping[str, str]) -> bool:
    return "torch_npu" in stack


INJECTIONS = (
    Injection(
        "variable",
        "this torch_npu runs transfer_to_npu itself at the end of `import torch`, asked by TORCH_TRANSFER_TO_NPU=1",
        "torch_npu documentation, TORCH_TRANSFER_TO_NPU (26.0.0: 2.7.1.post4, 2.8.0.post4, 2.9.0.post2, 2.10.0)",
        _reads_the_variable,
        without=("sitecustomize.py",),
    ),
    Injection(
        "import hook",
        "this torch_npu does not read TORCH_TRANSFER_TO_NPU: sitecustomize.py in bootstrap/ runs transfer_to_npu at "
        "the end of `import torch`",
        "Python documentation, site, sitecustomize",
        _needs_the_hook,
        without=("TORCH_TRANSFER_TO_NPU",),
    ),
    Injection(
        "variable and import hook",
        "hardware.stack names no torch_npu: the variable for those that read it, the import hook for all others; with "
        "both, transfer_to_npu runs once",
        "torch_npu documentation, TORCH_TRANSFER_TO_NPU; Python documentation, site, sitecustomize",
        lambda _: True,
    ),
)
"""Ways in which transfer_to_npu gets into every process; the worker hook then ends a worker where it is not active."""
