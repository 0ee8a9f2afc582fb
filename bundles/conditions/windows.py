"""Time windows: a span of instants, and hours of the week on a wall clock somewhere (rule C8)."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from .instants import SECOND, show_instant

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_MINUTES = 24 * 60
EVERY_DAY = frozenset(range(7))


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A legal window. Instants in nanoseconds, `days` 0 (Monday) to 6, `start` and `end` in minutes of a day.

    Starts are inclusive and ends exclusive; `start` > `end` crosses midnight and belongs to its first day.
    """

    not_before: int | None = None
    not_after: int | None = None
    days: frozenset[int] = EVERY_DAY
    start: int = 0
    end: int = DAY_MINUTES
    timezone: str = "UTC"

    @property
    def is_weekly(self) -> bool:
        """Whether the wall clock matters at all."""
        return self.days != EVERY_DAY or (self.start, self.end) != (0, DAY_MINUTES)


def within(window: TimeWindow, zone: tzinfo, instant: int) -> bool | None:
    """Whether `instant` (nanoseconds) lies in `window`, read on the wall clock of `zone`.

    None where the wall clock can't show the instant (years 0001 and 9999 near their ends).
    """
    if window.not_before is not None and instant < window.not_before:
        return False
    if window.not_after is not None and instant >= window.not_after:
        return False
    if not window.is_weekly:
        return True
    try:  # floor: edges are whole minutes, so the fraction of a second can't matter
        local = datetime.fromtimestamp(instant // SECOND, zone)
    except (OverflowError, ValueError, OSError):
        return None
    return covers(window, local.weekday(), local.hour * 60 + local.minute)


def covers(window: TimeWindow, day: int, minute: int) -> bool:
    """Whether the weekly part of `window` covers this minute of this day (0 is Monday).

    >>> night = TimeWindow(days=frozenset({4}), start=22 * 60, end=6 * 60)
    >>> covers(night, 4, 23 * 60), covers(night, 5, 5 * 60), covers(night, 4, 5 * 60)
    (True, True, False)
    """
    if window.start < window.end:
        return day in window.days and window.start <= minute < window.end
    return (day in window.days and minute >= window.start) or ((day - 1) % 7 in window.days and minute < window.end)


def show_window(window: TimeWindow) -> dict[str, Any]:
    """The window as the model document writes it, defaults left out.

    >>> show_window(TimeWindow(days=frozenset({1, 0}), start=540, timezone="Europe/Oslo"))
    {'days': ['mon', 'tue'], 'start': '09:00', 'timezone': 'Europe/Oslo'}
    """
    shown: dict[str, Any] = {}
    if window.not_before is not None:
        shown["not_before"] = show_instant(window.not_before)
    if window.not_after is not None:
        shown["not_after"] = show_instant(window.not_after)
    if window.days != EVERY_DAY:
        shown["days"] = [DAYS[day] for day in sorted(window.days)]
    if window.start != 0:
        shown["start"] = _show_minutes(window.start)
    if window.end != DAY_MINUTES:
        shown["end"] = _show_minutes(window.end)
    if window.timezone != "UTC":
        shown["timezone"] = window.timezone
    return shown


def _show_minutes(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
