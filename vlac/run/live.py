"""What a person sees while a run goes on: one line that is redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from vlac.run.progress import Progress

_QUIET = 10.0
"""Seconds between two plain lines; the first and the last step are always shown."""
_ERASE = "\r\x1b[K"


class Live:
    """Shows progress on `stream`. One that cannot be written any more (its terminal is gone) ends no run."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._redraws = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._is_drawn = False
        self._shown_step = -1
        self._shown_at = -_QUIET

    def show(self, progress: Progress) -> None:
        """Show a new state of the training; the same step twice is shown once."""
        if progress.step == self._shown_step:
            return
        if self._redraws:
            self._draw(describe(progress))
        elif self._is_due(progress):
            self._write(describe(progress) + "\n")
            self._shown_at = time.monotonic()
        self._shown_step = progress.step

    def say(self, text: str) -> None:
        """Write a line of its own, above the live one."""
        self.close()
        self._write(text + "\n")

    def close(self) -> None:
        """End the live line, so that what follows starts on a new one."""
        if self._is_drawn:
            self._write("\n")
            self._is_drawn = False

    def _draw(self, text: str) -> None:
        width = shutil.get_terminal_size().columns
        self._write(_ERASE + text[: width - 1])
        self._is_drawn = True

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            # Also for what is buffered: Python writes it at its exit, and ends with 120 where it cannot.
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def _is_due(self, progress: Progress) -> bool:
        is_edge = self._shown_step <= 0 or progress.step == progress.total
        return is_edge or time.monotonic() - self._shown_at >= _QUIET


def describe(progress: Progress) -> str:
    """Step, loss, learning rate, seconds a step and time left, those that are known."""
    parts = [f"step {progress.step}/{progress.total}"]
    if progress.loss is not None:
        parts.append(f"loss {progress.loss:.4g}")
    if progress.learning_rate is not None:
        parts.append(f"learning rate {progress.learning_rate:.3g}")
    if progress.seconds_per_step is not None and progress.step:
        parts.append(f"{progress.seconds_per_step:.3g} s a step")
    if progress.remaining is not None and progress.step < progress.total:
        parts.append(f"{duration(progress.remaining)} left")
    return "  ".join(parts)


def duration(seconds: float) -> str:
    """Seconds as `42 s`, `3 min 20 s`, `5 h 04 min` or `21 d 10 h`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"
