"""Time stamps of log lines, in the forms of RLinf, Ray, torch, Python's logging and CANN.

Many have no date (`[INFO 12:04:55 ActorGroup-Rank-0]`), so a clock remembers the last date of its file and notices
midnight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

_DAY = 86400.0
_STAMP = re.compile(
    r"(?:(?<!\d)(\d{4})[-/](\d\d)[-/](\d\d)[T _-])?(?<![\d:.<])(\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?(?![\d:<])"
)
_WITHIN = 90
"""Characters at the beginning of a line in which its stamp stands."""


@dataclass
class Clock:
    """Reads the stamps of one file in order. Times are seconds; those of a file without dates count from its day 0."""

    latest: float | None = None
    first_day: int | None = None
    _day: int = 0
    _previous: float | None = None

    def read(self, text: str) -> float | None:
        """The time that a line tells, None where it tells none."""
        stamp = _STAMP.search(text[:_WITHIN])
        if stamp is None:
            return None
        year, month, day, hour, minute, second, fraction = stamp.groups()
        if int(hour) > 23 or int(minute) > 59 or int(second) > 60:
            return None
        if year and not self._take_date(int(year), int(month), int(day)):
            return None
        seconds = int(hour) * 3600 + int(minute) * 60 + int(second) + float(f"0.{fraction or 0}")
        if not year:
            self._notice_midnight(seconds)
        self._previous = seconds
        time = self._day * _DAY + seconds
        self.latest = time if self.latest is None else max(self.latest, time)
        return time

    def _take_date(self, year: int, month: int, day: int) -> bool:
        try:
            self._day = date(year, month, day).toordinal()
        except ValueError:
            return False
        if self.first_day is None:
            self.first_day = self._day
            self.latest = None  # what was read before counted from another day
        return True

    def _notice_midnight(self, seconds: float) -> None:
        """A line of before midnight may still come after one of after it."""
        if self._previous is None:
            return
        if self._previous - seconds > _DAY / 2:
            self._day += 1
        elif seconds - self._previous > _DAY / 2 and self._day > (self.first_day or 0):
            self._day -= 1


def dated(time: float, day: int | None) -> float:
    """A time of a file, with the day that its day 0 was."""
    return time + (day or 0) * _DAY if time < 365 * _DAY else time


def apart(time: float, other: float) -> float:
    """Seconds between two times of day, whether their dates are known or not."""
    seconds = abs(time - other) % _DAY
    return min(seconds, _DAY - seconds)


def written(time: float) -> str:
    """`12:04:55`, with the date where it is known."""
    if time < 365 * _DAY:
        return str(timedelta(seconds=int(time % _DAY))).zfill(8)
    moment = datetime.fromordinal(int(time // _DAY)) + timedelta(seconds=int(time % _DAY))
    return moment.strftime("%Y-%m-%d %H:%M:%S")
