"""The progress of a training, read from the bar that RLinf's runner prints.

`SFTRunner.run` (rlinf/runners/sft_runner.py, v0.3) draws a tqdm bar named "Global Step" whose postfix holds the step's
metrics, `time/step=61.7, train/loss=0.0633`, three significant digits each. It begins each drawing with a carriage
return, and other processes write into the same stream, so that lines arrive torn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_BREAK = re.compile(r"[\r\n]+")
_BAR = re.compile(r"Global Step:[^\r\n]*?\b(\d+)/(\d+) \[([\d:]+)<([\d:?]+), +([\d.?]+)(s/it|it/s)")
_DRAWING = re.compile(r"Global Step:[^\r\n]*?\[[\d:]+<[^\]]*\]?")
_METRIC = re.compile(r"([A-Za-z_]+/[\w/]+)=([-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|inf|nan))(?=[,\]\s])")


@dataclass(frozen=True, slots=True)
class Progress:
    """One drawing of the bar. `seconds_per_step` and `remaining` (seconds) are None where the bar has no figure yet."""

    step: int
    total: int
    seconds_per_step: float | None
    remaining: int | None
    metrics: dict[str, float]

    @property
    def loss(self) -> float | None:
        """`train/loss`."""
        return self.metrics.get("train/loss")

    @property
    def learning_rate(self) -> float | None:
        """`train/learning_rate`."""
        return self.metrics.get("train/learning_rate")


def parse(line: str) -> Progress | None:
    """The drawing of the bar in a line, None where there is none or it is torn before its figures."""
    bar = _BAR.search(line)
    if bar is None:
        return None
    step, total, _, remaining, speed, unit = bar.groups()
    metrics = {name: float(value) for name, value in _METRIC.findall(line, bar.end())}
    seconds = metrics.get("time/step") or _seconds(speed, unit)
    return Progress(int(step), int(total), seconds, _duration(remaining), metrics)


def without_bar(line: str) -> str:
    """The line without the bar: what another process printed behind it, on the same line."""
    return _DRAWING.sub("", line)


class Lines:
    """Cuts raw output into lines without colours; what has no end yet is kept for the next piece."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[str]:
        """The lines that `piece` completes, and a bar at its end that is drawn to its closing bracket."""
        text = self._rest + piece
        cut = max(text.rfind(b"\r"), text.rfind(b"\n")) + 1
        self._rest = text[cut:]
        lines = _split(text[:cut])
        if b"Global Step:" in self._rest and self._rest.rstrip().endswith(b"]"):
            lines += _split(self._rest)
            self._rest = b""
        return lines

    def end(self) -> list[str]:
        """What is left at the end of the output."""
        rest, self._rest = self._rest, b""
        return _split(rest)


def _split(text: bytes) -> list[str]:
    plain = _COLOR.sub("", text.decode("utf-8", errors="replace"))
    return [line for line in _BREAK.split(plain) if line.strip()]


def _seconds(speed: str, unit: str) -> float | None:
    if "?" in speed or not float(speed):
        return None
    return float(speed) if unit == "s/it" else 1 / float(speed)


def _duration(text: str) -> int | None:
    if "?" in text:
        return None
    seconds = 0
    for part in text.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds
