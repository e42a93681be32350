"""What cannot work, or does nothing, in the environment of an Ascend run. Single values are in `variables`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.adapters import Objection
from vlac_ascend.stack import numbers, older_than
from vlac_ascend.variables import BY_NAME, VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.adapters import Rule, Setup

_DEVICES = "ASCEND_RT_VISIBLE_DEVICES"
_EXEC, _EVENT = "HCCL_EXEC_TIMEOUT", "HCCL_EVENT_TIMEOUT"
_PORTS, _BASE_PORT = "HCCL_HOST_SOCKET_PORT_RANGE", "HCCL_IF_BASE_PORT"
_ALLOCATOR, _ANY_ALLOCATOR, _CUDA_ALLOCATOR = (
    "PYTORCH_NPU_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
)
_HIGHEST_PORT = 65535
_RESERVED_PORTS = 32


def _text(setup: Setup, name: str) -> str | None:
    """The value of a variable that takes it; None where it is not set, unknown, or wrong in itself."""
    value = setup.variables.get(name)
    takes = BY_NAME[name].takes
    return value if value is not None and (takes is None or takes.holds(value)) else None


def _number(setup: Setup, name: str) -> int | None:
    """The number that holds for a variable: the value, or the default where nobody sets it; None where unknown."""
    if name in setup.variables:
        text = _text(setup, name)
        return int(text) if text is not None else None
    default = BY_NAME[name].default
    return int(default) if default is not None else None


def visible_devices(setup: Setup) -> Iterator[Objection]:
    """ASCEND_RT_VISIBLE_DEVICES ascends from 0 and has a device for each rank; on a 910C, both dies of each card."""
    text = _text(setup, _DEVICES)
    if text == "":
        yield Objection((_DEVICES,), f"{_DEVICES} is empty, which hides all devices", "leave it out")
    if not text:
        return
    ids = [int(word) for word in text.split(",")]
    per_card = setup.device.ranks_per_card if setup.device else 1
    ranks = setup.cards * per_card
    wanted = ",".join(map(str, range(ranks)))
    if ids != sorted(set(ids)):
        message = f"{_DEVICES}={text} does not ascend: torch_npu then sees no device at all"
    elif ids != list(range(len(ids))):
        message = (
            f"{_DEVICES}={text} does not choose these cards: RLinf counts from 0 and sets the variable anew in each "
            "worker, so that the ranks land on the first cards"
        )
    elif len(ids) % per_card:
        message = f"{_DEVICES}={text} splits a card: each holds {per_card} devices"
    elif len(ids) < ranks:
        message = f"{_DEVICES}={text} shows {len(ids)} devices, and this run places {ranks} ranks on a node"
    else:
        return
    yield Objection(
        (_DEVICES,),
        message,
        f"leave it out, or write {wanted}; to take other cards, give the container only those",
    )


def docker_devices(setup: Setup) -> Iterator[Objection]:
    """ASCEND_VISIBLE_DEVICES is for the Ascend Docker Runtime and does nothing in a container."""
    if setup.variables.get("ASCEND_VISIBLE_DEVICES"):
        message = "ASCEND_VISIBLE_DEVICES is read by the Ascend Docker Runtime when a container starts, not by the run"
        instead = "leave it out; `docker run --runtime=ascend -e ASCEND_VISIBLE_DEVICES=0-7` chooses cards"
        yield Objection(("ASCEND_VISIBLE_DEVICES",), message, instead, "warning")


def event_timeout(setup: Setup) -> Iterator[Objection]:
    """HCCL_EVENT_TIMEOUT is longer than HCCL_EXEC_TIMEOUT; 0 is for ever."""
    execution, event = _number(setup, _EXEC), _number(setup, _EVENT)
    if not {_EXEC, _EVENT} & set(setup.variables) or execution is None or event in (None, 0):
        return
    if execution == 0 or event <= execution:
        longer = "0" if execution == 0 else str(execution + 60)
        message = (
            f"{_EVENT} is {event} not longer than {_EXEC} ({execution or 'for ever'}): the event ends first"
        )
        yield Objection((_EXEC, _EVENT), message, f"write {_EVENT}: {longer}")


def base_port(setup: Setup) -> Iterator[Objection]:
    """HCCL_IF_BASE_PORT leaves room for 32 ports, and is not read beside HCCL_HOST_SOCKET_PORT_RANGE."""
    text = _text(setup, _BASE_PORT)
    if text is None:
        return
    if setup.variables.get(_PORTS):
        message = f"{_BASE_PORT} has no effect: {_PORTS}={setup.variables[_PORTS]} wins over it"
        yield Objection(
            (_BASE_PORT,), message, f"write {_PORTS}: {text}-{int(text) + _RESERVED_PORTS - 1}", "warning"
        )
    elif int(text) + _RESERVED_PORTS > _HIGHEST_PORT:
        message = (
            f"{_BASE_PORT}={text} leaves no room for the {_RESERVED_PORTS} ports that HCCL takes from there"
        )
        yield Objection((_BASE_PORT,), message, f"write at most {_HIGHEST_PORT - _RESERVED_PORTS}")


def expansion_mode(setup: Setup) -> Iterator[Objection]:
    """HCCL_OP_EXPANSION_MODE=AIV is for inference; a mode that the device does not have does nothing."""
    name = "HCCL_OP_EXPANSION_MODE"
    mode = _text(setup, name)
    if mode == "AIV":
        message = (
            f"{name}=AIV serves one group of ranks; training has several, which then hang or give wrong sums"
        )
        yield Objection((name,), message, "leave it out")
    elif mode is not None and setup.device is not None:
        is_a3 = setup.device.ranks_per_card > 1
        if is_a3 != (mode == "AI_CPU"):
            message = f"{name}={mode} has no effect on a {setup.device.name}, which does not have this mode"
            yield Objection((name,), message, "leave it out", "warning")


def allocator_options(setup: Setup) -> Iterator[Objection]:
    """In PYTORCH_NPU_ALLOC_CONF, expandable_segments excludes two options and page_size all others."""
    text = _text(setup, _ALLOCATOR)
    if text is None:
        return
    options = dict(part.split(":", 1) for part in text.split(",") if ":" in part)
    grows = options.get("expandable_segments", "False").lower() == "true"
    excluded = [name for name in ("max_split_size_mb", "garbage_collection_threshold") if name in options]
    if grows and excluded:
        message = f"{_ALLOCATOR}: expandable_segments:True excludes {' and '.join(excluded)}, torch_npu refuses both"
        yield Objection((_ALLOCATOR,), message, f"write {_ALLOCATOR}: expandable_segments:True")
    elif "page_size" in options and len(options) > 1:
        message = f"{_ALLOCATOR}: page_size goes with no other option"
        yield Objection((_ALLOCATOR,), message, f"write {_ALLOCATOR}: page_size:1g")


def two_allocators(setup: Setup) -> Iterator[Objection]:
    """PYTORCH_ALLOC_CONF beside PYTORCH_NPU_ALLOC_CONF ends torch_npu from 26.2 on, and does nothing before."""
    if not setup.variables.get(_ANY_ALLOCATOR):
        return
    stack = setup.stack
    package = stack.get("torch_npu") or stack.get("torch")
    if package and numbers(package) < (2, 10):
        message = f"{_ANY_ALLOCATOR} has no effect: torch_npu of torch {package} reads {_ALLOCATOR} alone"
        yield Objection((_ANY_ALLOCATOR,), message, f"write {_ALLOCATOR}", "warning")
    elif setup.variables.get(_ALLOCATOR):
        message = f"{_ANY_ALLOCATOR} and {_ALLOCATOR} are both set, with which torch_npu from 26.2 on ends"
        yield Objection(
            (_ANY_ALLOCATOR, _ALLOCATOR), message, f"write {_ALLOCATOR} alone, or {_ALLOCATOR}: null as well"
        )


def cuda_allocator(setup: Setup) -> Iterator[Objection]:
    """PYTORCH_CUDA_ALLOC_CONF does nothing on an NPU."""
    if setup.variables.get(_CUDA_ALLOCATOR):
        message = f"{_CUDA_ALLOCATOR} has no effect: the allocator of the NPU does not read it"
        yield Objection((_CUDA_ALLOCATOR,), message, f"write {_ALLOCATOR}", "warning")


def launch_blocking(setup: Setup) -> Iterator[Objection]:
    """ASCEND_LAUNCH_BLOCKING=1 is slow, and level 2 of TASK_QUEUE_ENABLE does nothing beside it."""
    if _text(setup, "ASCEND_LAUNCH_BLOCKING") != "1":
        return
    level = _text(setup, "TASK_QUEUE_ENABLE")
    message = "ASCEND_LAUNCH_BLOCKING=1 waits for every kernel"
    if level == "2":
        message += ", and TASK_QUEUE_ENABLE=2 has no effect beside it"
    else:
        message += ": the training becomes much slower"
    yield Objection(
        ("ASCEND_LAUNCH_BLOCKING", "TASK_QUEUE_ENABLE"),
        message,
        "leave it out, except to find an error",
        "warning",
    )


def rank_table(setup: Setup) -> Iterator[Objection]:
    """RANK_TABLE_FILE fixes the ranks of another launcher."""
    if setup.variables.get("RANK_TABLE_FILE"):
        message = "RANK_TABLE_FILE gives the ranks the numbers of another launcher's table; RLinf numbers them itself"
        yield Objection(("RANK_TABLE_FILE",), message, "leave it out")


def links(setup: Setup) -> Iterator[Objection]:
    """HCCL_INTRA_ROCE_ENABLE and HCCL_INTRA_PCIE_ENABLE exclude each other."""
    names = ("HCCL_INTRA_ROCE_ENABLE", "HCCL_INTRA_PCIE_ENABLE")
    if all(_text(setup, name) == "1" for name in names):
        yield Objection(names, f"{names[0]} and {names[1]} are both 1, which HCCL refuses", "one of them 0")


def whitelist(setup: Setup) -> Iterator[Objection]:
    """HCCL_WHITELIST_DISABLE=0 needs HCCL_WHITELIST_FILE."""
    if _text(setup, "HCCL_WHITELIST_DISABLE") == "0" and not setup.variables.get("HCCL_WHITELIST_FILE"):
        message = (
            "HCCL_WHITELIST_DISABLE=0 makes HCCL ask for a list of peers, and HCCL_WHITELIST_FILE names none"
        )
        yield Objection(("HCCL_WHITELIST_DISABLE",), message, "write HCCL_WHITELIST_DISABLE: 1")


def error_handling(setup: Setup) -> Iterator[Objection]:
    """TORCH_HCCL_ASYNC_ERROR_HANDLING=0 turns the failure of one rank into a hang of the others."""
    for name in ("TORCH_HCCL_ASYNC_ERROR_HANDLING", "HCCL_ASYNC_ERROR_HANDLING"):
        if _text(setup, name) == "0":
            message = f"{name}=0: where one rank fails, the others wait until HCCL_EXEC_TIMEOUT"
            yield Objection((name,), message, "leave it out", "warning")


def autoload(setup: Setup) -> Iterator[Objection]:
    """TORCH_DEVICE_BACKEND_AUTOLOAD=0 keeps torch_npu out: RLinf never imports it."""
    name = "TORCH_DEVICE_BACKEND_AUTOLOAD"
    if _text(setup, name) == "0":
        message = f"{name}=0 keeps torch from loading torch_npu, which RLinf never imports by itself"
        yield Objection((name,), message, f"write {name}: 1")


def logs(setup: Setup) -> Iterator[Objection]:
    """Logs of debug or info, and logs on the screen, fill the disk and slow the run down."""
    if _text(setup, "ASCEND_GLOBAL_LOG_LEVEL") in ("0", "1"):
        message = (
            "ASCEND_GLOBAL_LOG_LEVEL below 2 writes gigabytes into ~/ascend/log and slows every rank down"
        )
        yield Objection(("ASCEND_GLOBAL_LOG_LEVEL",), message, "write 3, except to find an error", "warning")
    if _text(setup, "ASCEND_SLOG_PRINT_TO_STDOUT") == "1":
        message = "ASCEND_SLOG_PRINT_TO_STDOUT=1 floods the log of the run with CANN's own"
        yield Objection(("ASCEND_SLOG_PRINT_TO_STDOUT",), message, "leave it out", "warning")


def rendering(setup: Setup) -> Iterator[Objection]:
    """MUJOCO_GL and PYOPENGL_PLATFORM name no library that needs a GPU."""
    for name in ("MUJOCO_GL", "PYOPENGL_PLATFORM"):
        text = (_text(setup, name) or "").lower()
        if text in ("egl", "glx", "glfw"):
            message = f"{name}={text} needs a GPU: a simulator would fail; training draws nothing"
            yield Objection((name,), message, "write osmesa", "warning")


def too_new(setup: Setup) -> Iterator[Objection]:
    """A variable that the versions in hardware.stack do not read yet does nothing."""
    for variable in VARIABLES:
        if variable.since is None or variable.name not in setup.variables or variable.name == _ANY_ALLOCATOR:
            continue
        component, version = variable.since
        if older_than(setup.stack, component, version):
            have = setup.stack[component]
            message = (
                f"{variable.name} has no effect: {component} {have} does not read it yet (from {version} on)"
            )
            yield Objection((variable.name,), message, "leave it out", "warning")


RULES: tuple[Rule, ...] = (
    visible_devices,
    docker_devices,
    event_timeout,
    base_port,
    expansion_mode,
    allocator_options,
    two_allocators,
    cuda_allocator,
    launch_blocking,
    rank_table,
    links,
    whitelist,
    error_handling,
    autoload,
    logs,
    rendering,
    too_new,
)
