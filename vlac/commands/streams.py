"""Standard output and standard error as this process found them: closed, full, or in another encoding."""

from __future__ import annotations

import errno
import io
import os
import sys

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def prepare() -> None:
    """Give closed streams somewhere to go, and have a character that an encoding lacks written as an escape."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # for good
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # for good
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush(code: int) -> int:
    """Hand on what was printed. Returns `code`, or 1 where it cannot be written and nobody chose not to read it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop()
    except OSError as problem:
        drop(sys.stdout.fileno())
        return unwritable(problem)
    return code


def drop(*descriptors: int) -> None:
    """Nobody reads on (`vlac plan x | head`): silence what is still buffered, at exit too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors or (sys.stdout.fileno(), sys.stderr.fileno()):
        os.dup2(nowhere, descriptor)


def is_full(fault: Exception) -> bool:
    """Whether a place to write to has no room left."""
    return isinstance(fault, OSError) and fault.filename is None and fault.errno in _FULL


def unwritable(problem: Exception) -> int:
    """Tell it, where standard error still takes it; returns the exit code."""
    reason = getattr(problem, "strerror", None) or problem
    try:
        sys.stderr.write(f"vlac: the output cannot be written: {reason}\n")
    except OSError:
        drop(sys.stderr.fileno())
    return 1
